//! The columns of an entity in the API.

use catalog::{Catalog, Entity, EntityKind, Field, FieldAccess, FieldId, Note};
use graphql::schema::is_name;

use super::BigIntegers;
use super::collision::{Names, collision, left_out};
use super::values::{Values, values};

/// The fields of `<Obj>Clauses` that are no columns.
const CLAUSE_LISTS: [&str; 2] = ["and", "or"];

const RENAME: &str = "rename the column, or show it under another name by a view.";

/// A column in the API.
#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) field: &'a Field,
    /// The given name, or that of the source.
    pub(super) name: &'a str,
    pub(super) values: Values,
    /// True if `<Obj>Clauses` has it.
    pub(super) filtered: bool,
    /// True if `<Obj>Sort` has it.
    pub(super) sorted: bool,
}

/// The columns of an entity, in the order of the source.
#[derive(Debug)]
pub(super) struct Columns<'a> {
    /// Readable columns; each claims its name.
    pub(super) shown: Vec<Column<'a>>,
    /// Writable columns that are not readable.
    pub(super) unread: Vec<Column<'a>>,
}

/// The columns that are readable or writable.
pub(super) fn columns<'a>(
    catalog: &'a Catalog,
    entity: &Entity,
    big_integers: BigIntegers,
    names: &mut Names,
    notes: &mut Vec<Note>,
) -> Columns<'a> {
    let mut shown = Vec::with_capacity(entity.fields.len());
    let mut unread = Vec::new();
    for field in catalog.fields_of(entity.id) {
        let FieldAccess { read, insert, update } = field.access;
        if !read && !insert && !update {
            continue;
        }
        let subject = format!("{}.{}", catalog.qualified_name(entity.id), field.name);
        let name = catalog.given().field(field.id).unwrap_or(&field.name);
        if !is_name(name) {
            let message = format!("{name:?} is no name of GraphQL.");
            notes.push(left_out(&subject, &message, RENAME));
            continue;
        }
        if !read {
            let values = values(catalog, &field.r#type, big_integers);
            unread.push(Column { field, name, values, filtered: false, sorted: false });
            continue;
        }
        if let Err(first) = names.claim(name, &format!("the column {subject}")) {
            let what = format!("the field {name}");
            notes.push(collision(&subject, &what, &first, RENAME));
            continue;
        }
        let values = values(catalog, &field.r#type, big_integers);
        let clashes = CLAUSE_LISTS.contains(&name);
        if values.comparable && clashes {
            notes.push(clause_list_note(&subject, name));
        }
        shown.push(Column {
            field,
            name,
            filtered: values.comparable && !clashes,
            sorted: values.ordered && values.lists == 0,
            values,
        });
    }
    Columns { shown, unread }
}

/// The order of an entity's lists without a requested one, and the end of every other.
pub(super) fn tie_break(catalog: &Catalog, entity: &Entity) -> Vec<FieldId> {
    let readable = |field: &FieldId| catalog[*field].access.read;
    if let Some(key) = entity.primary_key().filter(|key| key.fields.iter().all(readable)) {
        return key.fields.clone();
    }
    let ordered = |field: &&Field| {
        field.access.read && values(catalog, &field.r#type, BigIntegers::default()).ordered
    };
    catalog.fields_of(entity.id).filter(ordered).map(|field| field.id).collect()
}

/// True if an entity needs a primary key to be in the API: rows of views have none, and foreign
/// tables cannot declare one.
pub(super) fn needs_key(kind: EntityKind) -> bool {
    match kind {
        EntityKind::Table => true,
        EntityKind::View
        | EntityKind::MaterializedView
        | EntityKind::ForeignTable
        | EntityKind::Record
        | EntityKind::Model
        | EntityKind::ValueSet
        | EntityKind::Composite
        | EntityKind::Node
        | EntityKind::Edge => false,
    }
}

fn clause_list_note(subject: &str, name: &str) -> Note {
    let what = format!("the condition {name} of `where`");
    let first = format!("the list of clauses {name}");
    let mut note = collision(subject, &what, &first, RENAME);
    note.message =
        format!("{what} belongs to {first}, so rows cannot be filtered by this column.").into();
    note
}
