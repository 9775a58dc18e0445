//! Numbers of values that were read, stored, rejected and skipped, and the rejected records.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::StageError;

/// The place of a value: the file, and the number of the record in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Origin(u64);

const RECORD_BITS: u32 = 48;

/// Numbers of values. A triple is one value, and so are each element of a list and the type of an
/// object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub read: u64,
    pub stored: u64,
    pub rejected: u64,
    /// By the reason.
    pub skipped: BTreeMap<&'static str, u64>,
}

/// A rejected record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    pub file: usize,
    pub record: u64,
    pub reason: Rc<str>,
    /// The number of its values that are rejected for the reason.
    pub values: u64,
}

/// Rejected records, in the order of the files.
#[derive(Debug)]
pub struct Rejections {
    entries: BTreeMap<(Origin, Rc<str>), u64>,
    values: u64,
    most: u64,
}

impl Origin {
    pub(super) fn new(file: u64, record: u64) -> Self {
        Self(file << RECORD_BITS | record)
    }

    pub(super) fn number(self) -> u64 {
        self.0
    }

    pub(super) fn from_number(number: u64) -> Self {
        Self(number)
    }
}

impl Counts {
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped.values().sum()
    }

    /// Returns true if each value that was read is stored, rejected or skipped.
    #[must_use]
    pub fn add_up(&self) -> bool {
        self.read == self.stored + self.rejected + self.skipped()
    }
}

impl Rejections {
    pub(super) fn new(most: u64) -> Self {
        Self { entries: BTreeMap::new(), values: 0, most }
    }

    /// Rejects values of a record.
    pub(super) fn reject(
        &mut self,
        origin: Origin,
        reason: &str,
        values: u64,
    ) -> Result<(), StageError> {
        self.values += values;
        *self.entries.entry((origin, reason.into())).or_default() += values;
        match self.values > self.most {
            true => Err(StageError::TooMany(self.most)),
            false => Ok(()),
        }
    }

    /// The origin, the reason and the number of values of each entry.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u64, &str, u64)> {
        self.entries.iter().map(|((origin, reason), values)| (origin.0, &**reason, *values))
    }

    /// Returns true if something of a record is rejected for another reason.
    pub(super) fn has(&self, origin: Origin, reason: &Rc<str>) -> bool {
        let from: Rc<str> = "".into();
        let mut entries = self.entries.range((origin, from)..);
        entries.next().is_some_and(|((own, other), _)| *own == origin && other != reason)
    }

    /// The number of rejected values.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.values
    }

    /// The rejected records.
    pub fn records(&self) -> impl Iterator<Item = Rejected> {
        self.entries.iter().map(|((origin, reason), values)| Rejected {
            file: usize::try_from(origin.0 >> RECORD_BITS).unwrap_or_default(),
            record: origin.0 & ((1 << RECORD_BITS) - 1),
            reason: reason.clone(),
            values: *values,
        })
    }
}
