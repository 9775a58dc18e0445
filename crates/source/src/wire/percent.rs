//! The percent escapes of a URL.

/// Decodes percent-encoding; none if an escape is malformed, or the text not UTF-8.
pub fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (&[high, low], after) = rest.split_first_chunk::<2>()?;
        bytes.push(digit(high)? << 4 | digit(low)?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_are_two_digits_of_utf_8() {
        assert_eq!(decode("a%20b%c3%A9+").as_deref(), Some("a bé+"));
        for malformed in ["%", "%4", "%+1", "%g0", "%ff", "%é"] {
            assert_eq!(decode(malformed), None, "{malformed}");
        }
    }
}
