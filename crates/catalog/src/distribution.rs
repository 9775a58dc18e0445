//! The servers that have the rows of an entity, in a database of several servers.
//!
//! The model is that of Citus: a table is on the server that is asked (local), has all rows on each
//! server (reference table), or has its rows on servers that the value of one column chooses
//! (distributed table). Tables of one colocation group have rows with equal values on one server,
//! so that a statement can join them there.

use crate::catalog::Catalog;
use crate::entity::{Entity, RelationshipKind};
use crate::ids::{EntityId, FieldId, RelationshipId};

/// The servers that have the rows of an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// The server that is asked.
    #[default]
    Local,
    /// Each server has all rows.
    Reference,
    /// The value of a field chooses the server (the distribution column).
    Distributed { by: FieldId, colocation: u32 },
    /// One server has all rows: that of the group (schema-based sharding).
    Single { colocation: u32 },
    /// Not known: a view of other tables.
    Unknown,
}

impl Distribution {
    /// The field whose value chooses the server of a row.
    #[must_use]
    pub fn distribution_field(self) -> Option<FieldId> {
        match self {
            Self::Distributed { by, .. } => Some(by),
            Self::Local | Self::Reference | Self::Single { .. } | Self::Unknown => None,
        }
    }

    /// Whether rows may be on another server than the one that is asked.
    #[must_use]
    pub fn is_remote(self) -> bool {
        match self {
            Self::Distributed { .. } | Self::Single { .. } | Self::Unknown => true,
            Self::Local | Self::Reference => false,
        }
    }
}

impl Entity {
    /// Whether an equality of these fields names the server of a row.
    #[must_use]
    pub fn is_on_one_server(&self, fields: &[FieldId]) -> bool {
        match self.distribution {
            Distribution::Distributed { by, .. } => fields.contains(&by),
            Distribution::Local | Distribution::Reference | Distribution::Single { .. } => true,
            Distribution::Unknown => false,
        }
    }
}

impl Catalog {
    /// Whether some entity has rows on other servers.
    #[must_use]
    pub fn is_distributed(&self) -> bool {
        self.is_distributed
    }

    /// Whether a row and the rows that a relationship leads to are on one server, whichever rows they
    /// are: a statement may ask for them together, row by row. `near` is the end from which it
    /// leads.
    #[must_use]
    pub fn is_colocated(&self, relationship: RelationshipId, near: EntityId) -> bool {
        if !self.is_distributed {
            return true;
        }
        let relationship = &self[relationship];
        if relationship.kind != RelationshipKind::ForeignKey {
            return false;
        }
        let (from, to) = (self[relationship.from].distribution, self[relationship.to].distribution);
        let far = if near == relationship.from { to } else { from };
        match (from, to) {
            (Distribution::Local, Distribution::Local) => true,
            (
                Distribution::Distributed { by, colocation },
                Distribution::Distributed { by: to_by, colocation: to_colocation },
            ) => {
                let mut pairs = relationship.from_fields.iter().zip(&relationship.to_fields);
                colocation == to_colocation && pairs.any(|pair| pair == (&by, &to_by))
            }
            (
                Distribution::Single { colocation },
                Distribution::Single { colocation: to_colocation },
            ) => colocation == to_colocation,
            // Wherever the row is, all rows that it leads to are there, too. The other way round, other
            // servers have some of them.
            (Distribution::Unknown, _) | (_, Distribution::Unknown) => false,
            _ => far == Distribution::Reference,
        }
    }
}
