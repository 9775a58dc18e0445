//! Text whose bounds of pages are filled in when they are known.

use std::fmt::Write as _;

use crate::tree::Bound;

/// A statement without the numbers that bound its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    text: Box<str>,
    /// Where each number belongs, in the order of the text.
    numbers: Box<[(usize, Bound)]>,
}

impl Bounded {
    /// The bytes that it keeps on the heap.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len() + size_of_val(&*self.numbers)
    }

    pub(super) fn new(text: String, numbers: Vec<(usize, Bound)>) -> Self {
        Self { text: text.into(), numbers: numbers.into() }
    }

    /// How many bytes it is long, at least.
    #[must_use]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether no page has a bound.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The statement with these numbers as its bounds.
    #[must_use]
    pub fn text(&self, bounds: impl Fn(Bound) -> u64) -> String {
        let mut out = String::with_capacity(self.text.len() + 8 * self.numbers.len());
        let mut written = 0;
        for (place, bound) in &self.numbers {
            out.push_str(self.text.get(written..*place).unwrap_or_default());
            // Writing to a string cannot fail.
            let _ = write!(out, "{}", bounds(*bound));
            written = *place;
        }
        out.push_str(self.text.get(written..).unwrap_or_default());
        out
    }
}
