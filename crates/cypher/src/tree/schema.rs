//! What a database is to make sure of, or to find quickly.

use super::Name;

/// A statement of its own. What has the name already is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaChange {
    /// No two nodes with the label may have the same value.
    CreateUnique { name: Name, label: Name, property: Name },
    /// Nodes with the label are found by words of the properties, of which there is one at least.
    CreateFulltext { name: Name, label: Name, properties: Vec<Name> },
    /// Nodes with the label are found by the vectors of the property, of any one length and by the
    /// angle between them. Servers before 5.23 want to be told both, and refuse it.
    CreateVector { name: Name, label: Name, property: Name },
}
