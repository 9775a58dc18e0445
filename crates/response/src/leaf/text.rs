//! Texts, labels of enums and values of unknown types, all of them JSON strings.

use super::bytes::write_hexadecimal;
use super::number::write_integer;
use super::shortest::Shortest;
use super::{EnumNames, LeafError};
use crate::cursor::Value;
use crate::escape;

/// Appends a text; a number, which SQLite may keep in a column of texts, in SQLite's text form.
pub(super) fn write_text(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    match value {
        Value::Text(text) if escape::is_plain(text) => {
            out.reserve(text.len() + 2);
            out.push(b'"');
            out.extend_from_slice(text);
            out.push(b'"');
        }
        Value::Text(text) => {
            if str::from_utf8(text).is_err() {
                return Err(LeafError::new("String", "text that is not UTF-8", value));
            }
            out.push(b'"');
            escape::write_escaped(text, out);
            out.push(b'"');
        }
        Value::Integer(integer) => {
            out.push(b'"');
            write_integer(integer, out);
            out.push(b'"');
        }
        Value::Real(number) => {
            out.push(b'"');
            match number {
                0.0 => out.extend_from_slice(b"0.0"),
                f64::INFINITY => out.extend_from_slice(b"Inf"),
                f64::NEG_INFINITY => out.extend_from_slice(b"-Inf"),
                number if number.is_nan() => out.extend_from_slice(b"NaN"),
                number => Shortest::new(number).write_sqlite(out),
            }
            out.push(b'"');
        }
        Value::Null | Value::Blob(_) | Value::Packed(_) => {
            return Err(LeafError::new("String", "a value that is not text", value));
        }
    }
    Ok(())
}

/// Appends the text of any value; of bytes their hexadecimal digits.
pub(super) fn write_any(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    match value {
        Value::Blob(blob) => {
            write_hexadecimal(blob, out);
            Ok(())
        }
        Value::Null | Value::Integer(_) | Value::Real(_) | Value::Text(_) | Value::Packed(_) => {
            write_text(value, out)
        }
    }
}

/// Appends the name of a label.
pub(super) fn write_enum(
    names: &EnumNames,
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let name = match value {
        Value::Text(label) => names.name(label),
        Value::Null | Value::Integer(_) | Value::Real(_) | Value::Blob(_) | Value::Packed(_) => {
            None
        }
    };
    let name = name.ok_or_else(|| LeafError::new("Enum", "value", value))?;
    escape::write_string(name, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text};
    use crate::leaf::{EnumNames, Leaf};

    #[test]
    fn text_is_escaped() {
        check_text(&Leaf::Text, "hé \"q\" \\ \n\t😀 </> ", r#""hé \"q\" \\ \n\t😀 </> ""#);
        check_text(&Leaf::Text, "\u{1}\u{8}\u{c}\u{b}\u{7f}/", "\"\\u0001\\b\\f\\u000b\u{7f}/\"");
        for text in ["", "ab ", "(1,1),(0,0)", "'fat' & ( 'rat' | 'cat' )", "{[1,3),[5,7)}", "::1"]
        {
            check_text(&Leaf::Text, text, &format!("\"{text}\""));
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_an_error() {
        let expect = "String cannot represent text that is not UTF-8: \"a\u{fffd}\"";
        check(&Leaf::Text, Value::Text(b"a\xff"), expect);
        check(&Leaf::Any, Value::Text(b"a\xff"), expect);
    }

    #[test]
    fn numbers_in_a_column_of_texts_are_their_text() {
        for leaf in [Leaf::Text, Leaf::Any] {
            check(&leaf, Value::Integer(-12), "\"-12\"");
            check(&leaf, Value::Real(1.5), "\"1.5\"");
            check(&leaf, Value::Real(2.0), "\"2.0\"");
            check(&leaf, Value::Real(0.0), "\"0.0\"");
            check(&leaf, Value::Real(1e21), "\"1.0e+21\"");
            check(&leaf, Value::Real(f64::NEG_INFINITY), "\"-Inf\"");
        }
    }

    #[test]
    fn bytes_are_an_error_unless_the_type_is_unknown() {
        let expect = "String cannot represent a value that is not text: \\x61";
        check(&Leaf::Text, Value::Blob(b"a"), expect);
        check(&Leaf::Any, Value::Blob(b"a"), r#""\\x61""#);
    }

    #[test]
    fn labels_become_names() {
        let names =
            [("sad", "SAD"), ("very-happy", "VERY_HAPPY"), ("1st", "_1ST"), ("", "_EMPTY_")];
        let names = names.map(|(label, name)| (label.into(), name.into()));
        let leaf = Leaf::Enum(Arc::new(EnumNames::new(names)));
        check_text(&leaf, "sad", "\"SAD\"");
        check_text(&leaf, "very-happy", "\"VERY_HAPPY\"");
        check_text(&leaf, "", "\"_EMPTY_\"");
        check_text(&leaf, "SAD", "Enum cannot represent value: \"SAD\"");
        check(&leaf, Value::Integer(1), "Enum cannot represent value: 1");
    }
}
