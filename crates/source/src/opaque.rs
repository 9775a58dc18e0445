//! Parts of opaque texts: node ids and cursors of an API.
//!
//! Numbers keep the digits they are written with: a cursor over a decimal of thirty digits must
//! come back to the same row.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use ir::Codec;
use serde_json::value::RawValue;

use crate::resolved::Resolved;

/// A part of an opaque text; `None` if there is no such part.
#[must_use]
pub fn part(text: &str, codec: Codec, part: u16) -> Option<Resolved<'static>> {
    let bytes = match text.ends_with('=') {
        true => STANDARD.decode(text),
        false => STANDARD_NO_PAD.decode(text),
    };
    if codec == Codec::ArrayConnection {
        // An invalid cursor counts as none.
        let offset = bytes.ok().and_then(|bytes| next_offset(&bytes));
        return Some(Resolved::Integer(offset.unwrap_or(0)));
    }
    let bytes = bytes.ok()?;
    if codec == Codec::GlobalId {
        let (_, rest) = str::from_utf8(&bytes).ok()?.split_once(':')?;
        let (_, value) = rest.split_once(':')?;
        return Some(Resolved::Text(value.to_owned().into()));
    }
    let part = usize::from(part);
    if codec == Codec::Base64JsonMembers {
        let mut left = part;
        return find_member(&bytes, &mut left);
    }
    let items: Vec<&RawValue> = serde_json::from_slice(&bytes).ok()?;
    match codec {
        Codec::Base64JsonArray => value(items.get(part)?),
        Codec::Base64JsonArrayTail => {
            let tail: Vec<&RawValue> = serde_json::from_str(items.last()?.get()).ok()?;
            value(tail.get(part)?)
        }
        Codec::ArrayConnection | Codec::GlobalId | Codec::Base64JsonMembers => None,
    }
}

/// The value that `left` values precede.
fn find_member(object: &[u8], left: &mut usize) -> Option<Resolved<'static>> {
    let members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_slice(object).ok()?;
    for json in members.values() {
        match json.get().starts_with('{') {
            true => {
                if let Some(found) = find_member(json.get().as_bytes(), left) {
                    return Some(found);
                }
            }
            false if *left == 0 => return value(json),
            false => *left -= 1,
        }
    }
    None
}

/// All values of a node id that begins with `prefix`; `None` if it is none of those.
#[must_use]
pub fn parts(text: &str, codec: Codec, prefix: &str) -> Option<Vec<Resolved<'static>>> {
    let bytes = match text.ends_with('=') {
        true => STANDARD.decode(text),
        false => STANDARD_NO_PAD.decode(text),
    };
    let bytes = bytes.ok()?;
    match codec {
        Codec::Base64JsonArray => {
            let items: Vec<&RawValue> = serde_json::from_slice(&bytes).ok()?;
            let (tag, values) = items.split_first()?;
            let tag: String = serde_json::from_str(tag.get()).ok()?;
            (tag == prefix).then(|| values.iter().map(|json| value(json)).collect())?
        }
        Codec::GlobalId => {
            let text = str::from_utf8(&bytes).ok()?;
            let value = text.strip_prefix(prefix)?.strip_prefix(':')?;
            Some(vec![Resolved::Text(value.to_owned().into())])
        }
        Codec::Base64JsonArrayTail | Codec::ArrayConnection | Codec::Base64JsonMembers => None,
    }
}

/// The offset of the row after the one of a cursor of `graphql-relay`.
fn next_offset(cursor: &[u8]) -> Option<i64> {
    let digits = str::from_utf8(cursor).ok()?.strip_prefix("arrayconnection:")?;
    let offset: i64 =
        digits.bytes().all(|digit| digit.is_ascii_digit()).then_some(digits)?.parse().ok()?;
    offset.checked_add(1)
}

fn value(json: &RawValue) -> Option<Resolved<'static>> {
    let text = json.get();
    Some(match text.as_bytes().first()? {
        b'"' => Resolved::Text(serde_json::from_str::<String>(text).ok()?.into()),
        b'n' => Resolved::Null,
        b't' => Resolved::Boolean(true),
        b'f' => Resolved::Boolean(false),
        b'[' | b'{' => Resolved::Json(text.to_owned().into()),
        _ => match text.parse() {
            Ok(number) => Resolved::Integer(number),
            Err(_) => Resolved::Number(text.to_owned().into()),
        },
    })
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use ir::Codec;

    use super::part;
    use crate::operand::Resolved;

    fn check(json: &str, codec: Codec, place: u16, expect: Option<&Resolved<'_>>) {
        assert_eq!(part(&STANDARD.encode(json), codec, place).as_ref(), expect, "{json}");
    }

    #[test]
    fn parts_of_a_node_id_are_counted_from_its_tag() {
        let id = "[\"people\",9223372036854775808,\"a\\u00e9\",true]";
        check(id, Codec::Base64JsonArray, 0, Some(&Resolved::Text("people".into())));
        check(id, Codec::Base64JsonArray, 1, Some(&Resolved::Number("9223372036854775808".into())));
        check(id, Codec::Base64JsonArray, 2, Some(&Resolved::Text("aé".into())));
        check(id, Codec::Base64JsonArray, 3, Some(&Resolved::Boolean(true)));
        check(id, Codec::Base64JsonArray, 4, None);
    }

    #[test]
    fn parts_of_members_are_counted_by_the_names_that_lead_to_them() {
        let cursor = "{\"id\": 1.50, \"a\": {\"c\": {\"d\": null}, \"b\": \"x\\u0041\"}}";
        check(cursor, Codec::Base64JsonMembers, 0, Some(&Resolved::Text("xA".into())));
        check(cursor, Codec::Base64JsonMembers, 1, Some(&Resolved::Null));
        check(cursor, Codec::Base64JsonMembers, 2, Some(&Resolved::Number("1.50".into())));
        check(cursor, Codec::Base64JsonMembers, 3, None);
        check("[1]", Codec::Base64JsonMembers, 0, None);
    }

    #[test]
    fn parts_of_a_cursor_are_counted_in_its_last_array() {
        let cursor = "[\"total_asc\",[12345678901234567890.125, null, -3]]";
        let digits = Resolved::Number("12345678901234567890.125".into());
        check(cursor, Codec::Base64JsonArrayTail, 0, Some(&digits));
        check(cursor, Codec::Base64JsonArrayTail, 1, Some(&Resolved::Null));
        check(cursor, Codec::Base64JsonArrayTail, 2, Some(&Resolved::Integer(-3)));
    }

    #[test]
    fn the_row_after_an_offset_is_the_next() {
        let next = |offset| Some(Resolved::Integer(offset));
        check("arrayconnection:0", Codec::ArrayConnection, 0, next(1).as_ref());
        check("arrayconnection:41", Codec::ArrayConnection, 0, next(42).as_ref());
        for invalid in ["arrayconnection:", "arrayconnection:-1", "arrayconnection:+1", "1"] {
            check(invalid, Codec::ArrayConnection, 0, next(0).as_ref());
        }
        let beyond = "arrayconnection:9223372036854775807";
        check(beyond, Codec::ArrayConnection, 0, next(0).as_ref());
        assert_eq!(part("!", Codec::ArrayConnection, 0), next(0));
    }

    #[test]
    fn the_value_of_a_global_id_is_all_behind_the_field() {
        let value = |text: &'static str| Some(Resolved::Text(text.into()));
        check("Movie:code:7", Codec::GlobalId, 0, value("7").as_ref());
        check("Movie:code:a:é", Codec::GlobalId, 0, value("a:é").as_ref());
        check("Movie:code", Codec::GlobalId, 0, None);
    }

    #[test]
    fn what_is_no_opaque_text_has_no_parts() {
        assert_eq!(part("!", Codec::Base64JsonArray, 0), None);
        check("{}", Codec::Base64JsonArray, 0, None);
        check("[\"natural\",1]", Codec::Base64JsonArrayTail, 0, None);
    }
}
