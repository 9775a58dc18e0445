//! Values as texts, without JSON's quotes and escapes.

use crate::cursor::Value;
use crate::leaf::{Leaf, LeafError};

/// Appends a value as a text.
pub(super) fn write_unquoted(
    value: Value<'_>,
    leaf: &Leaf,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    if let Value::Text(text) = value
        && str::from_utf8(text).is_ok()
    {
        out.extend_from_slice(text);
        return Ok(());
    }
    let start = out.len();
    leaf.write(value, out)?;
    // Other values have no escapes.
    if out.get(start) == Some(&b'"') {
        out.pop();
        out.remove(start);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::GraphLeaf;

    fn check(value: Value<'_>, leaf: GraphLeaf, expected: &str) {
        let mut out = b"id:".to_vec();
        write_unquoted(value, &Leaf::Graph(leaf), &mut out).expect("a value");
        assert_eq!(String::from_utf8_lossy(&out), format!("id:{expected}"));
    }

    #[test]
    fn texts_have_no_marks_and_no_escapes() {
        check(Value::Text("a\"\\é\n".as_bytes()), GraphLeaf::String, "a\"\\é\n");
        check(Value::Text(b""), GraphLeaf::Id, "");
    }

    #[test]
    fn numbers_are_written_as_they_are() {
        check(Value::Integer(7), GraphLeaf::Int, "7");
        check(Value::Integer(7), GraphLeaf::Id, "7");
        check(Value::Integer(-7), GraphLeaf::BigInt, "-7");
    }

    #[test]
    fn what_is_no_utf8_fails() {
        let mut out = Vec::new();
        let leaf = Leaf::Graph(GraphLeaf::String);
        assert!(write_unquoted(Value::Text(b"\xff"), &leaf, &mut out).is_err());
    }
}
