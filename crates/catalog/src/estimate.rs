//! Estimated numbers of rows and of relationships, where a source provides statistics.
//!
//! Only public numbers are kept here: a source provides none of a table whose row-level security
//! hides rows.

use crate::catalog::Catalog;
use crate::entity::{Relationship, RelationshipKind};
use crate::graph::End;
use crate::ids::{EntityId, RelationshipId};
use crate::row_estimate::RowEstimate;

impl Catalog {
    /// Sets the estimated number of rows of an entity.
    pub fn estimate_rows(&mut self, entity: EntityId, estimate: RowEstimate) {
        self.row_estimates.insert(entity, estimate);
    }

    /// Sets the estimated number of pairs of nodes that a relationship of a graph connects. The
    /// number is a lower bound.
    pub fn estimate_pairs(&mut self, relationship: RelationshipId, pairs: u64) {
        self.relationship_estimates.insert(relationship, pairs);
    }

    /// The average number of rows to which one row at an end of a relationship is related; `None`
    /// if unknown. For a foreign key only the referenced rows have several.
    #[must_use]
    pub fn estimated_related(&self, relationship: RelationshipId, end: End) -> Option<u64> {
        let relationship = &self[relationship];
        let pairs = match (relationship.kind, end) {
            (RelationshipKind::ForeignKey, End::From) => return None,
            (RelationshipKind::ForeignKey, End::To) => {
                self.row_estimates.get(&relationship.from)?.least()
            }
            (RelationshipKind::Graph { .. }, _) => {
                *self.relationship_estimates.get(&relationship.id)?
            }
        };
        match self.row_estimates.get(&relationship.entity(end))? {
            RowEstimate::About(rows) => pairs.checked_div(*rows),
            RowEstimate::AtLeast(_) => None,
        }
    }

    /// Whether several rows are related to the same row at an end of a relationship: always for the
    /// referenced rows of a foreign key, in a graph if there are more pairs than nodes at the end.
    #[must_use]
    pub fn is_shared(&self, relationship: RelationshipId, end: End) -> bool {
        let relationship = &self[relationship];
        match relationship.kind {
            RelationshipKind::ForeignKey => end == End::To,
            RelationshipKind::Graph { .. } => {
                let pairs = self.relationship_estimates.get(&relationship.id);
                let rows = self.row_estimates.get(&relationship.entity(end));
                pairs.zip(rows).is_some_and(|(pairs, rows)| *pairs > rows.least())
            }
        }
    }
}

impl Relationship {
    /// The entity at an end.
    #[must_use]
    pub fn entity(&self, end: End) -> EntityId {
        match end {
            End::From => self.from,
            End::To => self.to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::catalog::Capabilities;
    use crate::entity::EntityKind;

    #[test]
    fn nodes_are_shared_where_more_pairs_than_nodes_are_known() {
        let mut builder = Builder::new(Capabilities::default());
        let mut node = |name: &str| builder.entity(None, name.into(), EntityKind::Node, None);
        let (track, genre) = (node("Track"), node("Genre"));
        let of = builder.graph_relationship("OF".into(), track, genre, None, false);
        let mut catalog = builder.finish();
        let known = |catalog: &Catalog| {
            [End::From, End::To]
                .map(|end| (catalog.estimated_related(of, end), catalog.is_shared(of, end)))
        };
        assert_eq!(known(&catalog), [(None, false), (None, false)]);
        catalog.estimate_pairs(of, 1000);
        assert_eq!(known(&catalog), [(None, false), (None, false)]);
        catalog.estimate_rows(track, RowEstimate::About(1000));
        catalog.estimate_rows(genre, RowEstimate::About(7));
        assert_eq!(known(&catalog), [(Some(1), false), (Some(142), true)]);
        // A node with several relationships on average is one to which several lead.
        catalog.estimate_rows(track, RowEstimate::About(999));
        assert_eq!(known(&catalog)[0], (Some(1), true));
        catalog.estimate_rows(genre, RowEstimate::About(0));
        assert_eq!(known(&catalog)[1], (None, true));
    }
}
