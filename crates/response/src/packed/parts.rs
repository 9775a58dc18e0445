//! Parts of lists, structures and maps.

use super::{Malformed, Packed, read};

/// The unread elements of a list or fields of a structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elements<'a> {
    left: u32,
    /// Begins with the next element.
    rest: &'a [u8],
}

/// The unread entries of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entries<'a> {
    left: u32,
    /// Begins with the next key.
    rest: &'a [u8],
}

impl<'a> Elements<'a> {
    pub(super) fn new(left: u32, rest: &'a [u8]) -> Self {
        Self { left, rest }
    }

    /// The number of unread elements.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.left
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// The bytes from the next element on, or after the last one. More may follow.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Result<Packed<'a>, Malformed>;

    /// The next element. After malformed bytes nothing follows.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(match read(self.rest) {
            Ok((value, rest)) => {
                self.rest = rest;
                Ok(value)
            }
            Err(error) => {
                self.left = 0;
                Err(error)
            }
        })
    }
}

impl<'a> Entries<'a> {
    pub(super) fn new(left: u32, rest: &'a [u8]) -> Self {
        Self { left, rest }
    }

    /// The number of unread entries.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.left
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// The bytes from the key of the next entry on, or after the last one. More may follow.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.rest
    }

    /// The value of a key among the unread entries, the first one if there are several.
    pub fn find(&self, key: &[u8]) -> Result<Option<Packed<'a>>, Malformed> {
        for entry in *self {
            let (found, value) = entry?;
            if found == key {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn take_entry(&mut self) -> Result<(&'a [u8], Packed<'a>), Malformed> {
        let (Packed::Text(key), rest) = read(self.rest)? else { return Err(Malformed::Key) };
        let (value, rest) = read(rest)?;
        self.rest = rest;
        Ok((key, value))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(&'a [u8], Packed<'a>), Malformed>;

    /// The next entry. After malformed bytes nothing follows.
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.take_entry();
        if entry.is_err() {
            self.left = 0;
        }
        Some(entry)
    }
}
