//! Quoted texts, as PostgreSQL writes them within arrays, composite values, ranges and hstore.
//!
//! One rule covers all four: a backslash escapes a byte, and two quotes are one. Arrays and hstore
//! use the first only, and nothing in them begins with a quote right after one that ends.

/// A text between quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quoted<'a> {
    inside: &'a [u8],
    escaped: bool,
}

/// A field of a composite value or a bound of a range.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field<'a> {
    /// Nothing at all: null, or no bound.
    Empty,
    Plain(&'a [u8]),
    Quoted(Quoted<'a>),
}

impl<'a> Quoted<'a> {
    /// Reads the text after an opening quote, with the closing one.
    pub(super) fn take(text: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let mut escaped = false;
        let mut index = 0;
        loop {
            match (text.get(index)?, text.get(index + 1)) {
                (b'\\', _) | (b'"', Some(b'"')) => {
                    escaped = true;
                    index += 2;
                }
                (b'"', _) => {
                    let quoted = Self { inside: text.get(..index)?, escaped };
                    return Some((quoted, text.get(index + 1..)?));
                }
                _ => index += 1,
            }
        }
    }

    /// The unescaped text, in `scratch` if it differs.
    pub(super) fn unescape<'s>(&self, scratch: &'s mut Vec<u8>) -> &'s [u8]
    where
        'a: 's,
    {
        if !self.escaped {
            return self.inside;
        }
        scratch.clear();
        let mut bytes = self.inside.iter();
        while let Some(byte) = bytes.next() {
            let literal = match byte {
                b'\\' | b'"' => bytes.next(),
                _ => Some(byte),
            };
            scratch.extend(literal);
        }
        scratch
    }
}

impl<'a> Field<'a> {
    /// Reads a field up to one of the bytes that may follow it.
    pub(super) fn take(text: &'a [u8], ends: &[u8]) -> Option<(Self, &'a [u8])> {
        if let [b'"', rest @ ..] = text {
            let (quoted, rest) = Quoted::take(rest)?;
            return Some((Self::Quoted(quoted), rest));
        }
        let end = text.iter().position(|byte| ends.contains(byte))?;
        let (plain, rest) = text.split_at_checked(end)?;
        Some((if plain.is_empty() { Self::Empty } else { Self::Plain(plain) }, rest))
    }

    /// The unescaped text, in `scratch` if it differs; `None` if there is none.
    pub(super) fn text<'s>(&self, scratch: &'s mut Vec<u8>) -> Option<&'s [u8]>
    where
        'a: 's,
    {
        match self {
            Self::Empty => None,
            Self::Plain(plain) => Some(plain),
            Self::Quoted(quoted) => Some(quoted.unescape(scratch)),
        }
    }
}
