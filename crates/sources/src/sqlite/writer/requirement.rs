//! What must be so before a transaction is committed.

use response::LevelId;

use crate::error::SourceError;
use crate::operand::{Variables, resolve};
use crate::relational::{Requirement, Test};

/// A requirement of a request, with the error that it is if it is not met.
#[derive(Debug)]
pub(in crate::sqlite) struct BoundRequirement {
    pub(super) after: LevelId,
    pub(super) root: u32,
    /// How many rows there may be.
    least: u64,
    most: u64,
    error: SourceError,
}

impl BoundRequirement {
    pub(in crate::sqlite) fn new(
        requirement: &Requirement,
        variables: Variables<'_>,
    ) -> Result<Self, SourceError> {
        let (least, most) = match &requirement.test {
            Test::RowThere => (1, u64::MAX),
            Test::NoRow => (0, 0),
            Test::AtMost(most) => (0, resolve(most, variables)?.rows("atMost")?.unwrap_or(0)),
        };
        let Requirement { after, root, .. } = *requirement;
        Ok(Self { after, root, least, most, error: requirement.error() })
    }

    /// Whether so many rows are what is required.
    pub(super) fn judge(&self, rows: u64) -> Result<(), SourceError> {
        match (self.least..=self.most).contains(&rows) {
            true => Ok(()),
            false => Err(self.error.clone()),
        }
    }
}
