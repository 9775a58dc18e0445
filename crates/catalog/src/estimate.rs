//! Estimated numbers of rows, where a source provides statistics.
//!
//! Only public numbers are kept here: a source provides none of a table whose row-level security
//! hides rows.

use crate::catalog::Catalog;
use crate::ids::{EntityId, RelationshipId};
use crate::row_estimate::RowEstimate;

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
