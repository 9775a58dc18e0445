//! LIKE patterns, matched in time linear in the text.
//!
//! SQLite compares a pattern at every place of a text: a text of a megabyte and a pattern of fifty
//! thousand letters take minutes, in one call that cannot be interrupted. Here the parts between
//! two `%` are searched one after the other, each at its earliest place: parts without `_` by
//! [`memmem`], others by the bits of <https://en.wikipedia.org/wiki/Bitap_algorithm>.
//!
//! The first part is compared with the beginning of the text, the last one with its end.

use memchr::memmem::Finder;
use rusqlite::Error;
use rustc_hash::FxHashMap;

use super::interrupt::Work;

/// A pattern with `%`, `_` and `\` as its escape, ready to be matched.
#[derive(Debug)]
pub(super) struct Pattern {
    first: Part,
    /// The parts between two `%`; none is empty.
    middle: Vec<Part>,
    /// The part after the last `%`; `None`: there is no `%`.
    last: Option<Part>,
}

/// A part between two `%`.
#[derive(Debug)]
enum Part {
    Text(Box<Finder<'static>>),
    Letters(Letters),
}

/// A text with letters that may be any.
#[derive(Debug)]
struct Letters {
    /// `None`: any letter.
    letters: Box<[Option<char>]>,
    /// A row for each different letter, after that of all others: a bit for each place where the
    /// letter may stand. None where the part is longer than any that is allowed by default.
    rows: Vec<u64>,
    /// The rows of the letters of ASCII, by their numbers.
    ascii: Box<[u16; 128]>,
    others: FxHashMap<char, u16>,
}

/// Bytes of a text that are searched between two checks of the interrupt.
const WINDOW: usize = 16 << 10;

/// The longest part whose letters have rows of bits: 2 MiB at most.
const LONGEST_ROW: usize = 4_096;

impl Pattern {
    /// Reads a pattern; `None` if it ends in its escape, and matches nothing.
    pub(super) fn read(pattern: &str) -> Option<Self> {
        let mut parts = vec![Vec::new()];
        let mut letters = pattern.chars();
        while let Some(letter) = letters.next() {
            let unit = match letter {
                '%' => {
                    parts.push(Vec::new());
                    continue;
                }
                '_' => None,
                '\\' => Some(letters.next()?),
                letter => Some(letter),
            };
            if let Some(part) = parts.last_mut() {
                part.push(unit);
            }
        }
        let last = if parts.len() > 1 { parts.pop() } else { None };
        let mut parts = parts.into_iter();
        let first = Part::new(parts.next().unwrap_or_default());
        let middle = parts.filter(|part| !part.is_empty()).map(Part::new).collect();
        Some(Self { first, middle, last: last.map(Part::new) })
    }

    /// Whether a text matches.
    pub(super) fn matches(&self, text: &str, work: &mut Work<'_>) -> Result<bool, Error> {
        let Some(mut rest) = self.first.after_beginning(text, work)? else { return Ok(false) };
        let Some(last) = &self.last else { return Ok(rest.is_empty()) };
        let Some(before_last) = last.before_end(rest, work)? else { return Ok(false) };
        rest = before_last;
        for part in &self.middle {
            match part.after_first(rest, work)? {
                Some(after) => rest = after,
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl Part {
    fn new(letters: Vec<Option<char>>) -> Self {
        match letters.iter().copied().collect::<Option<String>>() {
            Some(text) => Self::Text(Box::new(Finder::new(text.as_bytes()).into_owned())),
            None => Self::Letters(Letters::new(letters)),
        }
    }

    /// The rest of a text that begins with it.
    fn after_beginning<'t>(
        &self,
        text: &'t str,
        work: &mut Work<'_>,
    ) -> Result<Option<&'t str>, Error> {
        match self {
            Self::Text(finder) => {
                let part = finder.needle();
                work.spend(part.len().min(text.len()))?;
                Ok(text.as_bytes().starts_with(part).then(|| &text[part.len()..]))
            }
            Self::Letters(own) => own.after_beginning(text, work),
        }
    }

    /// The beginning of a text that ends with it.
    fn before_end<'t>(&self, text: &'t str, work: &mut Work<'_>) -> Result<Option<&'t str>, Error> {
        match self {
            Self::Text(finder) => {
                let part = finder.needle();
                work.spend(part.len().min(text.len()))?;
                let is_end = text.as_bytes().ends_with(part);
                Ok(is_end.then(|| &text[..text.len() - part.len()]))
            }
            Self::Letters(own) => {
                let mut rest = text.chars();
                for expected in own.letters.iter().rev() {
                    work.spend(1)?;
                    match (rest.next_back(), expected) {
                        (None, _) => return Ok(None),
                        (Some(found), Some(letter)) if found != *letter => return Ok(None),
                        (Some(_), _) => {}
                    }
                }
                Ok(Some(rest.as_str()))
            }
        }
    }

    /// The rest of a text after the part's first match.
    fn after_first<'t>(
        &self,
        text: &'t str,
        work: &mut Work<'_>,
    ) -> Result<Option<&'t str>, Error> {
        match self {
            Self::Text(finder) => after_text(finder, text, work),
            Self::Letters(own) => own.after_first(text, work),
        }
    }
}

fn after_text<'t>(
    finder: &Finder<'_>,
    text: &'t str,
    work: &mut Work<'_>,
) -> Result<Option<&'t str>, Error> {
    let (bytes, length) = (text.as_bytes(), finder.needle().len());
    // Windows overlap by the length of a match.
    let step = WINDOW.max(length);
    let mut from = 0;
    loop {
        let to = bytes.len().min(from + step + length - 1);
        if let Some(place) = finder.find(&bytes[from..to]) {
            work.spend(place + length)?;
            return Ok(Some(&text[from + place + length..]));
        }
        work.spend(to - from)?;
        if to == bytes.len() {
            return Ok(None);
        }
        from += step;
    }
}

impl Letters {
    fn new(letters: Vec<Option<char>>) -> Self {
        let words = letters.len().div_ceil(64);
        let mut ascii = Box::new([0; 128]);
        let mut others = FxHashMap::default();
        if letters.len() > LONGEST_ROW {
            return Self { letters: letters.into(), rows: Vec::new(), ascii, others };
        }
        let mut rows = vec![0; words];
        let mut different = 0_u16;
        for letter in letters.iter().flatten() {
            let row = match ascii.get_mut(*letter as usize) {
                Some(row) => row,
                None => others.entry(*letter).or_insert(0),
            };
            if *row == 0 {
                different += 1;
                *row = different;
                rows.extend(std::iter::repeat_n(0, words));
            }
        }
        let mut own = Self { letters: letters.into(), rows, ascii, others };
        for (place, letter) in own.letters.iter().enumerate() {
            let (word, bit) = (place / 64, 1 << (place % 64));
            match letter {
                Some(letter) => {
                    let row = usize::from(own.row(*letter));
                    own.rows[row * words + word] |= bit;
                }
                None => own.rows.chunks_mut(words).for_each(|row| row[word] |= bit),
            }
        }
        own
    }

    fn row(&self, letter: char) -> u16 {
        match self.ascii.get(letter as usize) {
            Some(row) => *row,
            None => self.others.get(&letter).copied().unwrap_or_default(),
        }
    }

    fn after_first<'t>(
        &self,
        text: &'t str,
        work: &mut Work<'_>,
    ) -> Result<Option<&'t str>, Error> {
        if self.rows.is_empty() {
            return self.after_first_compared(text, work);
        }
        let words = self.letters.len().div_ceil(64);
        let (last_word, last_bit) = ((self.letters.len() - 1) / 64, (self.letters.len() - 1) % 64);
        // A bit for each beginning of the part that ends at the current letter.
        let mut begun = vec![0_u64; words];
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            work.spend(words)?;
            let row = usize::from(self.row(letter)) * words;
            let mut carry = 1;
            for (begun, allowed) in begun.iter_mut().zip(&self.rows[row..row + words]) {
                let next = *begun >> 63;
                *begun = (*begun << 1 | carry) & allowed;
                carry = next;
            }
            if begun[last_word] >> last_bit & 1 == 1 {
                return Ok(Some(letters.as_str()));
            }
        }
        Ok(None)
    }

    /// The rest of a text after the part's first match, by comparison at each place, which takes
    /// long and can be interrupted.
    fn after_first_compared<'t>(
        &self,
        text: &'t str,
        work: &mut Work<'_>,
    ) -> Result<Option<&'t str>, Error> {
        let mut from = text.chars();
        loop {
            if let Some(after) = self.after_beginning(from.as_str(), work)? {
                return Ok(Some(after));
            }
            if from.next().is_none() {
                return Ok(None);
            }
        }
    }

    /// The rest of a text that begins with it.
    fn after_beginning<'t>(
        &self,
        text: &'t str,
        work: &mut Work<'_>,
    ) -> Result<Option<&'t str>, Error> {
        let mut rest = text.chars();
        for expected in &self.letters {
            work.spend(1)?;
            match (rest.next(), expected) {
                (None, _) => return Ok(None),
                (Some(found), Some(letter)) if found != *letter => return Ok(None),
                (Some(_), _) => {}
            }
        }
        Ok(Some(rest.as_str()))
    }
}

#[cfg(test)]
mod tests;
