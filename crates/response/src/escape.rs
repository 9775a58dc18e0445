//! JSON strings: quotes, backslashes and control characters escaped, everything else as it is.

/// Appends `text` as a JSON string.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    write_escaped(text.as_bytes(), out);
    out.push(b'"');
}

/// The same for a text that is made as one.
pub fn push_string(text: &str, out: &mut String) {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    write_string(text, &mut bytes);
    // Nothing is lost: escapes are ASCII, and stand between whole characters.
    out.push_str(&String::from_utf8_lossy(&bytes));
}

/// Appends the inside of a JSON string; the caller has checked that it is UTF-8.
pub fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut written = 0;
    for (index, byte) in text.iter().enumerate() {
        let escape = ESCAPES[usize::from(*byte)];
        if escape == 0 {
            continue;
        }
        out.extend_from_slice(&text[written..index]);
        written = index + 1;
        if escape == b'u' {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
        } else {
            out.extend_from_slice(&[b'\\', escape]);
        }
    }
    out.extend_from_slice(&text[written..]);
}

/// For each byte the letter of its escape, `u` for the long form, 0 for none.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 32 {
        table[control] = b'u';
        control += 1;
    }
    table[0x08] = b'b';
    table[0x09] = b't';
    table[0x0a] = b'n';
    table[0x0c] = b'f';
    table[0x0d] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

#[cfg(test)]
mod tests {
    use super::write_string;

    fn check(text: &str, expect: &str) {
        let mut out = Vec::new();
        write_string(text, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expect);
    }

    #[test]
    fn text_without_escapes_is_copied() {
        check("Ænima / 東京", r#""Ænima / 東京""#);
    }

    #[test]
    fn quotes_backslashes_and_controls_are_escaped() {
        check("a\"b\\c\n\t\r\u{8}\u{c}\u{1}\u{1f}", r#""a\"b\\c\n\t\r\b\f\u0001\u001f""#);
    }
}
