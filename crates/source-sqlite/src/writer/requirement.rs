//! Conditions of committing a transaction.

use std::ops::RangeInclusive;

use response::LevelId;

use relational::Requirement;
use source::SourceError;
use source::operand::Variables;

/// A requirement of a request, with the error that it is if it is not met.
#[derive(Debug)]
pub(crate) struct BoundRequirement {
    pub(super) after: LevelId,
    pub(super) root: u32,
    /// Permitted numbers of rows.
    rows: RangeInclusive<u64>,
    error: SourceError,
}

impl BoundRequirement {
    pub(crate) fn new(
        requirement: &Requirement,
        variables: Variables<'_>,
    ) -> Result<Self, SourceError> {
        let Requirement { after, root, .. } = *requirement;
        Ok(Self { after, root, rows: requirement.rows(variables)?, error: requirement.error() })
    }

    /// Checks a number of rows.
    pub(super) fn judge(&self, rows: u64) -> Result<(), SourceError> {
        match self.rows.contains(&rows) {
            true => Ok(()),
            false => Err(self.error.clone()),
        }
    }
}
