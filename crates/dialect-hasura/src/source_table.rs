//! Types of tables of further sources.

use hasura_metadata::types::name::NameParts;

/// The type of a table's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTable {
    pub schema: Option<Box<str>>,
    pub name: Box<str>,
    pub r#type: Box<str>,
    /// The columns with the names of their fields.
    pub columns: Vec<(Box<str>, Box<str>)>,
    /// The root field of its rows, unless the metadata leaves it out.
    pub list: Option<Box<str>>,
    /// The root field of aggregates of its rows.
    pub aggregate: Option<Box<str>>,
}

impl SourceTable {
    pub(crate) fn is(&self, parts: &NameParts) -> bool {
        let NameParts::InSchema { schema, name } = parts else { return false };
        // A file has no schemas.
        self.name == name.as_str().into() && self.schema.as_deref().is_none_or(|own| own == schema)
    }

    /// The field of a column.
    pub(crate) fn field_of(&self, column: &str) -> Option<&str> {
        let found = self.columns.iter().find(|(known, _)| **known == *column);
        found.map(|(_, field)| &**field)
    }
}
