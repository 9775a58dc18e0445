//! Rows become entities, fields, keys and indexes.

use std::collections::{HashMap, HashSet};

use catalog::builder::NewField;
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId, Generated, Index, IndexCoverage,
    IndexUse, Key, KeyKind, Note, Scalar, Storage, Type,
};

use relational::{literal, note_unindexed, predicate};
use sql::Flavor;

use super::name::{self, Constraint};
use super::read::{ColumnRow, IndexOrigin, IndexedColumnRow, Rows, TableKind, TableRow};
use super::unknown::unknown_names;
use super::{foreign_key, note, place_index, text_index, writable};
use crate::declared::{Affinity, Declared, affinity, declared};

/// The tables and views by their names; SQLite ignores the case of ASCII letters.
#[derive(Default)]
pub(super) struct Tables {
    by_name: HashMap<String, Table>,
    left_out: HashSet<String>,
}

/// The parts of a table that later rows refer to.
pub(super) struct Table {
    pub(super) entity: EntityId,
    pub(super) name: Box<str>,
    kind: TableKind,
    fields: HashMap<String, FieldId>,
    pub(super) primary_key: Vec<FieldId>,
    /// The columns of keys and of unique indexes over all rows: a foreign key may refer to these.
    pub(super) unique: Vec<Vec<FieldId>>,
    pub(super) constraint_names: HashSet<Box<str>>,
}

impl Tables {
    pub(super) fn find(&self, name: &str) -> Option<&Table> {
        self.by_name.get(&name.to_ascii_lowercase())
    }

    pub(super) fn find_mut(&mut self, name: &str) -> Option<&mut Table> {
        self.by_name.get_mut(&name.to_ascii_lowercase())
    }

    pub(super) fn is_left_out(&self, name: &str) -> bool {
        self.left_out.contains(&name.to_ascii_lowercase())
    }
}

impl Table {
    pub(super) fn is_view(&self) -> bool {
        self.kind == TableKind::View
    }

    pub(super) fn find_field(&self, name: &str) -> Option<FieldId> {
        self.fields.get(&name.to_ascii_lowercase()).copied()
    }
}

/// Fills the catalog in the order of the rows. `add` adds what is not in them.
pub(super) fn catalog(rows: &Rows, add: impl FnOnce(&mut Builder)) -> Catalog {
    let mut builder = Builder::new(Capabilities {
        json_content: true,
        any_values: true,
        ..Capabilities::default()
    });
    let mut tables = Tables::default();
    let broken: HashSet<&str> = rows.broken_views.iter().map(|view| &*view.name).collect();
    for row in &rows.tables {
        add_table(&mut builder, &mut tables, row, broken.contains(&*row.name));
    }
    for view in &rows.broken_views {
        builder.note(note::broken_view(view));
    }
    for row in &rows.texts {
        for unknown in unknown_names(row, &rows.known_names) {
            builder.note(note::unknown_name(row, &unknown));
        }
    }
    let with_key_index: HashSet<&str> = rows
        .indexed_columns
        .iter()
        .filter(|row| row.origin == IndexOrigin::PrimaryKey)
        .map(|row| &*row.table)
        .collect();
    for columns in rows.columns.chunk_by(|left, right| left.table == right.table) {
        add_columns(&mut builder, &mut tables, columns, &with_key_index);
    }
    let same_index = |left: &IndexedColumnRow, right: &IndexedColumnRow| left.index == right.index;
    for columns in rows.indexed_columns.chunk_by(same_index) {
        add_index(&mut builder, &mut tables, columns);
    }
    text_index::add(&mut builder, &tables, &rows.texts);
    place_index::add(&mut builder, &tables, &rows.texts);
    foreign_key::add(&mut builder, &mut tables, &rows.foreign_key_columns);
    writable::add(&mut builder, &tables, &rows.triggers);
    add(&mut builder);
    let mut catalog = builder.finish();
    let mut taken: HashSet<String> = rows.tables.iter().map(|table| lower(&table.name)).collect();
    taken.extend(rows.indexed_columns.iter().map(|row| lower(&row.index)));
    let name = |table: &str, columns: &[&str]| Some(index_name(&mut taken, table, columns));
    note_unindexed(&mut catalog, &Flavor::SQLITE, name, |_| true);
    catalog
}

fn lower(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// A name for an index, which no table and no other index has.
fn index_name(taken: &mut HashSet<String>, table: &str, columns: &[&str]) -> Box<str> {
    let plain = format!("{table}_{}_idx", columns.join("_"));
    let mut name = plain.clone();
    let mut number = 1;
    while !taken.insert(lower(&name)) {
        name = format!("{plain}{number}");
        number += 1;
    }
    name.into()
}

fn add_table(builder: &mut Builder, tables: &mut Tables, row: &TableRow, broken: bool) {
    let kind = match row.kind {
        TableKind::Table => EntityKind::Table,
        TableKind::View if !broken => EntityKind::View,
        TableKind::View | TableKind::Virtual | TableKind::Shadow => {
            if row.kind == TableKind::Virtual {
                builder.note(note::virtual_table(&row.name));
            }
            tables.left_out.insert(row.name.to_ascii_lowercase());
            return;
        }
    };
    let table = Table {
        entity: builder.entity(None, row.name.clone(), kind, None),
        name: row.name.clone(),
        kind: row.kind,
        fields: HashMap::new(),
        primary_key: Vec::new(),
        unique: Vec::new(),
        constraint_names: HashSet::new(),
    };
    tables.by_name.insert(row.name.to_ascii_lowercase(), table);
}

/// Adds all columns of one table, and its primary key.
fn add_columns(
    builder: &mut Builder,
    tables: &mut Tables,
    columns: &[ColumnRow],
    with_key_index: &HashSet<&str>,
) {
    let Some(first) = columns.first() else { return };
    let Some(table) = tables.find_mut(&first.table) else { return };
    let mut primary_key: Vec<(i64, FieldId)> = Vec::new();
    for column in columns {
        // Every primary key has an index of its own but the one that is the rowid itself.
        let is_rowid = column.primary_key > 0 && !with_key_index.contains(&*table.name);
        let declared = declared_type(column, table);
        let field = builder.field(table.entity, field(column, declared.clone(), is_rowid));
        builder.store(field, storage(affinity(&column.declared)));
        if let Some(default) = column.default.as_deref().and_then(literal::of_default) {
            builder.set_default(field, default);
        }
        if let Some(note) = type_note(&declared, column, table) {
            builder.note(note);
        }
        table.fields.insert(column.name.to_ascii_lowercase(), field);
        if column.primary_key > 0 {
            primary_key.push((column.primary_key, field));
        }
    }
    if primary_key.is_empty() {
        return;
    }
    primary_key.sort_unstable();
    let fields: Vec<FieldId> = primary_key.into_iter().map(|(_, field)| field).collect();
    let taken = &mut table.constraint_names;
    let name = name::constraint(taken, &table.name, [].into_iter(), Constraint::Primary);
    table.primary_key.clone_from(&fields);
    table.unique.push(fields.clone());
    builder.key(table.entity, key(name, KeyKind::Primary, fields));
}

/// A key as SQLite has them, which sees to each at once.
fn key(name: Box<str>, kind: KeyKind, fields: Vec<FieldId>) -> Key {
    Key { name, kind, fields, enforced: true, deferrable: false, description: None }
}

/// SQLite reports `BLOB` for a view's column both for a BLOB and for a column without a type, such
/// as those of full-text tables; a value that has its own type is right for both.
fn declared_type(column: &ColumnRow, table: &Table) -> Declared {
    match declared(&column.declared) {
        Declared::Named(Scalar::Bytes) if table.is_view() => Declared::Untyped,
        declared => declared,
    }
}

fn field(column: &ColumnRow, declared: Declared, is_rowid: bool) -> NewField {
    let generated = match (is_rowid, column.generated) {
        (true, _) => Some(Generated::IdentityByDefault),
        (false, true) => Some(Generated::Stored),
        (false, false) => None,
    };
    // `DEFAULT NULL` is no default: all columns have it.
    let default = column.default.as_deref().is_some_and(|text| !text.eq_ignore_ascii_case("NULL"));
    NewField {
        name: column.name.clone(),
        r#type: Type::Scalar(declared.scalar()),
        // SQLite reports NOT NULL for the primary keys of WITHOUT ROWID and STRICT tables. Those
        // of other tables may hold null unless they are the rowid:
        // <https://www.sqlite.org/lang_createtable.html#the_primary_key>.
        nullable: !column.not_null && !is_rowid,
        has_default: default || generated.is_some(),
        generated,
        description: None,
    }
}

pub(super) fn storage(affinity: Affinity) -> Storage {
    match affinity {
        Affinity::Blob => Storage::AsGiven,
        Affinity::Text => Storage::Text,
        Affinity::Integer | Affinity::Numeric => Storage::Number,
        Affinity::Real => Storage::Float,
    }
}

fn type_note(declared: &Declared, column: &ColumnRow, table: &Table) -> Option<Note> {
    match declared {
        Declared::Untyped => Some(note::untyped(&table.name, &column.name, table.kind)),
        Declared::ByAffinity(Affinity::Numeric) => {
            Some(note::numeric_by_affinity(&table.name, &column.name, &column.declared))
        }
        Declared::ByAffinity(
            Affinity::Integer | Affinity::Text | Affinity::Blob | Affinity::Real,
        )
        | Declared::Named(_) => None,
    }
}

/// The rows that a partial index is over, by the statement that made it.
fn covered(table: &Table, text: &str) -> IndexCoverage {
    let condition = predicate::of_index(text);
    let names = condition.and_then(predicate::not_null_columns).unwrap_or_default();
    let fields: Option<Vec<FieldId>> = names.iter().map(|name| table.find_field(name)).collect();
    match fields {
        Some(fields) if !fields.is_empty() => IndexCoverage::NotNull(fields),
        Some(_) | None => IndexCoverage::Some,
    }
}

/// Adds one index, or its unique constraint; not one over expressions.
fn add_index(builder: &mut Builder, tables: &mut Tables, columns: &[IndexedColumnRow]) {
    let Some(first) = columns.first() else { return };
    let Some(table) = tables.find_mut(&first.table) else { return };
    let fields: Option<Vec<FieldId>> = columns
        .iter()
        .map(|row| row.column.as_deref().and_then(|column| table.find_field(column)))
        .collect();
    let Some(fields) = fields else { return };
    if first.unique && !first.partial && first.origin != IndexOrigin::PrimaryKey {
        table.unique.push(fields.clone());
    }
    match first.origin {
        // Read with the columns.
        IndexOrigin::PrimaryKey => {}
        IndexOrigin::UniqueConstraint => {
            let columns = columns.iter().filter_map(|row| row.column.as_deref());
            let taken = &mut table.constraint_names;
            let name = name::constraint(taken, &table.name, columns, Constraint::Unique);
            builder.key(table.entity, key(name, KeyKind::Unique, fields));
        }
        // As in PostgreSQL, only a constraint makes a key.
        IndexOrigin::CreateIndex => {
            let name = first.index.clone();
            let covers = match (first.partial, &first.text) {
                (false, _) => IndexCoverage::All,
                (true, text) => covered(table, text.as_deref().unwrap_or_default()),
            };
            let (finds, unique) = (IndexUse::Equals, first.unique && !first.collated);
            builder.index(table.entity, Index { name, fields, covers, finds, unique });
        }
    }
}
