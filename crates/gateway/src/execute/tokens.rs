//! Readers of subgraph responses: JSON over HTTP, or values recorded by a source in this process.
//!
//! Both read forward, one value at a time, and the code that uses them is monomorphized for each.

use super::json::{InvalidJson, Json, Span};
use crate::plan::{Prefix, Scalar};

/// Result of [`TokenReader::peek`] for a value that is stored as one JSON text, such as an array column of
/// a database. No JSON value begins with this byte.
pub(super) const EMBEDDED_JSON: u8 = b'.';

/// A forward reader of values. `'f` is the lifetime of the texts.
pub(super) trait TokenReader<'f> {
    fn at(&self) -> usize;

    fn go_to(&mut self, at: usize);

    /// Returns the first byte of the next value without consuming it.
    fn peek(&mut self) -> Result<u8, InvalidJson>;

    /// Consumes the start of an object or list; if it is empty consumes its end and returns
    /// `false`.
    fn begin(&mut self, open: u8, close: u8) -> Result<bool, InvalidJson>;

    /// Consumes the separator behind an element; at the end of the object or list consumes that and
    /// returns `false`.
    fn next(&mut self, close: u8) -> Result<bool, InvalidJson>;

    /// Consumes the name of a member if it is the given one.
    fn take_prefix(&mut self, prefix: &Prefix) -> bool;

    /// Consumes the name of a member if it is `__typename`.
    fn take_typename(&mut self) -> bool;

    /// Consumes the name of a member and returns it in its escaped form.
    fn name(&mut self) -> Result<&'f [u8], InvalidJson>;

    /// Consumes a string and returns it in its escaped form, without quotes.
    fn quoted(&mut self) -> Result<&'f [u8], InvalidJson>;

    /// Consumes a null.
    fn null(&mut self) -> Result<(), InvalidJson>;

    /// Consumes a leaf that begins with `byte` and returns its span in the buffer. Returns `None`
    /// without consuming anything if the value does not fit the scalar.
    fn leaf(&mut self, scalar: Scalar, byte: u8) -> Result<Option<Span>, InvalidJson>;

    /// Consumes any value.
    fn skip(&mut self) -> Result<(), InvalidJson>;

    /// Returns a reader for a value for which `peek` returned [`EMBEDDED_JSON`]; consumes nothing.
    fn embedded_json(&self) -> Option<Json<'f>>;

    /// Returns all bytes, if equal bytes mean equal values.
    fn comparable_bytes(&self) -> Option<&'f [u8]>;
}

impl<'f> TokenReader<'f> for Json<'f> {
    #[inline]
    fn at(&self) -> usize {
        Json::at(self)
    }

    #[inline]
    fn go_to(&mut self, at: usize) {
        Json::go_to(self, at);
    }

    #[inline]
    fn peek(&mut self) -> Result<u8, InvalidJson> {
        Json::peek(self)
    }

    #[inline]
    fn begin(&mut self, open: u8, close: u8) -> Result<bool, InvalidJson> {
        Json::begin(self, open, close)
    }

    #[inline]
    fn next(&mut self, close: u8) -> Result<bool, InvalidJson> {
        Json::next(self, close)
    }

    #[inline]
    fn take_prefix(&mut self, prefix: &Prefix) -> bool {
        Json::take_prefix(self, prefix)
    }

    #[inline]
    fn take_typename(&mut self) -> bool {
        self.take(b"\"__typename\":")
    }

    #[inline]
    fn name(&mut self) -> Result<&'f [u8], InvalidJson> {
        Json::name(self)
    }

    #[inline]
    fn quoted(&mut self) -> Result<&'f [u8], InvalidJson> {
        let (start, end) = self.text()?;
        self.bytes().get(start + 1..end - 1).ok_or(InvalidJson)
    }

    #[inline]
    fn null(&mut self) -> Result<(), InvalidJson> {
        self.word().map(drop)
    }

    #[inline]
    fn leaf(&mut self, scalar: Scalar, byte: u8) -> Result<Option<Span>, InvalidJson> {
        let begin = Json::at(self);
        self.take_unsendable();
        let span = match (scalar, byte) {
            (Scalar::String | Scalar::Id | Scalar::Enum | Scalar::Any, b'"') => self.text_here()?,
            (Scalar::Float | Scalar::Any, b'-' | b'0'..=b'9') => self.number()?.0,
            (Scalar::Int | Scalar::Id, b'-' | b'0'..=b'9') => {
                let ((start, end), is_integer) = self.number()?;
                let digits = self.bytes().get(start..end).unwrap_or_default();
                if !is_integer || (scalar == Scalar::Int && !is_int(digits)) {
                    Json::go_to(self, begin);
                    return Ok(None);
                }
                (start, end)
            }
            (Scalar::Boolean | Scalar::Any, b't' | b'f') => self.word()?,
            (Scalar::Any, b'[' | b'{') => Json::skip(self)?,
            _ => return Ok(None),
        };
        if self.take_unsendable() {
            Json::go_to(self, begin);
            return Ok(None);
        }
        Ok(Some(span))
    }

    #[inline]
    fn skip(&mut self) -> Result<(), InvalidJson> {
        Json::skip(self).map(drop)
    }

    #[inline]
    fn embedded_json(&self) -> Option<Json<'f>> {
        None
    }

    #[inline]
    fn comparable_bytes(&self) -> Option<&'f [u8]> {
        Some(self.bytes())
    }
}

/// Whether an integer fits 32 bits.
pub(super) fn is_int(digits: &[u8]) -> bool {
    // Any nine digits do.
    const FEW: usize = 9;
    digits.len() <= FEW
        || std::str::from_utf8(digits).is_ok_and(|digits| digits.parse::<i32>().is_ok())
}
