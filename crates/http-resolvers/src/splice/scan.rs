//! Scanner of JSON that this process wrote.

use super::{MARK, Unreadable};

/// A place in JSON. Values that nobody looks into are skipped without recursion.
pub(super) struct Scanner<'d> {
    data: &'d [u8],
    place: usize,
}

impl<'d> Scanner<'d> {
    pub(super) fn new(data: &'d [u8]) -> Self {
        Self { data, place: 0 }
    }

    pub(super) fn place(&self) -> usize {
        self.place
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.data.get(self.place).copied()
    }

    /// The number of the placeholder that begins here.
    pub(super) fn placeholder(&self) -> Option<usize> {
        let rest = self.data.get(self.place..)?.strip_prefix(b"{\"")?;
        let rest = rest.strip_prefix(MARK.as_bytes())?.strip_prefix(b"\":")?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
    }

    pub(super) fn open(&mut self, bracket: u8) -> Result<(), Unreadable> {
        match self.peek() == Some(bracket) {
            true => {
                self.place += 1;
                self.skip_space();
                Ok(())
            }
            false => Err(Unreadable),
        }
    }

    /// The key of the next member, whose value begins here then; `None` after the last one.
    pub(super) fn next_key(&mut self) -> Result<Option<&'d [u8]>, Unreadable> {
        if !self.next(b'}')? {
            return Ok(None);
        }
        let start = self.place;
        self.skip_string()?;
        let key = self.data.get(start + 1..self.place - 1).ok_or(Unreadable)?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(Unreadable);
        }
        self.place += 1;
        self.skip_space();
        Ok(Some(key))
    }

    /// Returns true if there is another element, which begins here then.
    pub(super) fn next_item(&mut self) -> Result<bool, Unreadable> {
        self.next(b']')
    }

    fn next(&mut self, end: u8) -> Result<bool, Unreadable> {
        self.skip_space();
        if self.peek() == Some(b',') {
            self.place += 1;
            self.skip_space();
        }
        match self.peek() {
            Some(byte) if byte == end => {
                self.place += 1;
                Ok(false)
            }
            Some(_) => Ok(true),
            None => Err(Unreadable),
        }
    }

    pub(super) fn skip_value(&mut self) -> Result<(), Unreadable> {
        let mut depth = 0_usize;
        loop {
            match self.peek().ok_or(Unreadable)? {
                b'"' => self.skip_string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.place += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1).ok_or(Unreadable)?;
                    self.place += 1;
                }
                b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' => self.place += 1,
                _ => self.skip_word(),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn skip_word(&mut self) {
        let rest = self.data.get(self.place..).unwrap_or_default();
        let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
        self.place += rest.iter().position(is_end).unwrap_or(rest.len());
    }

    fn skip_string(&mut self) -> Result<(), Unreadable> {
        if self.peek() != Some(b'"') {
            return Err(Unreadable);
        }
        self.place += 1;
        loop {
            match self.peek().ok_or(Unreadable)? {
                b'"' => {
                    self.place += 1;
                    return Ok(());
                }
                b'\\' => self.place += 2,
                _ => self.place += 1,
            }
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.place += 1;
        }
    }
}
