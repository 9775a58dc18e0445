//! The servers that have the rows of an entity, in a database of several servers.
//!
//! The model is that of Citus: a table is on the server that is asked (local), has all rows on each
//! server (reference table), or has its rows on servers that the value of one column chooses
//! (distributed table). Tables of one colocation group have rows with equal values on one server,
//! so that a statement can join them there.

use crate::ids::FieldId;

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

    /// True for tables whose rows may be on workers, and not on the coordinator.
    #[must_use]
    pub fn is_remote(self) -> bool {
        match self {
            Self::Distributed { .. } | Self::Single { .. } | Self::Unknown => true,
            Self::Local | Self::Reference => false,
        }
    }
}
