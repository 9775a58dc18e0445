//! The columns of an entity in the API.

use catalog::{Catalog, Entity, Field, FieldAccess, FieldId, Generated, Note};
use graphql::schema::is_name;

use super::collision::{Names, left_out};
use super::values::{Values, values};

const RENAME: &str = "rename the column, or show it under another name by a view.";

/// A column in the API.
#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) field: &'a Field,
    pub(super) values: Values,
}

impl Column<'_> {
    pub(super) fn name(&self) -> &str {
        &self.field.name
    }

    /// Its type in objects, as in a schema.
    pub(super) fn output(&self) -> String {
        let r#type = self.values.text();
        if self.field.nullable { r#type } else { r#type + "!" }
    }

    pub(super) fn description(&self) -> Option<&str> {
        self.field.description.as_deref()
    }

    /// True if a client may set it.
    pub(super) fn is_stored(&self) -> bool {
        match self.field.generated {
            None | Some(Generated::IdentityByDefault) => true,
            Some(Generated::Stored | Generated::IdentityAlways) => false,
        }
    }
}

/// The columns that may be read or written, in the order of the source; each claims its name.
pub(super) fn columns<'a>(
    catalog: &'a Catalog,
    entity: &Entity,
    names: &mut Names,
    notes: &mut Vec<Note>,
) -> Vec<Column<'a>> {
    let mut columns = Vec::with_capacity(entity.fields.len());
    for field in catalog.fields_of(entity.id) {
        let FieldAccess { read, insert, update } = field.access;
        if !read && !insert && !update {
            continue;
        }
        let subject = format!("{}.{}", catalog.qualified_name(entity.id), field.name);
        if !is_name(&field.name) {
            let message = format!("{:?} is no name of GraphQL.", field.name);
            notes.push(left_out(&subject, &message, RENAME));
            continue;
        }
        names.claim(&field.name, &format!("the column {subject}"));
        columns.push(Column { field, values: values(catalog, &field.r#type) });
    }
    columns
}

/// The order of an entity's lists without a requested one, and the end of every other.
pub(super) fn tie_break(catalog: &Catalog, entity: &Entity) -> Vec<FieldId> {
    let readable = |field: &FieldId| catalog[*field].access.read;
    if let Some(key) = entity.primary_key().filter(|key| key.fields.iter().all(readable)) {
        return key.fields.clone();
    }
    let ordered = |field: &&Field| field.access.read && values(catalog, &field.r#type).is_ordered();
    catalog.fields_of(entity.id).filter(ordered).map(|field| field.id).collect()
}
