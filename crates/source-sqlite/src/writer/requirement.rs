//! Conditions of committing a transaction.

use std::ops::RangeInclusive;

use response::LevelId;

use relational::{Requirement, When};
use source::SourceError;
use source::operand::Variables;

/// A requirement of a request, with the error that it is if it is not met.
#[derive(Debug)]
pub(crate) struct BoundRequirement {
    pub(super) after: LevelId,
    pub(super) root: u32,
    /// What has to be so, or else it is not tested.
    pub(super) when: Box<[When]>,
    /// Permitted numbers of rows.
    rows: RangeInclusive<u64>,
    error: SourceError,
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
            error: requirement.error(variables),
        })
    }

    /// Checks a number of rows.
    pub(super) fn judge(&self, rows: u64) -> Result<(), SourceError> {
        match self.rows.contains(&rows) {
            true => Ok(()),
            false => Err(self.error.clone()),
        }
    }
}
