//! A part of a JSON value, at the end of a path of keys and indexes.

use super::json::write_json;
use super::{JsonForm, LeafError};
use crate::cursor::Value;
use crate::escape::write_string;

/// Appends the part of a JSON value at the end of a path, or null if it has none. An item of a path
/// is the key of an object, or the index of an element of a list; a negative one counts from the end.
pub(super) fn write_json_part(
    path: &[Box<str>],
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let mut json = Vec::new();
    write_json(JsonForm::Embedded, value, &mut json)?;
    let found = path.iter().try_fold(&*json, |json, item| part(json, item));
    out.extend_from_slice(found.unwrap_or(b"null"));
    Ok(())
}

/// A member or an element of a value, which has no white space between its tokens.
fn part<'j>(json: &'j [u8], item: &str) -> Option<&'j [u8]> {
    let inside = json.get(1..)?;
    match json.first()? {
        b'{' => {
            let mut key = Vec::new();
            write_string(item, &mut key);
            // The last one of several members with the key counts.
            let members = Parts { rest: inside, is_object: true };
            members.filter(|(own, _)| *own == key).last().map(|(_, value)| value)
        }
        b'[' => {
            let index: i64 = item.parse().ok()?;
            let mut elements = Parts { rest: inside, is_object: false };
            let place = match usize::try_from(index) {
                Ok(place) => place,
                Err(_) => {
                    let length = Parts { rest: inside, is_object: false }.count();
                    length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?
                }
            };
            elements.nth(place).map(|(_, value)| value)
        }
        _ => None,
    }
}

/// The members of an object with their keys, or the elements of a list.
struct Parts<'j> {
    /// What follows the bracket or the comma before the next one.
    rest: &'j [u8],
    is_object: bool,
}

impl<'j> Iterator for Parts<'j> {
    type Item = (&'j [u8], &'j [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if matches!(self.rest.first(), None | Some(b'}' | b']')) {
            return None;
        }
        let key = match self.is_object {
            true => {
                let (key, rest) = self.rest.split_at_checked(length(self.rest))?;
                self.rest = rest.strip_prefix(b":")?;
                key
            }
            false => &[],
        };
        let (value, rest) = self.rest.split_at_checked(length(self.rest))?;
        self.rest = rest.strip_prefix(b",").unwrap_or(rest);
        Some((key, value))
    }
}

/// The length of the first value of a text. No recursion: a stored value may be nested deeply.
fn length(json: &[u8]) -> usize {
    let (mut depth, mut in_text, mut is_escaped) = (0_usize, false, false);
    for (place, byte) in json.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b',' | b':' | b'}' | b']' if depth == 0 => return place,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use crate::leaf::Leaf;
    use crate::leaf::check::check_text;

    #[test]
    fn a_path_leads_to_a_part_or_to_null() {
        let check = |path: &[&str], text: &str, expect: &str| {
            let path: Vec<Box<str>> = path.iter().map(|item| (*item).into()).collect();
            check_text(&Leaf::JsonPart(path.into()), text, expect);
        };
        let json = r#"{ "a": [1, {"b": "x,\"]}"}, []], "é\n": {"": 1.50}, "n": null, "a ": 2 }"#;
        check(&[], "[1, 2]", "[1,2]");
        check(&["a"], json, r#"[1,{"b":"x,\"]}"},[]]"#);
        check(&["a", "0"], json, "1");
        check(&["a", "1", "b"], json, r#""x,\"]}""#);
        check(&["a", "-1"], json, "[]");
        check(&["a", "-2", "b"], json, r#""x,\"]}""#);
        check(&["a", "-4"], json, "null");
        check(&["a", "3"], json, "null");
        check(&["a", "b"], json, "null");
        check(&["a", "2", "0"], json, "null");
        check(&["é\n", ""], json, "1.5");
        check(&["n"], json, "null");
        check(&["n", "x"], json, "null");
        check(&["x"], json, "null");
        check(&["a "], json, "2");
        check(&["0"], "{}", "null");
        check(&["a"], r#"{"a":1,"a":2}"#, "2");
        check(&["a"], "\"a\"", "null");
        check(&["a", "-9223372036854775808"], json, "null");
    }
}
