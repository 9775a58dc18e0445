//! Texts, ids and booleans.

use super::super::number::write_real;
use super::super::{LeafError, text};
use super::kind::boolean;
use crate::cursor::Value;

/// Appends a value as graphql-js serializes `String`. Integers are objects of the driver there,
/// which it cannot serialize.
pub(super) fn write_string(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    match value {
        Value::Text(_) => text::write_text(value, out),
        Value::Real(real) if real.is_finite() => {
            write_quoted(real, out);
            Ok(())
        }
        Value::Null | Value::Integer(_) | Value::Real(_) | Value::Blob(_) | Value::Packed(_) => {
            let boolean = boolean(value);
            let boolean = boolean.ok_or_else(|| LeafError::new("String", "value", value))?;
            out.extend_from_slice(if boolean { b"\"true\"" } else { b"\"false\"" });
            Ok(())
        }
    }
}

/// Appends a value as the library serializes `ID`.
pub(super) fn write_id(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    match value {
        Value::Text(_) => text::write_text(value, out),
        // Converted to a double, so that 64-bit integers lose digits.
        Value::Integer(integer) => {
            write_quoted(integer as f64, out);
            Ok(())
        }
        Value::Real(real) => {
            write_quoted(real, out);
            Ok(())
        }
        Value::Null | Value::Blob(_) | Value::Packed(_) => {
            Err(LeafError::new("ID", "value", value))
        }
    }
}

/// Appends a value as graphql-js serializes `Boolean`.
pub(super) fn write_boolean(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let boolean = match value {
        Value::Real(real) if real.is_finite() => real != 0.0,
        Value::Null
        | Value::Integer(_)
        | Value::Real(_)
        | Value::Text(_)
        | Value::Blob(_)
        | Value::Packed(_) => {
            let boolean = boolean(value);
            boolean.ok_or_else(|| LeafError::new("Boolean", "a non boolean value", value))?
        }
    };
    out.extend_from_slice(if boolean { b"true" } else { b"false" });
    Ok(())
}

fn write_quoted(number: f64, out: &mut Vec<u8>) {
    out.push(b'"');
    write_real(number, out);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text};
    use crate::leaf::{GraphLeaf, Leaf};

    #[test]
    fn strings_are_texts_and_floats() {
        let leaf = Leaf::Graph(GraphLeaf::String);
        check_text(&leaf, "a\"b\u{e9}", "\"a\\\"b\u{e9}\"");
        check_text(&leaf, "", "\"\"");
        check(&leaf, Value::Real(1.5), "\"1.5\"");
        check(&leaf, Value::Real(2.0), "\"2\"");
        check(&leaf, Value::Packed(b"\xc3"), "\"true\"");
        check(&leaf, Value::Null, "null");
        check(&leaf, Value::Integer(5), "String cannot represent value: 5");
        check(&leaf, Value::Real(f64::NAN), "String cannot represent value: NaN");
        check(&leaf, Value::Packed(b"\x91\x01"), "String cannot represent value: a list");
        let expect = "String cannot represent text that is not UTF-8: \"a\u{fffd}\"";
        check(&leaf, Value::Text(b"a\xff"), expect);
    }

    #[test]
    fn ids_are_texts_and_numbers_of_javascript() {
        let leaf = Leaf::Graph(GraphLeaf::Id);
        check_text(&leaf, "x", "\"x\"");
        check(&leaf, Value::Integer(-7), "\"-7\"");
        check(&leaf, Value::Integer(9_007_199_254_740_993), "\"9007199254740992\"");
        check(&leaf, Value::Real(1.5), "\"1.5\"");
        check(&leaf, Value::Packed(b"\x90"), "ID cannot represent value: a list");
        check(&leaf, Value::Packed(b"\xc2"), "ID cannot represent value: false");
    }

    #[test]
    fn booleans_are_booleans_and_floats() {
        let leaf = Leaf::Graph(GraphLeaf::Boolean);
        check(&leaf, Value::Packed(b"\xc3"), "true");
        check(&leaf, Value::Packed(b"\xc2"), "false");
        check(&leaf, Value::Real(0.0), "false");
        check(&leaf, Value::Real(-2.5), "true");
        let expect = "Boolean cannot represent a non boolean value";
        check_text(&leaf, "true", &format!("{expect}: \"true\""));
        check(&leaf, Value::Integer(1), &format!("{expect}: 1"));
    }
}
