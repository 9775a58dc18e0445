//! What must be so before a transaction is committed.

use ir::OtherwiseKind;
use response::LevelId;

use super::run::RootError;
use crate::error::{SourceError, SourceErrorKind};
use crate::operand::{Variables, resolve};
use crate::relational::{Requirement, Test, Unit};

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
        Ok(Self { after, root, least, most, error: error(requirement) })
    }

    /// Whether so many rows are what is required.
    pub(super) fn judge(&self, rows: u64) -> Result<(), SourceError> {
        match (self.least..=self.most).contains(&rows) {
            true => Ok(()),
            false => Err(self.error.clone()),
        }
    }
}

fn error(requirement: &Requirement) -> SourceError {
    let kind = match requirement.otherwise.kind {
        OtherwiseKind::Missing => SourceErrorKind::Missing,
        OtherwiseKind::TooMany => SourceErrorKind::TooMany,
        OtherwiseKind::Refused => SourceErrorKind::Refused,
    };
    SourceError::new(kind, requirement.otherwise.message.clone())
}

/// Why the root fields of a transaction are null of which one has failed.
pub(super) fn failures(unit: &Unit, (failed, error): RootError) -> Vec<RootError> {
    let others = unit.roots.iter().filter(|root| **root != failed);
    let message = "The mutation was rolled back because another of the same request failed.";
    let aborted = || SourceError::new(SourceErrorKind::Aborted, message);
    let mut failures: Vec<_> = others.map(|root| (*root, aborted())).collect();
    failures.push((failed, error));
    failures
}
