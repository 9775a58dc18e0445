//! Reader of recorded values from a source in this process: no text is parsed, since the source
//! records values in sequence, each with its field.

use response::{ShapeField, Token, TokenKind};

use super::json::{InvalidJson, Json, Span};
use super::tokens::{EMBEDDED_JSON, TokenReader, is_int};
use crate::plan::{Prefix, Scalar};

/// A cursor in a sequence of recorded tokens.
#[derive(Debug)]
pub(super) struct Tape<'t> {
    tokens: &'t [Token],
    texts: &'t [u8],
    /// All fields of the shape, by index.
    fields: &'t [ShapeField],
    /// By field: the member name it matched last, which is then not compared again.
    known: Vec<*const Prefix>,
    at: usize,
}

impl<'t> Tape<'t> {
    pub(super) fn new(tokens: &'t [Token], texts: &'t [u8], fields: &'t [ShapeField]) -> Self {
        let known = vec![std::ptr::null(); fields.len()];
        Self { tokens, texts, fields, known, at: 0 }
    }

    #[inline]
    fn token(&self) -> Result<&'t Token, InvalidJson> {
        self.tokens.get(self.at).ok_or(InvalidJson)
    }

    /// Name of the next member, as `"name":`.
    #[inline]
    fn key(&self) -> &'t [u8] {
        let token = self.tokens.get(self.at);
        let field = token.and_then(|token| self.fields.get(token.field as usize));
        field.map_or(&[], ShapeField::key)
    }

    /// Returns the next leaf.
    #[inline]
    fn text(&self) -> Result<(Span, &'t [u8]), InvalidJson> {
        let TokenKind::Leaf { start, end, .. } = self.token()?.kind else {
            return Err(InvalidJson);
        };
        let (start, end) = (start as usize, end as usize);
        Ok(((start, end), self.texts.get(start..end).ok_or(InvalidJson)?))
    }

    /// Consumes the end of an object or list, if it is next.
    #[inline]
    fn take_end(&mut self) -> bool {
        let is_end = self.tokens.get(self.at).is_some_and(|token| token.kind == TokenKind::End);
        self.at += usize::from(is_end);
        is_end
    }
}

impl<'t> TokenReader<'t> for Tape<'t> {
    #[inline]
    fn at(&self) -> usize {
        self.at
    }

    #[inline]
    fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    #[inline]
    fn peek(&mut self) -> Result<u8, InvalidJson> {
        match self.token()?.kind {
            TokenKind::Null => Ok(b'n'),
            TokenKind::Object => Ok(b'{'),
            TokenKind::List => Ok(b'['),
            TokenKind::Leaf { first: b'{' | b'[', .. } => Ok(EMBEDDED_JSON),
            TokenKind::Leaf { first, .. } => Ok(first),
            TokenKind::End => Err(InvalidJson),
        }
    }

    #[inline]
    fn begin(&mut self, open: u8, _: u8) -> Result<bool, InvalidJson> {
        match (open, self.token()?.kind) {
            (b'{', TokenKind::Object) | (b'[', TokenKind::List) => {
                self.at += 1;
                Ok(!self.take_end())
            }
            _ => Err(InvalidJson),
        }
    }

    #[inline]
    fn next(&mut self, _: u8) -> Result<bool, InvalidJson> {
        Ok(!self.take_end())
    }

    /// A value and its name are one token, so nothing is consumed.
    #[inline]
    fn take_prefix(&mut self, prefix: &Prefix) -> bool {
        let field = self.tokens.get(self.at).map_or(usize::MAX, |token| token.field as usize);
        if self.known.get(field).is_some_and(|known| std::ptr::eq(*known, prefix)) {
            return true;
        }
        let is_same = prefix.text() == self.key();
        if let Some(known) = self.known.get_mut(field).filter(|_| is_same) {
            *known = prefix;
        }
        is_same
    }

    #[inline]
    fn take_typename(&mut self) -> bool {
        self.key() == b"\"__typename\":"
    }

    #[inline]
    fn name(&mut self) -> Result<&'t [u8], InvalidJson> {
        let key = self.key();
        key.get(1..key.len().saturating_sub(2)).ok_or(InvalidJson)
    }

    #[inline]
    fn quoted(&mut self) -> Result<&'t [u8], InvalidJson> {
        let (_, text) = self.text()?;
        self.at += 1;
        text.get(1..text.len().saturating_sub(1)).ok_or(InvalidJson)
    }

    #[inline]
    fn null(&mut self) -> Result<(), InvalidJson> {
        self.at += 1;
        Ok(())
    }

    /// A source records valid JSON of its schema's types, which were compared with the supergraph.
    /// A value of another scalar is an error, as it is over HTTP.
    #[inline]
    fn leaf(&mut self, scalar: Scalar, byte: u8) -> Result<Option<Span>, InvalidJson> {
        let Ok((span, text)) = self.text() else { return Ok(None) };
        let fits = match (scalar, byte) {
            (Scalar::String | Scalar::Id | Scalar::Enum | Scalar::Any, b'"') => true,
            (Scalar::Float | Scalar::Any, b'-' | b'0'..=b'9') => true,
            (Scalar::Int | Scalar::Id, b'-' | b'0'..=b'9') => {
                let is_integer = text.iter().skip(1).all(u8::is_ascii_digit);
                is_integer && (scalar == Scalar::Id || is_int(text))
            }
            (Scalar::Boolean | Scalar::Any, b't' | b'f') => true,
            (Scalar::Any, EMBEDDED_JSON) => true,
            _ => false,
        };
        self.at += usize::from(fits);
        Ok(fits.then_some(span))
    }

    fn skip(&mut self) -> Result<(), InvalidJson> {
        let mut open = 0_usize;
        loop {
            match self.token()?.kind {
                TokenKind::Object | TokenKind::List => open += 1,
                TokenKind::End => open = open.checked_sub(1).ok_or(InvalidJson)?,
                TokenKind::Null | TokenKind::Leaf { .. } => {}
            }
            self.at += 1;
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn embedded_json(&self) -> Option<Json<'t>> {
        let ((start, _), _) = self.text().ok()?;
        // The text is one value, so the cursor never passes its end.
        let mut json = Json::new(self.texts);
        json.go_to(start);
        Some(json)
    }

    /// Leaves of equal objects have different offsets in the buffer.
    fn comparable_bytes(&self) -> Option<&'t [u8]> {
        None
    }
}
