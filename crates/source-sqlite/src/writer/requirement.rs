//! Conditions of committing a transaction.

use std::ops::RangeInclusive;

use response::LevelId;

use relational::{Refusal, Requirement, When};
use source::SourceError;
use source::operand::Variables;

use super::gathered::{Gathered, Owned};

/// A requirement of a request, with the error that it is if it is not met.
#[derive(Debug)]
pub(crate) struct BoundRequirement {
    pub(super) after: LevelId,
    pub(super) root: u32,
    /// What has to be so, or else it is not tested.
    pub(super) when: Box<[When]>,
    /// Permitted numbers of rows.
    rows: RangeInclusive<u64>,
    refusal: Refusal,
}

impl BoundRequirement {
    pub(crate) fn new(
        requirement: &Requirement,
        variables: Variables<'_>,
    ) -> Result<Self, SourceError> {
        let Requirement { after, root, ref when, .. } = *requirement;
        let when = when.clone();
        Ok(Self {
            after,
            root,
            when,
            rows: requirement.rows(variables)?,
            refusal: requirement.refusal(variables),
        })
    }

    /// Checks a number of rows. An error may have values of rows that were read before.
    pub(super) fn judge(&self, rows: u64, gathered: &Gathered) -> Result<(), SourceError> {
        match self.rows.contains(&rows) {
            true => Ok(()),
            false => Err(self.refusal.error(|level, row, column| {
                gathered.level(level).value(row as usize, column).and_then(Owned::text)
            })),
        }
    }
}
