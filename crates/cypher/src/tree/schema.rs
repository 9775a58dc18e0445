//! Constraints and indexes of a database.

use super::Name;

/// A schema statement. Existing constraints and indexes of the name are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaChange {
    /// A unique constraint on the property of nodes with the label.
    CreateUnique { name: Name, label: Name, property: Name },
    /// A full-text index on the properties, of which there is at least one.
    CreateFulltext { name: Name, label: Name, properties: Vec<Name> },
    /// A vector index on the property, for vectors of any one length, with cosine similarity.
    /// Servers before 5.23 require both settings, and reject it.
    CreateVector { name: Name, label: Name, property: Name },
}
