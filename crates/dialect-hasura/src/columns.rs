//! The columns of an entity in the API.

use catalog::{Catalog, Entity, Field, FieldAccess, Generated, Note};
use graphql::schema::is_name;
use hasura_metadata::{Problem, ProblemKind};

use super::collision::{Names, collision, left_out};
use super::enum_types::EnumTypes;
use super::tracking::Tracking;
use super::values::Values;

const RENAME: &str = "rename the column, or show it under another name by a view.";

/// A column in the API.
#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) field: &'a Field,
    pub(super) values: Values,
    name: String,
    /// The comment that replaces the description; an empty one removes it.
    comment: Option<&'a str>,
}

impl<'a> Column<'a> {
    /// A column of a logical model.
    pub(super) fn of_model(field: &'a Field, values: Values) -> Self {
        Self { field, values, name: field.name.clone().into(), comment: None }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its type in objects, as in a schema.
    pub(super) fn output(&self) -> String {
        let r#type = self.values.text();
        if self.field.nullable { r#type } else { r#type + "!" }
    }

    pub(super) fn description(&self) -> Option<&str> {
        let description = self.comment.or(self.field.description.as_deref());
        description.filter(|text| !text.is_empty())
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
    scope: (&'a Catalog, &Tracking<'a>, &EnumTypes),
    entity: &Entity,
    names: &mut Names,
    notes: &mut Vec<Note>,
    problems: &mut Vec<Problem>,
) -> Vec<Column<'a>> {
    let (catalog, tracking, enums) = scope;
    let configuration = tracking.configuration(entity.id);
    let table = tracking.find(entity.id).map(|tracked| &tracked.table.table.place);
    let mut columns = Vec::with_capacity(entity.fields.len());
    for field in catalog.fields_of(entity.id) {
        let FieldAccess { read, insert, update } = field.access;
        if !read && !insert && !update {
            continue;
        }
        let subject = format!("{}.{}", catalog.qualified_name(entity.id), field.name);
        let own = configuration.column_config.get(&*field.name);
        let name = match (own, catalog.given().field(field.id)) {
            (None, Some(given)) => Some(given.to_owned()),
            (Some(_), _) | (None, None) => tracking.naming.column(configuration, &field.name),
        };
        let Some(name) = name.filter(|name| is_name(name)) else {
            let message = format!("{:?} is no name of GraphQL.", field.name);
            notes.push(left_out(&subject, &message, RENAME));
            continue;
        };
        if let Some(first) = names.owner(&name) {
            let message =
                format!("The field `{name}` of {subject} belongs to {first}. Rename one of them.");
            let place = own.map(|own| &own.place).or(table);
            match place {
                Some(place) => {
                    let (kind, place) = (ProblemKind::WrongValue, place.clone());
                    problems.push(Problem { kind, place, message });
                }
                None => {
                    notes.push(collision(&subject, &format!("the field {name}"), first, RENAME));
                }
            }
            continue;
        }
        names.claim(&name, &format!("the column {subject}"));
        let comment = own.and_then(|own| own.comment.as_deref());
        let own = enums.find(field.id).cloned();
        let values = own.unwrap_or_else(|| tracking.values(catalog, &field.r#type));
        columns.push(Column { field, values, name, comment });
    }
    columns
}
