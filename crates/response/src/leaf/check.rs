//! The one test of all leaves: a value in, JSON or the error's message out.

use super::{Leaf, Member, Part};
use crate::cursor::Value;

#[track_caller]
pub(super) fn check(leaf: &Leaf, value: Value<'_>, expect: &str) {
    let mut out = b"before ".to_vec();
    let written = match leaf.write(value, &mut out) {
        Ok(()) => String::from_utf8(out).unwrap(),
        Err(error) => format!("before {error}"),
    };
    assert_eq!(written, format!("before {expect}"), "{leaf:?} of {value:?}");
}

#[track_caller]
pub(super) fn check_text(leaf: &Leaf, text: &str, expect: &str) {
    check(leaf, Value::Text(text.as_bytes()), expect);
}

pub(super) fn member(name: &str, part: Part, leaf: Leaf) -> Member {
    Member { key: format!("\"{name}\":").into_bytes().into(), part, leaf, nullable: true }
}
