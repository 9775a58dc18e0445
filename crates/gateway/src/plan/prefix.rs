//! Short texts that are written or compared very often, such as member names. They are copied and
//! compared as a few machine words, including the bytes behind them, which is faster than by
//! length.

/// Number of bytes copied at once.
const COPIED: usize = 32;

/// Number of bytes compared at once.
const COMPARED: usize = 16;

graphql::heap_size!(struct Prefix { text; shared filled, begin, mask });

/// The start of a member: its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    text: Box<[u8]>,
    /// The text, if it is short, padded with zeros.
    filled: [u8; COPIED],
    /// First bytes of the text, and the mask of those that count.
    begin: u128,
    mask: u128,
}

impl Prefix {
    #[must_use]
    pub fn new(text: Box<[u8]>) -> Self {
        let mut filled = [0; COPIED];
        filled.iter_mut().zip(&text).for_each(|(to, from)| *to = *from);
        let (mut begin, mut mask) = ([0; COMPARED], [0; COMPARED]);
        begin.iter_mut().zip(&text).for_each(|(to, from)| *to = *from);
        mask.iter_mut().zip(&text).for_each(|(to, _)| *to = u8::MAX);
        let (begin, mask) = (u128::from_ne_bytes(begin), u128::from_ne_bytes(mask));
        Self { text, filled, begin, mask }
    }

    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    #[inline]
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        if self.text.len() <= COPIED {
            append(bytes, &self.filled, self.text.len());
        } else {
            bytes.extend_from_slice(&self.text);
        }
    }

    /// Whether a text begins with it.
    #[inline]
    #[must_use]
    pub fn begins(&self, text: &[u8]) -> bool {
        match text.first_chunk() {
            Some(begin) if self.text.len() <= COMPARED => {
                (u128::from_ne_bytes(*begin) ^ self.begin) & self.mask == 0
            }
            _ => text.starts_with(&self.text),
        }
    }
}

/// Appends a range of a text.
#[inline]
pub fn append_range(bytes: &mut Vec<u8>, text: &[u8], start: usize, end: usize) {
    let length = end.saturating_sub(start);
    match text.get(start..).and_then(<[u8]>::first_chunk) {
        Some(chunk) if length <= COPIED => append(bytes, chunk, length),
        _ => bytes.extend_from_slice(text.get(start..end).unwrap_or_default()),
    }
}

/// Appends the first bytes of a chunk.
#[inline]
fn append(bytes: &mut Vec<u8>, chunk: &[u8; COPIED], length: usize) {
    let end = bytes.len() + length;
    bytes.extend_from_slice(chunk);
    bytes.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_copied_and_found_whatever_their_length() {
        let long = "a text that is longer than what is copied or compared at once".as_bytes();
        for length in 0..long.len() {
            let prefix = Prefix::new(long[..length].into());
            for behind in [&b""[..], b"b", &[b'b'; 40]] {
                let text = [&long[..length], behind].concat();
                assert!(prefix.begins(&text));
                if length > 0 {
                    assert!(!prefix.begins(&text[1..]) && !prefix.begins(&text[..length - 1]));
                }
                let mut copies = b"before".to_vec();
                prefix.append_to(&mut copies);
                append_range(&mut copies, &text, length / 2, length);
                assert_eq!(
                    copies,
                    [b"before", &text[..length], &text[length / 2..length]].concat()
                );
            }
        }
    }
}
