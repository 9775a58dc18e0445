//! Bytes as `\x` and hexadecimal digits, PostgreSQL's form.

use super::LeafError;
use crate::cursor::Value;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends bytes. A text in PostgreSQL's form is parsed as such; any other text, which SQLite may
/// store in a column of bytes, is its own bytes.
pub(super) fn write_bytes(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    match value {
        Value::Text([b'\\', b'x', digits @ ..]) if is_hexadecimal(digits) => {
            out.extend_from_slice(br#""\\x"#);
            out.extend_from_slice(digits);
            out.push(b'"');
        }
        Value::Text(bytes) | Value::Blob(bytes) => write_hexadecimal(bytes, out),
        Value::Null | Value::Integer(_) | Value::Real(_) | Value::Packed(_) => {
            return Err(LeafError::new("String", "a value that is not bytes", value));
        }
    }
    Ok(())
}

/// Appends bytes as a JSON string, with the backslash escaped.
pub(super) fn write_hexadecimal(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() * 2 + 5);
    out.extend_from_slice(br#""\\x"#);
    for byte in bytes {
        push_byte(*byte, out);
    }
    out.push(b'"');
}

/// Appends the two digits of a byte.
pub(super) fn push_byte(byte: u8, out: &mut Vec<u8>) {
    out.push(DIGITS[usize::from(byte >> 4)]);
    out.push(DIGITS[usize::from(byte & 15)]);
}

fn is_hexadecimal(digits: &[u8]) -> bool {
    digits.len().is_multiple_of(2)
        && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::Leaf;
    use crate::leaf::check::{check, check_text};

    #[test]
    fn text_of_postgresql_is_copied_with_its_backslash_escaped() {
        check_text(&Leaf::Bytes, r"\xdeadbeef00", r#""\\xdeadbeef00""#);
        check_text(&Leaf::Bytes, r"\x", r#""\\x""#);
    }

    #[test]
    fn bytes_and_texts_of_sqlite_become_digits() {
        check(&Leaf::Bytes, Value::Blob(&[0xde, 0xad, 0xbe, 0xef, 0]), r#""\\xdeadbeef00""#);
        check(&Leaf::Bytes, Value::Blob(&[]), r#""\\x""#);
        check_text(&Leaf::Bytes, "a\"é", r#""\\x6122c3a9""#);
        check_text(&Leaf::Bytes, r"\xabc", r#""\\x5c78616263""#);
    }

    #[test]
    fn numbers_are_errors() {
        let expect = "String cannot represent a value that is not bytes: 5";
        check(&Leaf::Bytes, Value::Integer(5), expect);
    }
}
