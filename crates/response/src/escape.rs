//! JSON strings: quotes, backslashes and control characters escaped, everything else as it is.

/// Appends `text` as a JSON string.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    write_escaped(text.as_bytes(), out);
    out.push(b'"');
}

/// The same for a `String`.
pub fn push_string(text: &str, out: &mut String) {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    write_string(text, &mut bytes);
    // Lossless: escapes are ASCII, and stand between whole characters.
    out.push_str(&String::from_utf8_lossy(&bytes));
}

/// Appends the inside of a JSON string; the caller has checked that it is UTF-8.
pub fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    let (mut written, mut next) = (0, 0);
    while let Some(byte) = text.get(next) {
        if let Some(word) = text[next..].first_chunk().copied().map(u64::from_ne_bytes)
            && escaped(word) == 0
        {
            next += size_of::<u64>();
            continue;
        }
        let index = next;
        next += 1;
        let escape = ESCAPES[usize::from(*byte)];
        if escape == 0 {
            continue;
        }
        out.extend_from_slice(&text[written..index]);
        written = next;
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

/// The maximum length of a text as a JSON string in bytes; an estimate for values that are written
/// in another form.
pub(crate) fn escaped_length(text: &[u8]) -> usize {
    let mut length = text.len() + 2;
    for chunk in text.chunks(size_of::<u64>()) {
        if let Ok(word) = chunk.try_into()
            && escaped(u64::from_ne_bytes(word)) == 0
        {
            continue;
        }
        length += chunk
            .iter()
            .map(|byte| match ESCAPES[usize::from(*byte)] {
                0 => 0,
                b'u' => 5,
                _ => 1,
            })
            .sum::<usize>();
    }
    length
}

/// True if a text is ASCII without characters to escape: then it needs no other check.
#[inline]
#[must_use]
pub(crate) fn is_plain(text: &[u8]) -> bool {
    // The last word overlaps the one before.
    let Some(last) = text.last_chunk() else {
        return text.iter().all(|byte| byte.is_ascii() && ESCAPES[usize::from(*byte)] == 0);
    };
    let (words, _) = text.as_chunks();
    let is_plain = |word: &[u8; size_of::<u64>()]| {
        let word = u64::from_ne_bytes(*word);
        (escaped(word) | word) & each(0x80) == 0
    };
    words.iter().all(is_plain) && is_plain(last)
}

/// Not zero if any of the bytes has to be escaped.
fn escaped(word: u64) -> u64 {
    // A byte that is less than another borrows from its highest bit.
    let less = |word: u64, than: u8| word.wrapping_sub(each(than)) & !word & each(0x80);
    less(word, b' ') | less(word ^ each(b'"'), 1) | less(word ^ each(b'\\'), 1)
}

/// A word of eight such bytes.
const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; size_of::<u64>()])
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
    use super::{escaped_length, is_plain, write_string};

    fn check(text: &str, expect: &str) {
        let mut out = Vec::new();
        write_string(text, &mut out);
        assert_eq!(escaped_length(text.as_bytes()), out.len());
        assert_eq!(String::from_utf8(out).unwrap(), expect);
    }

    #[test]
    fn text_without_escapes_is_copied() {
        check("Ænima / 東京", r#""Ænima / 東京""#);
    }

    #[test]
    fn every_byte_is_seen_at_every_place() {
        for length in 1..20 {
            for place in 0..length {
                for byte in 0..=0x7f {
                    let mut text = vec![b'a'; length];
                    text[place] = byte;
                    let text = String::from_utf8(text).unwrap();
                    let expect = by_letter(&text);
                    check(&text, &expect);
                    assert_eq!(is_plain(text.as_bytes()), expect.len() == length + 2, "{text:?}");
                }
                let mut text = "a".repeat(length);
                text.replace_range(place..=place, "é\"");
                check(&text, &by_letter(&text));
                assert!(!is_plain(text.as_bytes()));
            }
        }
    }

    /// The same, a letter at a time.
    fn by_letter(text: &str) -> String {
        let escape = |c: char| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\u{8}' => "\\b".to_owned(),
            '\t' => "\\t".to_owned(),
            '\n' => "\\n".to_owned(),
            '\u{c}' => "\\f".to_owned(),
            '\r' => "\\r".to_owned(),
            c if c < ' ' => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        };
        format!("\"{}\"", text.chars().map(escape).collect::<String>())
    }

    #[test]
    fn quotes_backslashes_and_controls_are_escaped() {
        check("a\"b\\c\n\t\r\u{8}\u{c}\u{1}\u{1f}", r#""a\"b\\c\n\t\r\b\f\u0001\u001f""#);
    }
}
