//! Estimated numbers of rows, where a source provides statistics.
//!
//! Only public numbers are kept here: a source provides none of a table whose row-level security
//! hides rows.

use crate::catalog::Catalog;
use crate::ids::{EntityId, RelationshipId};

/// The estimated number of rows of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowEstimate {
    About(u64),
    /// At least so many; the count stopped there.
    AtLeast(u64),
}

impl RowEstimate {
    /// At least so many.
    fn least(self) -> u64 {
        match self {
            Self::About(rows) | Self::AtLeast(rows) => rows,
        }
    }
}

impl Catalog {
    /// Sets the estimated number of rows of an entity.
    pub fn estimate_rows(&mut self, entity: EntityId, estimate: RowEstimate) {
        self.row_estimates.insert(entity, estimate);
    }

    /// The average number of rows that refer to one row by a relationship; `None` if unknown.
    #[must_use]
    pub fn estimated_referrers(&self, relationship: RelationshipId) -> Option<u64> {
        let relationship = &self[relationship];
        let from = self.row_estimates.get(&relationship.from)?;
        match self.row_estimates.get(&relationship.to)? {
            RowEstimate::About(to) => from.least().checked_div(*to),
            RowEstimate::AtLeast(_) => None,
        }
    }
}
