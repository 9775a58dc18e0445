//! The marker of a value, with the data to locate its parts.

use super::Malformed;

/// A value without its parts; they follow it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Head<'a> {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Bytes(&'a [u8]),
    Text(&'a [u8]),
    List(u32),
    /// So many keys, each followed by its value.
    Map(u32),
    Structure {
        tag: u8,
        count: u32,
    },
}

/// The head that the bytes begin with, and the bytes behind it.
#[inline]
pub(super) fn read(bytes: &[u8]) -> Result<(Head<'_>, &[u8]), Malformed> {
    let (marker, rest) = bytes.split_first().ok_or(Malformed::Short)?;
    let low = u32::from(marker & 0x0f);
    match marker {
        0x00..=0x7f => Ok((Head::Integer(i64::from(*marker)), rest)),
        0x80..=0x8f => text(low, rest),
        0x90..=0x9f => Ok((Head::List(low), rest)),
        0xa0..=0xaf => Ok((Head::Map(low), rest)),
        0xb0..=0xbf => {
            let ([tag], rest) = take(rest)?;
            Ok((Head::Structure { tag: *tag, count: low }, rest))
        }
        0xf0..=0xff => Ok((Head::Integer(i64::from(marker.cast_signed())), rest)),
        0xc0 => Ok((Head::Null, rest)),
        0xc1 => take(rest).map(|(float, rest)| (Head::Float(f64::from_be_bytes(*float)), rest)),
        0xc2 => Ok((Head::Boolean(false), rest)),
        0xc3 => Ok((Head::Boolean(true), rest)),
        0xc8 => integer(rest, |byte| i64::from(i8::from_be_bytes(byte))),
        0xc9 => integer(rest, |bytes| i64::from(i16::from_be_bytes(bytes))),
        0xca => integer(rest, |bytes| i64::from(i32::from_be_bytes(bytes))),
        0xcb => integer(rest, i64::from_be_bytes),
        0xcc..=0xce => {
            let (length, rest) = length(marker - 0xcc, rest)?;
            let (bytes, rest) = split(length, rest)?;
            Ok((Head::Bytes(bytes), rest))
        }
        0xd0..=0xd2 => {
            let (length, rest) = length(marker - 0xd0, rest)?;
            text(length, rest)
        }
        0xd4..=0xd6 => length(marker - 0xd4, rest).map(|(count, rest)| (Head::List(count), rest)),
        0xd8..=0xda => length(marker - 0xd8, rest).map(|(count, rest)| (Head::Map(count), rest)),
        _ => Err(Malformed::Marker(*marker)),
    }
}

fn integer<const N: usize>(
    bytes: &[u8],
    of: impl Fn([u8; N]) -> i64,
) -> Result<(Head<'_>, &[u8]), Malformed> {
    take(bytes).map(|(digits, rest)| (Head::Integer(of(*digits)), rest))
}

fn text(length: u32, bytes: &[u8]) -> Result<(Head<'_>, &[u8]), Malformed> {
    split(length, bytes).map(|(text, rest)| (Head::Text(text), rest))
}

/// A length of one, two or four bytes: `size` is its exponent, from 0.
fn length(size: u8, bytes: &[u8]) -> Result<(u32, &[u8]), Malformed> {
    match size {
        0 => take(bytes).map(|([length], rest)| (u32::from(*length), rest)),
        1 => take(bytes).map(|(length, rest)| (u32::from(u16::from_be_bytes(*length)), rest)),
        _ => take(bytes).map(|(length, rest)| (u32::from_be_bytes(*length), rest)),
    }
}

fn take<const N: usize>(bytes: &[u8]) -> Result<(&[u8; N], &[u8]), Malformed> {
    bytes.split_first_chunk().ok_or(Malformed::Short)
}

fn split(length: u32, bytes: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    usize::try_from(length)
        .ok()
        .and_then(|length| bytes.split_at_checked(length))
        .ok_or(Malformed::Short)
}
