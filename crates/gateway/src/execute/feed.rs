//! Readers of subgraph responses: JSON over HTTP, or values recorded by a source in this process.
//!
//! Both read forward, one value at a time, and the code that uses them is monomorphized for each.

use super::json::{Json, NoJson, Span};
use crate::plan::{Lead, Scalar};

/// Result of [`Feed::peek`] for a value that is stored as one JSON text, such as an array column of
/// a database. No JSON value begins with this byte.
pub(super) const WITHIN: u8 = b'.';

/// A forward reader of values. `'f` is the lifetime of the texts.
pub(super) trait Feed<'f> {
    fn at(&self) -> usize;

    fn go_to(&mut self, at: usize);

    /// Returns the first byte of the next value without consuming it.
    fn peek(&mut self) -> Result<u8, NoJson>;

    /// Consumes the start of an object or list; if it is empty consumes its end and returns
    /// `false`.
    fn begin(&mut self, open: u8, close: u8) -> Result<bool, NoJson>;

    /// Consumes the separator behind an element; at the end of the object or list consumes that and
    /// returns `false`.
    fn next(&mut self, close: u8) -> Result<bool, NoJson>;

    /// Consumes the name of a member if it is the given one.
    fn take_lead(&mut self, lead: &Lead) -> bool;

    /// Consumes the name of a member if it is `__typename`.
    fn take_typename(&mut self) -> bool;

    /// Consumes the name of a member and returns it in its escaped form.
    fn name(&mut self) -> Result<&'f [u8], NoJson>;

    /// Consumes a string and returns it in its escaped form, without quotes.
    fn quoted(&mut self) -> Result<&'f [u8], NoJson>;

    /// Consumes a null.
    fn null(&mut self) -> Result<(), NoJson>;

    /// Consumes a leaf that begins with `byte` and returns its span in the buffer. Returns `None`
    /// without consuming anything if the value does not fit the scalar.
    fn leaf(&mut self, scalar: Scalar, byte: u8) -> Result<Option<Span>, NoJson>;

    /// Consumes any value.
    fn skip(&mut self) -> Result<(), NoJson>;

    /// Returns a reader for a value for which `peek` returned [`WITHIN`]; consumes nothing.
    fn within(&self) -> Option<Json<'f>>;

    /// Returns all bytes, if equal bytes mean equal values.
    fn compared(&self) -> Option<&'f [u8]>;
}

impl<'f> Feed<'f> for Json<'f> {
    #[inline]
    fn at(&self) -> usize {
        Json::at(self)
    }

    #[inline]
    fn go_to(&mut self, at: usize) {
        Json::go_to(self, at);
    }

    #[inline]
    fn peek(&mut self) -> Result<u8, NoJson> {
        Json::peek(self)
    }

    #[inline]
    fn begin(&mut self, open: u8, close: u8) -> Result<bool, NoJson> {
        Json::begin(self, open, close)
    }

    #[inline]
    fn next(&mut self, close: u8) -> Result<bool, NoJson> {
        Json::next(self, close)
    }

    #[inline]
    fn take_lead(&mut self, lead: &Lead) -> bool {
        Json::take_lead(self, lead)
    }

    #[inline]
    fn take_typename(&mut self) -> bool {
        self.take(b"\"__typename\":")
    }

    #[inline]
    fn name(&mut self) -> Result<&'f [u8], NoJson> {
        Json::name(self)
    }

    #[inline]
    fn quoted(&mut self) -> Result<&'f [u8], NoJson> {
        let (start, end) = self.text()?;
        self.bytes().get(start + 1..end - 1).ok_or(NoJson)
    }

    #[inline]
    fn null(&mut self) -> Result<(), NoJson> {
        self.word().map(drop)
    }

    #[inline]
    fn leaf(&mut self, scalar: Scalar, byte: u8) -> Result<Option<Span>, NoJson> {
        let begin = Json::at(self);
        self.take_unfit();
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
        if self.take_unfit() {
            Json::go_to(self, begin);
            return Ok(None);
        }
        Ok(Some(span))
    }

    #[inline]
    fn skip(&mut self) -> Result<(), NoJson> {
        Json::skip(self).map(drop)
    }

    #[inline]
    fn within(&self) -> Option<Json<'f>> {
        None
    }

    #[inline]
    fn compared(&self) -> Option<&'f [u8]> {
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
