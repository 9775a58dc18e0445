//! Decomposed composites: their values are output as rows, since relationships lead from them.

use catalog::{Catalog, EntityId, FieldId, Note, NoteKind};
use graphql::schema::{FieldDefinition, TypeId};

use super::api_types::ValueType;
use super::build::Build;
use super::claims::{Claimant, Claims};
use super::entity::{Served, column_binding};
use super::relations::{forward_field, outgoing_in_order};
use api::binding::{EntityBinding, FieldBinding, RowsBinding, RowsForm, RowsFrom};

/// The name in cursors of rows without an order of their own.
const NATURAL_CURSOR: &str = "natural";

/// The output of a field: as its value, or as the rows that this is.
pub(super) fn binding(catalog: &Catalog, field: FieldId) -> FieldBinding {
    let Some((entity, is_list)) = catalog.find_rows(&catalog[field].r#type) else {
        return FieldBinding::Column(field);
    };
    let form = if is_list { RowsForm::List } else { RowsForm::Single };
    let from = RowsFrom::Value(field);
    FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
}

/// Adds the attributes of a composite to its type, each with its index.
pub(super) fn add_fields(
    build: &mut Build<'_>,
    rows: EntityId,
    r#type: TypeId,
    names: Claims,
    attributes: Vec<(FieldDefinition, usize, ValueType)>,
) {
    let catalog = build.catalog;
    for (definition, place, value) in attributes {
        let Some(field) = catalog[rows].fields.get(place).copied() else { continue };
        build.api.bind_column(field, column_binding(Some(&value)));
        build.api.add_field(r#type, definition, binding(catalog, field));
    }
    let natural_cursor = NATURAL_CURSOR.into();
    let binding = EntityBinding { natural_cursor, hollow: true, ..EntityBinding::default() };
    build.api.bind_entity(rows, binding);
    build.row_types.insert(rows, r#type);
    build.decomposed.insert(rows, names);
}

/// Adds the relations of values, once the types of all related rows are made.
pub(super) fn add_relations(build: &mut Build<'_>, served: &[Served<'_>]) {
    let catalog = build.catalog;
    for composite in catalog.composites().filter(|composite| composite.is_decomposed) {
        let Some(rows) = composite.rows else { continue };
        let Some(mut names) = build.decomposed.remove(&rows) else { continue };
        let Some(row) = build.row_types.get(&rows).copied() else { continue };
        let name = build.api.schema()[row].name.to_string();
        for relationship in outgoing_in_order(build, &catalog[rows]) {
            let field = forward_field(build, served, &name, relationship);
            let Some((definition, binding)) = field else { continue };
            let subject = format!("{} of {}", relationship.name, build.entity_name(rows));
            let claimant = Claimant { subject: &subject, what: "relation" };
            match names.claim(&definition.name, claimant) {
                Ok(()) => {
                    build.api.add_field(row, definition, binding);
                }
                Err(note) => build.note(note),
            }
        }
    }
}

/// Adds a note that a column of join rows is not in the edges of the joined rows.
pub(super) fn note_not_on_edge(build: &mut Build<'_>, field: FieldId) {
    let message =
        "it holds values with @foreignKey, which edges cannot show: it is left out there.";
    let note = Note {
        kind: NoteKind::LeftOut,
        subject: build.field_name(field).into(),
        message: message.into(),
        remedy: "read it of the joining rows themselves.".into(),
    };
    build.note(note);
}

/// Adds a note that an attribute is not in a value that is not decomposed itself.
pub(super) fn note_not_in_value(build: &mut Build<'_>, subject: &str) {
    build.note(Note {
        kind: NoteKind::LeftOut,
        subject: subject.into(),
        message: "it holds values with @foreignKey, which values of a domain cannot show.".into(),
        remedy: "use the composite type itself, not a domain over it.".into(),
    });
}
