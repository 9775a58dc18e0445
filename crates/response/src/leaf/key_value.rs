//! hstore as an object of texts.

use super::LeafError;
use super::quoted::Quoted;
use crate::cursor::Value;
use crate::escape;

/// Appends an object of the pairs, in PostgreSQL's order.
pub(super) fn write_key_value(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let malformed = || LeafError::new("KeyValueHash", "a value that is not hstore", value);
    let Value::Text(text) = value else { return Err(malformed()) };
    write_pairs(text, out).ok_or_else(malformed)
}

fn write_pairs(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let mut scratch = Vec::new();
    let mut rest = text;
    out.push(b'{');
    while !rest.is_empty() {
        let (key, after) = Quoted::take(rest.strip_prefix(b"\"")?)?;
        write_quoted(key, &mut scratch, out)?;
        out.push(b':');
        rest = match after.strip_prefix(b"=>")? {
            [b'"', inside @ ..] => {
                let (quoted, after) = Quoted::take(inside)?;
                write_quoted(quoted, &mut scratch, out)?;
                after
            }
            null => {
                out.extend_from_slice(b"null");
                null.strip_prefix(b"NULL")?
            }
        };
        if !rest.is_empty() {
            rest = rest.strip_prefix(b", ").filter(|rest| !rest.is_empty())?;
            out.push(b',');
        }
    }
    out.push(b'}');
    Some(())
}

fn write_quoted(quoted: Quoted<'_>, scratch: &mut Vec<u8>, out: &mut Vec<u8>) -> Option<()> {
    escape::write_string(str::from_utf8(quoted.unescape(scratch)).ok()?, out);
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::Leaf;
    use crate::leaf::check::{check, check_text};

    #[test]
    fn pairs_become_members() {
        check_text(
            &Leaf::KeyValue,
            r#""a"=>"1", "b"=>NULL, "c d"=>"x\"y""#,
            r#"{"a":"1","b":null,"c d":"x\"y"}"#,
        );
        check_text(&Leaf::KeyValue, "", "{}");
        check_text(&Leaf::KeyValue, r#"""=>"", "\\"=>"NULL""#, r#"{"":"","\\":"NULL"}"#);
    }

    #[test]
    fn other_values_are_errors() {
        let expect = "KeyValueHash cannot represent a value that is not hstore";
        for text in [
            "a",
            "\"a\"",
            "\"a\"=>",
            "\"a\"=>1",
            "\"a\"=>\"1\",",
            "\"a\"=>\"1\", ",
            "\"a\"=>\"1",
            "\"a\"=>\"1\"\"b\"=>\"2\"",
            "{}",
        ] {
            let shown = text.replace('"', "\\\"");
            check_text(&Leaf::KeyValue, text, &format!("{expect}: \"{shown}\""));
        }
        check(
            &Leaf::KeyValue,
            Value::Text(b"\"\xff\"=>NULL"),
            &format!("{expect}: \"\\\"\u{fffd}\\\"=>NULL\""),
        );
        check(&Leaf::KeyValue, Value::Integer(1), &format!("{expect}: 1"));
    }
}
