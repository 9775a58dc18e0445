//! A datamodel of tables, as `prisma introspect` made it.
//!
//! Names, kinds of tables and types of columns are those of Prisma's introspection, but for what it
//! wrote and its server refused: two fields with one name, relations without a name between types that
//! have several, types without an id. What a datamodel cannot say is left out, with a note.
//! <https://github.com/prisma/prisma1>, `cli/packages/prisma-db-introspection`.
//!
//! * `tables`: tables of rows, of pairs and of elements of lists
//! * `columns`: types of columns; `defaults`: their defaults
//! * `names`: names of types and fields; `order`: the order of fields
//! * `rows`: the fields of a type
//! * `relations`: relations, with a field at both ends
//! * `comments`: what a datamodel cannot say
//! * `written`: the datamodel as text

mod columns;
mod comments;
mod defaults;
mod names;
mod order;
mod relations;
mod rows;
mod tables;
#[cfg(test)]
mod tests;
mod written;

use catalog::{Catalog, EntityId, Note, NoteKind, RelationshipId};

use crate::model::{Behaviour, Field, FieldKind, Key, Model, Type, TypeIndex};
use columns::ColumnTypes;
use comments::{Comment, CommentPosition};
use names::Names;
use rows::RowReader;
use tables::{NO_KEY, Row, Tables};
pub use written::written;

/// A datamodel of tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Introspected {
    pub model: Model,
    /// Parts of tables that it does not have.
    pub notes: Vec<Note>,
    /// Comments of its text.
    comments: Vec<Comment>,
}

/// Makes the datamodel of the tables of a catalog.
#[must_use]
pub fn introspected(catalog: &Catalog) -> Introspected {
    let mut notes = Vec::new();
    let mut comments = Vec::new();
    let mut tables = Tables::find(catalog, &mut notes);
    let mut types = ColumnTypes::new(catalog);
    let mut names = Names::default();
    let mut name_of = |entity: EntityId| match catalog.given().entity(entity) {
        Some(name) => names.take(name),
        None => names.r#type(&catalog[entity].name),
    };
    let mut named: Vec<(Box<str>, Row)> =
        tables.rows.drain(..).map(|row| (name_of(row.entity), row)).collect();
    let left_out: Vec<(Box<str>, EntityId)> =
        tables.left_out.iter().map(|entity| (name_of(*entity), *entity)).collect();
    named.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut model = Model::default();
    for (name, row) in named {
        let entity = &catalog[row.entity];
        model.types.push(Type {
            name,
            description: entity.description.clone(),
            table: entity.name.clone(),
            old_name: None,
            key: Key::Field(0),
            fields: Vec::new(),
            hidden: Vec::new(),
        });
        tables.rows.push(row);
    }
    let mut drafts = Vec::new();
    for (index, row) in tables.rows.iter().enumerate() {
        let own = &mut model.types[index];
        let index = TypeIndex(index);
        let mut reader = RowReader {
            catalog,
            tables: &tables,
            row,
            index,
            types: &mut types,
            notes: &mut notes,
            comments: &mut comments,
        };
        let (fields, relations) = reader.fields();
        let is_key = |field: &Field| match &field.kind {
            FieldKind::Scalar(scalar) => matches!(scalar.behaviour, Behaviour::Id(_)),
            FieldKind::ScalarList { .. } | FieldKind::Relation { .. } => false,
        };
        own.key = Key::Field(fields.iter().position(is_key).unwrap_or_default());
        own.fields = fields;
        drafts.extend(relations);
        for other in &row.others {
            notes.push(no_relation(catalog, *other));
            comments.push(of_foreign_key(catalog, *other, index, own));
        }
    }
    drafts.extend(relations::of_pairs(catalog, &tables));
    model.relations = relations::relations(&mut model.types, drafts, &mut names, &mut comments);
    for (name, entity) in left_out {
        let definition = types.definition(&name, entity);
        let place = CommentPosition::NoType { name, definition };
        comments.push(Comment::new(place, &sentence(NO_KEY)));
    }
    model.enums = types.enums(&mut names);
    Introspected { model, notes, comments }
}

impl Tables {
    /// The type of the rows of a table.
    fn type_of(&self, entity: EntityId) -> Option<TypeIndex> {
        self.rows.iter().position(|row| row.entity == entity).map(TypeIndex)
    }
}

/// The note on a foreign key that is no relation.
fn no_relation(catalog: &Catalog, id: RelationshipId) -> Note {
    let own = &catalog[id];
    left_out(
        format!("{}: {}", catalog.qualified_name(own.from), own.name),
        "the foreign key is no relation: it has several columns, or leads from the id, or to \
         another column than the id",
        "read its columns as values",
    )
}

/// The comment on it: above the field of its column, if it has one.
fn of_foreign_key(catalog: &Catalog, id: RelationshipId, of: TypeIndex, own: &Type) -> Comment {
    let relationship = &catalog[id];
    let (from, to) = (&catalog[relationship.from].name, &catalog[relationship.to].name);
    let ([column], [target]) = (&*relationship.from_fields, &*relationship.to_fields) else {
        let reason = format!("The foreign key to {to} is no relation: it has several columns");
        return Comment::new(CommentPosition::Type(of), &reason);
    };
    let (column, target) = (&catalog[*column].name, &catalog[*target].name);
    let is_own = |field: &&Field| match &field.kind {
        FieldKind::Scalar(scalar) => scalar.column == *column,
        FieldKind::ScalarList { .. } | FieldKind::Relation { .. } => false,
    };
    let field = own.fields.iter().find(is_own);
    let is_key = field.is_some_and(|field| match &field.kind {
        FieldKind::Scalar(scalar) => matches!(scalar.behaviour, Behaviour::Id(_)),
        FieldKind::ScalarList { .. } | FieldKind::Relation { .. } => false,
    });
    let reason = match is_key {
        true => {
            format!(
                "Relation {from}.{column} -> {to}.{target} is not possible: an id is no relation"
            )
        }
        false => format!(
            "Relation {from}.{column} -> {to}.{target} does not target the id field of {to}"
        ),
    };
    let place = match field {
        Some(field) => CommentPosition::Field { of, name: field.name.clone() },
        None => CommentPosition::Type(of),
    };
    Comment::new(place, &reason)
}

/// A reason as a sentence.
fn sentence(reason: &str) -> String {
    format!("{}.", names::capitalized(reason))
}

fn left_out(subject: String, message: &str, remedy: &str) -> Note {
    Note {
        kind: NoteKind::LeftOut,
        subject: subject.into(),
        message: message.into(),
        remedy: remedy.into(),
    }
}
