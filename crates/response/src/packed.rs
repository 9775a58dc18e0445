//! Zero-copy reader of PackStream, the encoding of Neo4j's values.
//!
//! [`read`] returns one value and the bytes after it, [`begin`] the value alone without searching
//! for its end, which is cheaper for lists, maps and structures; [`skip`] searches for the end
//! only. None of them allocates or recurses: deep or endless values cost no more than their bytes.
//!
//! <https://neo4j.com/docs/bolt/current/packstream/>

mod head;
mod parts;

pub use parts::{Elements, Entries};

use head::Head;

/// A value whose texts and parts borrow from the bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Packed<'a> {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Bytes(&'a [u8]),
    /// Not validated as UTF-8.
    Text(&'a [u8]),
    List(Elements<'a>),
    Map(Entries<'a>),
    Structure {
        tag: u8,
        fields: Elements<'a>,
    },
}

/// Bytes that are not PackStream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("a value ends before its last byte")]
    Short,
    #[error("no value begins with the byte {0:#04x}")]
    Marker(u8),
    #[error("the key of a map's entry is not a text")]
    Key,
}

/// The value that the bytes begin with, and the bytes behind it.
#[inline]
pub fn read(bytes: &[u8]) -> Result<(Packed<'_>, &[u8]), Malformed> {
    let (head, rest) = head::read(bytes)?;
    let behind = match head {
        Head::List(count) | Head::Structure { count, .. } => skip_all(u64::from(count), rest)?,
        Head::Map(count) => skip_all(u64::from(count) * 2, rest)?,
        _ => rest,
    };
    Ok((Packed::of(head, rest), behind))
}

/// The value that the bytes begin with.
#[inline]
pub fn begin(bytes: &[u8]) -> Result<Packed<'_>, Malformed> {
    head::read(bytes).map(|(head, rest)| Packed::of(head, rest))
}

/// The bytes after the value that the bytes begin with.
#[inline]
pub fn skip(bytes: &[u8]) -> Result<&[u8], Malformed> {
    skip_all(1, bytes)
}

/// The bytes after so many values.
fn skip_all(mut values: u64, mut bytes: &[u8]) -> Result<&[u8], Malformed> {
    while values > 0 {
        let (head, rest) = head::read(bytes)?;
        bytes = rest;
        values -= 1;
        match head {
            Head::List(count) | Head::Structure { count, .. } => values += u64::from(count),
            Head::Map(count) => values += u64::from(count) * 2,
            Head::Null
            | Head::Boolean(_)
            | Head::Integer(_)
            | Head::Float(_)
            | Head::Bytes(_)
            | Head::Text(_) => {}
        }
    }
    Ok(bytes)
}

impl<'a> Packed<'a> {
    fn of(head: Head<'a>, rest: &'a [u8]) -> Self {
        match head {
            Head::Null => Packed::Null,
            Head::Boolean(boolean) => Packed::Boolean(boolean),
            Head::Integer(integer) => Packed::Integer(integer),
            Head::Float(float) => Packed::Float(float),
            Head::Bytes(bytes) => Packed::Bytes(bytes),
            Head::Text(text) => Packed::Text(text),
            Head::List(count) => Packed::List(Elements::new(count, rest)),
            Head::Map(count) => Packed::Map(Entries::new(count, rest)),
            Head::Structure { tag, count } => {
                Packed::Structure { tag, fields: Elements::new(count, rest) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints a value, its parts one by one.
    fn show(value: Packed<'_>) -> String {
        let list = |elements: Elements<'_>| {
            let elements: Result<Vec<_>, _> = elements.map(|value| value.map(show)).collect();
            elements.map_or_else(|error| error.to_string(), |shown| shown.join(" "))
        };
        match value {
            Packed::Null => "null".to_owned(),
            Packed::Boolean(boolean) => boolean.to_string(),
            Packed::Integer(integer) => integer.to_string(),
            Packed::Float(float) => format!("{float:?}"),
            Packed::Bytes(bytes) => format!("{bytes:?}"),
            Packed::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
            Packed::List(elements) => format!("[{}]", list(elements)),
            Packed::Map(entries) => {
                let entries: Result<Vec<_>, _> = entries
                    .map(|entry| {
                        let (key, value) = entry?;
                        Ok::<_, Malformed>(format!(
                            "{}: {}",
                            String::from_utf8_lossy(key),
                            show(value)
                        ))
                    })
                    .collect();
                let shown = entries.map_or_else(|error| error.to_string(), |all| all.join(", "));
                format!("{{{shown}}}")
            }
            Packed::Structure { tag, fields } => format!("{}({})", char::from(tag), list(fields)),
        }
    }

    /// Checks the value with all three functions, independent of the bytes after it.
    fn check(bytes: &[u8], expect: &str) {
        for behind in [b"".as_slice(), b"\xc3more"] {
            let all = [bytes, behind].concat();
            let (value, rest) = read(&all).unwrap();
            assert_eq!(show(value), expect);
            assert_eq!(rest, behind);
            assert_eq!(skip(&all), Ok(behind));
            assert_eq!(begin(&all), Ok(value));
        }
        for end in 0..bytes.len() {
            assert_eq!(skip(&bytes[..end]), Err(Malformed::Short));
            assert_eq!(read(&bytes[..end]), Err(Malformed::Short));
        }
    }

    #[test]
    fn values_without_parts_are_read_in_each_of_their_sizes() {
        check(b"\xc0", "null");
        check(b"\xc2", "false");
        check(b"\xc3", "true");
        check(b"\x00", "0");
        check(b"\x7f", "127");
        check(b"\xf0", "-16");
        check(b"\xff", "-1");
        check(b"\xc8\xef", "-17");
        check(b"\xc9\x80\x00", "-32768");
        check(b"\xca\x7f\xff\xff\xff", "2147483647");
        check(b"\xcb\x80\0\0\0\0\0\0\0", "-9223372036854775808");
        check(b"\xc1\x3f\xf8\0\0\0\0\0\0", "1.5");
        check(b"\xcc\x02\x01\xff", "[1, 255]");
        check(b"\xcd\x00\x01\x07", "[7]");
        check(b"\xce\0\0\0\0", "[]");
        check(b"\x80", "\"\"");
        check(b"\x82\xc3\xa9", "\"é\"");
        check(b"\xd0\x02ab", "\"ab\"");
        check(b"\xd1\x00\x01a", "\"a\"");
        check(b"\xd2\0\0\0\x03abc", "\"abc\"");
    }

    #[test]
    fn values_with_parts_are_read_part_by_part() {
        check(b"\x90", "[]");
        check(b"\x93\x01\x92\x02\x81a\xc0", "[1 [2 \"a\"] null]");
        check(b"\xd4\x01\x07", "[7]");
        check(b"\xd5\x00\x01\x07", "[7]");
        check(b"\xd6\0\0\0\x02\x07\x08", "[7 8]");
        check(b"\xa0", "{}");
        check(b"\xa2\x81a\x01\x81b\x91\x02", "{a: 1, b: [2]}");
        check(b"\xd8\x01\x81a\x01", "{a: 1}");
        check(b"\xd9\x00\x01\x81a\x01", "{a: 1}");
        check(b"\xda\0\0\0\x01\x81a\x01", "{a: 1}");
        check(b"\xb1D\xc9\x4e\x20", "D(20000)");
        check(b"\xb2\x71\x90\xa1\x81a\xb0x", "q([] {a: x()})");
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for marker in (0xc4..=0xc7).chain([0xcf, 0xd3, 0xd7]).chain(0xdb..=0xef) {
            let refused = Err(Malformed::Marker(marker));
            assert_eq!(read(&[marker, 0, 0, 0, 0]).map(drop), refused);
            assert_eq!(skip(&[0x91, marker, 0, 0, 0, 0]).map(drop), refused);
        }
        let Ok(Packed::Map(mut entries)) = begin(b"\xa2\x01\x02\x81a\x01") else { panic!() };
        assert_eq!(entries.next(), Some(Err(Malformed::Key)));
        assert_eq!(entries.next(), None);
        let Ok(Packed::List(mut elements)) = begin(b"\x92\xc4\x01") else { panic!() };
        assert_eq!(elements.next(), Some(Err(Malformed::Marker(0xc4))));
        assert_eq!(elements.next(), None);
    }

    #[test]
    fn depth_and_lengths_that_are_lies_cost_nothing() {
        let deep = vec![0x91; 1 << 20];
        assert_eq!(read(&deep), Err(Malformed::Short));
        assert_eq!(skip(b"\xd6\xff\xff\xff\xff\x01"), Err(Malformed::Short));
        assert_eq!(skip(b"\xda\xff\xff\xff\xff\x81a"), Err(Malformed::Short));
        assert_eq!(skip(b"\xd2\xff\xff\xff\xffabc"), Err(Malformed::Short));
    }

    #[test]
    fn parts_are_counted_and_found() {
        let list = b"\x93\x01\x92\x02\x03\x04";
        let Ok(Packed::List(mut elements)) = begin(list) else { panic!() };
        assert_eq!((elements.len(), elements.is_empty()), (3, false));
        assert_eq!(elements.next(), Some(Ok(Packed::Integer(1))));
        assert_eq!(elements.bytes(), b"\x92\x02\x03\x04");
        assert!(matches!(elements.next(), Some(Ok(Packed::List(_)))));
        assert_eq!((elements.len(), elements.bytes()), (1, b"\x04".as_slice()));
        assert_eq!(elements.next(), Some(Ok(Packed::Integer(4))));
        assert_eq!((elements.next(), elements.is_empty()), (None, true));
        let map = b"\xa3\x81a\x01\x81b\x02\x81a\x03";
        let Ok(Packed::Map(entries)) = begin(map) else { panic!() };
        assert_eq!((entries.len(), entries.is_empty()), (3, false));
        assert_eq!(entries.find(b"b"), Ok(Some(Packed::Integer(2))));
        assert_eq!(entries.find(b"a"), Ok(Some(Packed::Integer(1))));
        assert_eq!(entries.find(b"c"), Ok(None));
    }
}
