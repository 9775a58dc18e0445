//! Booleans: PostgreSQL's letters, SQLite's numbers, those of a graph.

use super::{LeafError, graph};
use crate::cursor::Value;

pub(super) fn write_boolean(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    if let Some(boolean) = graph::boolean(value) {
        out.extend_from_slice(if boolean { b"true" } else { b"false" });
        return Ok(());
    }
    let text: &[u8] = match value {
        Value::Text(b"t" | b"true" | b"1") | Value::Integer(1) => b"true",
        Value::Text(b"f" | b"false" | b"0") | Value::Integer(0) => b"false",
        _ => return Err(LeafError::new("Boolean", "a non boolean value", value)),
    };
    out.extend_from_slice(text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::Leaf;
    use crate::leaf::check::{check, check_text};

    #[test]
    fn letters_words_and_numbers_are_booleans() {
        for (text, expect) in [("t", "true"), ("f", "false"), ("true", "true"), ("false", "false")]
        {
            check_text(&Leaf::Boolean, text, expect);
        }
        check_text(&Leaf::Boolean, "1", "true");
        check_text(&Leaf::Boolean, "0", "false");
        check(&Leaf::Boolean, Value::Integer(1), "true");
        check(&Leaf::Boolean, Value::Integer(0), "false");
        check(&Leaf::Boolean, Value::Packed(b"\xc3"), "true");
        check(&Leaf::Boolean, Value::Packed(b"\xc2"), "false");
    }

    #[test]
    fn other_values_are_errors() {
        let expect = "Boolean cannot represent a non boolean value";
        check(&Leaf::Boolean, Value::Integer(2), &format!("{expect}: 2"));
        check(&Leaf::Boolean, Value::Real(1.0), &format!("{expect}: 1"));
        check_text(&Leaf::Boolean, "yes", &format!("{expect}: \"yes\""));
        check_text(&Leaf::Boolean, "", &format!("{expect}: \"\""));
    }
}
