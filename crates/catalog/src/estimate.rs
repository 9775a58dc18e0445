//! About how many rows there are, as far as a source tells it.
//!
//! Only what everybody may know is kept here: of a table whose own rules hide rows from some, a source
//! tells nothing.

use crate::catalog::Catalog;
use crate::ids::{EntityId, RelationshipId};
use crate::row_estimate::RowEstimate;

impl Catalog {
    /// Keeps about how many rows an entity has.
    pub fn estimate_rows(&mut self, entity: EntityId, estimate: RowEstimate) {
        self.row_estimates.insert(entity, estimate);
    }

    /// About how many rows refer to one row by a relationship, on average; `None` where that is not
    /// known.
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
