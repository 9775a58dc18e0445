//! Values written in PackStream's form, each in the shortest of its sizes, see
//! <https://neo4j.com/docs/bolt/current/packstream/>. They are read by [`response::packed`].

/// Values one behind the other. A list, a map or a structure is its head, and then its parts.
#[derive(Debug, Default)]
pub struct Pack {
    out: Vec<u8>,
    /// A text, a list or a map was longer than PackStream can express.
    is_too_long: bool,
}

impl Pack {
    #[must_use]
    pub fn new() -> Pack {
        Pack::default()
    }

    pub fn null(&mut self) {
        self.out.push(0xc0);
    }

    pub fn boolean(&mut self, value: bool) {
        self.out.push(if value { 0xc3 } else { 0xc2 });
    }

    pub fn integer(&mut self, value: i64) {
        // The first size that holds it; the smallest have no marker of their own.
        if let Ok(byte) = i8::try_from(value) {
            if byte < -16 {
                self.out.push(0xc8);
            }
            self.out.extend_from_slice(&byte.to_be_bytes());
        } else if let Ok(value) = i16::try_from(value) {
            self.out.push(0xc9);
            self.out.extend_from_slice(&value.to_be_bytes());
        } else if let Ok(value) = i32::try_from(value) {
            self.out.push(0xca);
            self.out.extend_from_slice(&value.to_be_bytes());
        } else {
            self.out.push(0xcb);
            self.out.extend_from_slice(&value.to_be_bytes());
        }
    }

    pub fn float(&mut self, value: f64) {
        self.out.push(0xc1);
        self.out.extend_from_slice(&value.to_be_bytes());
    }

    pub fn text(&mut self, text: &str) {
        self.head(text.len(), Some(0x80), [0xd0, 0xd1, 0xd2]);
        self.out.extend_from_slice(text.as_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.head(bytes.len(), None, [0xcc, 0xcd, 0xce]);
        self.out.extend_from_slice(bytes);
    }

    /// Begins a list of this number of values.
    pub fn list(&mut self, length: usize) {
        self.head(length, Some(0x90), [0xd4, 0xd5, 0xd6]);
    }

    /// Begins a map of this number of entries: a text and a value each.
    pub fn map(&mut self, length: usize) {
        self.head(length, Some(0xa0), [0xd8, 0xd9, 0xda]);
    }

    /// Begins a structure of this number of values, at most 15.
    pub fn structure(&mut self, tag: u8, fields: u8) {
        self.is_too_long |= fields > 0x0f;
        self.out.extend_from_slice(&[0xb0 | fields & 0x0f, tag]);
    }

    /// A value that is packed already, or several.
    pub fn raw(&mut self, packed: &[u8]) {
        self.out.extend_from_slice(packed);
    }

    /// The packed bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.out
    }

    /// Clears the bytes and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Whether a value could not be expressed, so that the bytes are invalid.
    pub(super) fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Truncates to this number of bytes.
    pub(super) fn truncate(&mut self, length: usize) {
        self.out.truncate(length);
        self.is_too_long = false;
    }

    /// Writes a length, by its markers for up to 15 (in the marker itself), and for lengths of one,
    /// two and four bytes.
    fn head(&mut self, length: usize, tiny: Option<u8>, markers: [u8; 3]) {
        let [one, two, four] = markers;
        match (u8::try_from(length), tiny) {
            (Ok(length @ ..=0x0f), Some(tiny)) => self.out.push(tiny | length),
            (Ok(length), _) => self.out.extend_from_slice(&[one, length]),
            (Err(_), _) => {
                if let Ok(length) = u16::try_from(length) {
                    self.out.push(two);
                    self.out.extend_from_slice(&length.to_be_bytes());
                } else {
                    // More than 4 GiB cannot be expressed.
                    self.is_too_long |= u32::try_from(length).is_err();
                    let length = u32::try_from(length).unwrap_or(u32::MAX);
                    self.out.push(four);
                    self.out.extend_from_slice(&length.to_be_bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use response::packed::{Packed, read};

    use super::*;

    /// Compares the written bytes, and the values read back.
    fn check(write: impl Fn(&mut Pack), bytes: &[u8], expected: Packed<'_>) {
        let mut pack = Pack::new();
        write(&mut pack);
        assert_eq!(pack.as_bytes(), bytes);
        assert_eq!(read(bytes), Ok((expected, &b""[..])));
        assert!(!pack.is_too_long());
    }

    #[test]
    fn scalars_have_their_shortest_forms() {
        check(Pack::null, b"\xc0", Packed::Null);
        check(|pack| pack.boolean(true), b"\xc3", Packed::Boolean(true));
        check(|pack| pack.boolean(false), b"\xc2", Packed::Boolean(false));
        check(|pack| pack.float(1.5), b"\xc1\x3f\xf8\0\0\0\0\0\0", Packed::Float(1.5));
        let integers: [(i64, &[u8]); 14] = [
            (0, b"\x00"),
            (127, b"\x7f"),
            (-16, b"\xf0"),
            (-17, b"\xc8\xef"),
            (-128, b"\xc8\x80"),
            (128, b"\xc9\x00\x80"),
            (-129, b"\xc9\xff\x7f"),
            (32_767, b"\xc9\x7f\xff"),
            (32_768, b"\xca\x00\x00\x80\x00"),
            (-32_769, b"\xca\xff\xff\x7f\xff"),
            (2_147_483_647, b"\xca\x7f\xff\xff\xff"),
            (2_147_483_648, b"\xcb\0\0\0\0\x80\0\0\0"),
            (i64::MIN, b"\xcb\x80\0\0\0\0\0\0\0"),
            (i64::MAX, b"\xcb\x7f\xff\xff\xff\xff\xff\xff\xff"),
        ];
        for (integer, bytes) in integers {
            check(|pack| pack.integer(integer), bytes, Packed::Integer(integer));
        }
    }

    #[test]
    fn lengths_grow_with_what_they_are_of() {
        check(|pack| pack.text(""), b"\x80", Packed::Text(b""));
        check(|pack| pack.text("é"), b"\x82\xc3\xa9", Packed::Text("é".as_bytes()));
        check(|pack| pack.bytes(&[]), b"\xcc\x00", Packed::Bytes(&[]));
        check(|pack| pack.bytes(&[1]), b"\xcc\x01\x01", Packed::Bytes(&[1]));
        let heads: [(usize, &[u8]); 6] = [
            (15, b"\x8f"),
            (16, b"\xd0\x10"),
            (255, b"\xd0\xff"),
            (256, b"\xd1\x01\x00"),
            (65_535, b"\xd1\xff\xff"),
            (65_536, b"\xd2\x00\x01\x00\x00"),
        ];
        for (length, head) in heads {
            let text = "a".repeat(length);
            let bytes = [head, text.as_bytes()].concat();
            check(|pack| pack.text(&text), &bytes, Packed::Text(text.as_bytes()));
        }
        let written = |write: &dyn Fn(&mut Pack)| {
            let mut pack = Pack::new();
            write(&mut pack);
            pack.as_bytes().to_vec()
        };
        assert_eq!(written(&|pack| pack.list(15)), b"\x9f");
        assert_eq!(written(&|pack| pack.list(16)), b"\xd4\x10");
        assert_eq!(written(&|pack| pack.list(70_000)), b"\xd6\x00\x01\x11\x70");
        assert_eq!(written(&|pack| pack.map(1)), b"\xa1");
        assert_eq!(written(&|pack| pack.map(300)), b"\xd9\x01\x2c");
        assert_eq!(written(&|pack| pack.structure(b'D', 1)), b"\xb1D");
    }

    #[test]
    fn parts_follow_their_heads() {
        let mut inner = Pack::new();
        inner.integer(2);
        let mut pack = Pack::new();
        pack.map(1);
        pack.text("a");
        pack.list(2);
        pack.integer(1);
        pack.raw(inner.as_bytes());
        assert_eq!(pack.as_bytes(), b"\xa1\x81a\x92\x01\x02");
        pack.clear();
        assert!(pack.as_bytes().is_empty());
    }

    #[test]
    fn what_cannot_be_said_is_noticed() {
        let mut pack = Pack::new();
        pack.list(usize::MAX);
        assert!(pack.is_too_long());
        pack.clear();
        pack.structure(b'x', 16);
        assert!(pack.is_too_long());
    }
}
