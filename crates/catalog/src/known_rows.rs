//! Rows of tables that an API is made from.

use crate::ids::FieldId;

/// The rows of an entity as of the reading of the catalog, some of their fields as texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownRows {
    pub fields: Vec<FieldId>,
    /// Each with a text for each of the fields, unless that is null.
    pub rows: Vec<Vec<Option<Box<str>>>>,
}

impl KnownRows {
    /// The values of one field, in the order of the rows.
    pub fn values(&self, field: FieldId) -> impl Iterator<Item = Option<&str>> {
        let place = self.fields.iter().position(|known| *known == field);
        self.rows.iter().map(move |row| place.and_then(|place| row.get(place)?.as_deref()))
    }
}
