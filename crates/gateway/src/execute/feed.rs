//! What answers are read from: JSON of subgraphs over HTTP, or the tape of a source in this process.
//!
//! Both are gone over from the front, a place at a time, and the reader is compiled once for each.

use super::json::{Json, NoJson, Span};
use crate::plan::{Lead, Scalar};

/// What [`Feed::peek`] gives where a value that has no place of its own within stands as one text of
/// JSON that has: a list or an object in a column, say. No JSON begins so.
pub(super) const WITHIN: u8 = b'.';

/// An answer, and a place in it. `'f` is how long its texts are there.
pub(super) trait Feed<'f> {
    fn at(&self) -> usize;

    fn go_to(&mut self, at: usize);

    /// The byte with which the next value begins; it is not gone over.
    fn peek(&mut self) -> Result<u8, NoJson>;

    /// Begins an object or a list; `false` if it is empty, and then it has ended.
    fn begin(&mut self, open: u8, close: u8) -> Result<bool, NoJson>;

    /// Goes on behind an element; `false` if the object or list has ended.
    fn next(&mut self, close: u8) -> Result<bool, NoJson>;

    /// Goes over how a member begins, if it is this one.
    fn take_lead(&mut self, lead: &Lead) -> bool;

    /// Goes over how the member begins that says an object's type.
    fn take_typename(&mut self) -> bool;

    /// Goes over how a member begins: its name, as it is written between its quotes.
    fn name(&mut self) -> Result<&'f [u8], NoJson>;

    /// Goes over a text: what is between its quotes.
    fn quoted(&mut self) -> Result<&'f [u8], NoJson>;

    /// Goes over a null.
    fn null(&mut self) -> Result<(), NoJson>;

    /// Goes over a leaf that begins with a byte: where its text stands in the buffer. `None` if it is
    /// another value; then nothing is gone over.
    fn leaf(&mut self, scalar: Scalar, byte: u8) -> Result<Option<Span>, NoJson>;

    /// Goes over any value.
    fn skip(&mut self) -> Result<(), NoJson>;

    /// The JSON of a value that stands as one text, by [`WITHIN`]; it is not gone over.
    fn within(&self) -> Option<Json<'f>>;

    /// All bytes of it, if equal ones are equal values.
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

/// Whether an integer has 32 bits.
pub(super) fn is_int(digits: &[u8]) -> bool {
    // Nine digits always do.
    const FEW: usize = 9;
    digits.len() <= FEW
        || std::str::from_utf8(digits).is_ok_and(|digits| digits.parse::<i32>().is_ok())
}
