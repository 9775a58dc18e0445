//! UUIDs, in lower case and with hyphens.

use super::LeafError;
use super::bytes::push_byte;
use crate::cursor::Value;

/// Appends a UUID, given as text with or without hyphens, or as its 16 bytes.
pub(super) fn write_uuid(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    out.push(b'"');
    match value {
        Value::Text(text) if has_hyphens(text) => {
            out.extend(text.iter().map(u8::to_ascii_lowercase));
        }
        Value::Text(text) if text.len() == 32 && text.iter().all(u8::is_ascii_hexdigit) => {
            for (index, digit) in text.iter().enumerate() {
                if matches!(index, 8 | 12 | 16 | 20) {
                    out.push(b'-');
                }
                out.push(digit.to_ascii_lowercase());
            }
        }
        Value::Blob(bytes) if bytes.len() == 16 => {
            for (index, byte) in bytes.iter().enumerate() {
                if matches!(index, 4 | 6 | 8 | 10) {
                    out.push(b'-');
                }
                push_byte(*byte, out);
            }
        }
        _ => return Err(LeafError::new("UUID", "an invalid UUID", value)),
    }
    out.push(b'"');
    Ok(())
}

fn has_hyphens(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::Leaf;
    use crate::leaf::check::{check, check_text};

    const UUID: &str = "\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\"";

    #[test]
    fn every_form_is_written_in_lower_case_with_hyphens() {
        check_text(&Leaf::Uuid, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", UUID);
        check_text(&Leaf::Uuid, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", UUID);
        check_text(&Leaf::Uuid, "A0EEBC999C0B4EF8BB6D6BB9BD380A11", UUID);
        let bytes = 0xa0ee_bc99_9c0b_4ef8_bb6d_6bb9_bd38_0a11_u128.to_be_bytes();
        check(&Leaf::Uuid, Value::Blob(&bytes), UUID);
    }

    #[test]
    fn other_values_are_errors() {
        let expect = "UUID cannot represent an invalid UUID";
        for text in
            ["", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1g"]
        {
            check_text(&Leaf::Uuid, text, &format!("{expect}: \"{text}\""));
        }
        check(&Leaf::Uuid, Value::Blob(&[1]), &format!("{expect}: \\x01"));
        check(&Leaf::Uuid, Value::Integer(1), &format!("{expect}: 1"));
    }
}
