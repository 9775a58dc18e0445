//! A datamodel of tables, as `prisma introspect` made it.
//!
//! Names, kinds of tables and types of columns are those of Prisma's introspection, but for what it
//! wrote and its server refused: two fields with one name, relations without a name between types that
//! have several, types without an id. What a datamodel cannot say is left out, with a note.
//! <https://github.com/prisma/prisma1>, `cli/packages/prisma-db-introspection`.
//!
//! * `tables`: tables of rows, of pairs and of elements of lists
//! * `columns`: types of columns
//! * `names`: names of types and fields
//! * `relations`: relations, with a field at both ends
//! * `written`: the datamodel as text

mod columns;
mod names;
mod relations;
mod tables;
#[cfg(test)]
mod tests;
mod written;

use catalog::{Catalog, EntityId, FieldAccess, Note, NoteKind};

use crate::model::{
    self, Behaviour, End, Field, FieldKind, IdStrategy, Key, Model, RelationIndex, ScalarField,
    ScalarType, Type, TypeIndex,
};
use columns::ColumnTypes;
use names::Names;
use relations::{Draft, Inline};
use tables::{Row, Tables};
pub use written::written;

/// A datamodel of tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Introspected {
    pub model: Model,
    /// Parts of tables that it does not have.
    pub notes: Vec<Note>,
}

/// Makes the datamodel of the tables of a catalog.
#[must_use]
pub fn introspected(catalog: &Catalog) -> Introspected {
    let mut notes = Vec::new();
    let tables = Tables::find(catalog, &mut notes);
    let mut types = ColumnTypes::new(catalog);
    let mut names = Names::default();
    let mut model = Model::default();
    for row in &tables.rows {
        model.types.push(Type {
            name: match catalog.given().entity(row.entity) {
                Some(name) => names.take(name),
                None => names.r#type(&catalog[row.entity].name),
            },
            description: catalog[row.entity].description.clone(),
            table: catalog[row.entity].name.clone(),
            old_name: None,
            key: Key::Field(0),
            fields: Vec::new(),
            hidden: Vec::new(),
        });
    }
    let mut drafts = Vec::new();
    for (index, row) in tables.rows.iter().enumerate() {
        let reader =
            RowReader { catalog, tables: &tables, row, types: &mut types, notes: &mut notes };
        let (fields, relations) = reader.fields(TypeIndex(index));
        let own = &mut model.types[index];
        let is_key = |field: &Field| match &field.kind {
            FieldKind::Scalar(scalar) => matches!(scalar.behaviour, Behaviour::Id(_)),
            FieldKind::ScalarList { .. } | FieldKind::Relation { .. } => false,
        };
        own.key = Key::Field(fields.iter().position(is_key).unwrap_or_default());
        own.fields = fields;
        drafts.extend(relations);
    }
    drafts.extend(relations::of_pairs(catalog, &tables));
    model.relations = relations::relations(&mut model.types, drafts, &mut names);
    model.enums = types.enums(&mut names);
    Introspected { model, notes }
}

impl Tables {
    /// The type of the rows of a table.
    fn type_of(&self, entity: EntityId) -> Option<TypeIndex> {
        self.rows.iter().position(|row| row.entity == entity).map(TypeIndex)
    }
}

/// Reader of the table of a type.
struct RowReader<'r, 'c> {
    catalog: &'c Catalog,
    tables: &'r Tables,
    row: &'r Row,
    types: &'r mut ColumnTypes<'c>,
    notes: &'r mut Vec<Note>,
}

impl RowReader<'_, '_> {
    /// The fields of the type, in the order of the columns, and its relations by a column. Fields of
    /// relations stand where their columns do.
    fn fields(self, index: TypeIndex) -> (Vec<Field>, Vec<Draft>) {
        let is_named = self.catalog.given().entity(self.row.entity).is_some();
        let mut fields = Vec::new();
        let mut drafts = Vec::new();
        for column in self.catalog.fields_of(self.row.entity) {
            let taken = fields.iter().map(|field: &Field| &*field.name).collect::<Vec<_>>();
            if let Some(reference) = self.row.references.iter().find(|own| own.column == column.id)
            {
                // The key of rows that a type has.
                let Some(target) = self.tables.type_of(reference.target) else { continue };
                let given = self.catalog.given();
                let name = match given.forward(reference.relationship) {
                    Some(name) => name.into(),
                    None => names::field(&column.name, true, &taken),
                };
                drafts.push(Draft::Inline(Inline {
                    back: given.backward(reference.relationship).map(Into::into),
                    holder: index,
                    field: fields.len(),
                    target,
                    column: column.name.clone(),
                    is_unique: reference.is_unique,
                }));
                fields.push(Field {
                    name,
                    description: column.description.clone(),
                    old_name: None,
                    is_required: !column.nullable,
                    // Set with the relations.
                    kind: FieldKind::Relation {
                        relation: RelationIndex(0),
                        end: End::A,
                        is_list: false,
                    },
                });
                continue;
            }
            if column.access == FieldAccess::NONE {
                continue;
            }
            let is_key = column.id == self.row.key;
            let Some(r#type) = self.types.scalar(&column.r#type, is_key) else {
                let subject =
                    format!("{}.{}", self.catalog.qualified_name(self.row.entity), column.name);
                self.notes.push(left_out(
                    subject,
                    "a datamodel has no type for the column",
                    "leave it to other programs, or give it a type of its own",
                ));
                continue;
            };
            let name = match (self.catalog.given().field(column.id), is_key) {
                (Some(name), _) => name.into(),
                (None, true) => names::key(&column.name, &taken),
                (None, false) => names::field(&column.name, false, &taken),
            };
            let is_date = r#type == ScalarType::DateTime;
            let behaviour = match (is_key, &*column.name) {
                (true, _) => Behaviour::Id(strategy(r#type, column.has_default)),
                (false, "createdAt") if is_date => Behaviour::CreatedAt,
                (false, "updatedAt") if is_date => Behaviour::UpdatedAt,
                (false, _) => Behaviour::Plain,
            };
            fields.push(Field {
                name,
                description: column.description.clone(),
                old_name: None,
                is_required: !column.nullable,
                kind: FieldKind::Scalar(ScalarField {
                    r#type,
                    column: column.name.clone(),
                    is_unique: is_key || self.catalog[self.row.entity].is_unique_alone(column.id),
                    // A datamodel that is written has no such default.
                    default: (column.has_default && is_named).then_some(model::Default::OfDatabase),
                    behaviour,
                }),
            });
        }
        for list in &self.row.lists {
            let taken = fields.iter().map(|field: &Field| &*field.name).collect::<Vec<_>>();
            if let Some(r#type) = self.types.scalar(&self.catalog[list.value].r#type, false) {
                fields.push(Field {
                    name: names::field(&list.column, false, &taken),
                    description: None,
                    old_name: None,
                    is_required: false,
                    kind: FieldKind::ScalarList { r#type, column: list.column.clone() },
                });
            }
        }
        (fields, drafts)
    }
}

/// A number has a sequence, or the client gives it. Prisma makes other ids.
fn strategy(r#type: ScalarType, has_default: bool) -> IdStrategy {
    match (r#type, has_default) {
        (ScalarType::Int, false) => IdStrategy::None,
        _ => IdStrategy::Auto,
    }
}

fn left_out(subject: String, message: &str, remedy: &str) -> Note {
    Note {
        kind: NoteKind::LeftOut,
        subject: subject.into(),
        message: message.into(),
        remedy: remedy.into(),
    }
}
