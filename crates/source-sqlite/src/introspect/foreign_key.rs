//! Foreign keys become relationships. SQLite accepts a foreign key whose parent does not exist or
//! is no key, and refuses only to write through it: such a foreign key is left out.

use catalog::builder::NewRelationship;
use catalog::{Builder, FieldId};

use super::fill::{Table, Tables};
use super::name::{self, Constraint};
use super::note;
use super::read::ForeignKeyColumnRow;

/// The reason why a foreign key is left out.
pub(super) enum Refusal {
    NoTable,
    /// The parent is a view, or was left out itself.
    NotServed,
    NoColumn(Box<str>),
    NoPrimaryKey,
    ColumnCount,
    NoKey(String),
}

pub(super) fn add(builder: &mut Builder, tables: &mut Tables, rows: &[ForeignKeyColumnRow]) {
    let same_key = |left: &ForeignKeyColumnRow, right: &ForeignKeyColumnRow| {
        left.id == right.id && left.table == right.table
    };
    for pairs in rows.chunk_by(same_key) {
        add_one(builder, tables, pairs);
    }
}

fn add_one(builder: &mut Builder, tables: &mut Tables, pairs: &[ForeignKeyColumnRow]) {
    let Some(first) = pairs.first() else { return };
    let Some(child) = tables.find(&first.table) else { return };
    let from_fields: Option<Vec<FieldId>> =
        pairs.iter().map(|pair| child.find_field(&pair.column)).collect();
    // Only tables have foreign keys, and SQLite checks their own columns when they are created.
    let Some(from_fields) = from_fields else { return };
    let from = child.entity;
    let (to, to_fields) = match resolve(tables, pairs) {
        Ok((parent, to_fields)) => (parent.entity, to_fields),
        Err(refusal) => {
            let columns = list(pairs.iter().map(|pair| &*pair.column));
            builder.note(note::foreign_key(&child.name, &columns, &first.parent, &refusal));
            return;
        }
    };
    let mut known = builder.catalog().relationships();
    let same = known.find(|known| {
        (known.from, known.to) == (from, to)
            && known.from_fields == from_fields
            && known.to_fields == to_fields
    });
    let repeated = same.map(|same| {
        let columns = list(pairs.iter().map(|pair| &*pair.column));
        note::repeated(&child.name, &columns, &same.name)
    });
    drop(known);
    if let Some(note) = repeated {
        builder.note(note);
        return;
    }
    let Some(child) = tables.find_mut(&first.table) else { return };
    let columns = pairs.iter().map(|pair| &*pair.column);
    let taken = &mut child.constraint_names;
    let name = name::constraint(taken, &child.name, columns, Constraint::ForeignKey);
    let relationship =
        NewRelationship { name, from, from_fields, to, to_fields, description: None };
    builder.relationship(relationship);
}

/// The parent and the fields of it that the foreign key refers to, in the order of `pairs`.
fn resolve<'a>(
    tables: &'a Tables,
    pairs: &[ForeignKeyColumnRow],
) -> Result<(&'a Table, Vec<FieldId>), Refusal> {
    let name = pairs.first().map_or("", |first| &*first.parent);
    let parent = tables.find(name).ok_or_else(|| {
        if tables.is_left_out(name) { Refusal::NotServed } else { Refusal::NoTable }
    })?;
    if parent.is_view() {
        return Err(Refusal::NotServed);
    }
    if pairs.iter().all(|pair| pair.parent_column.is_none()) {
        return match parent.primary_key.len() {
            0 => Err(Refusal::NoPrimaryKey),
            count if count == pairs.len() => Ok((parent, parent.primary_key.clone())),
            _ => Err(Refusal::ColumnCount),
        };
    }
    let names = || pairs.iter().filter_map(|pair| pair.parent_column.as_deref());
    let mut fields = Vec::with_capacity(pairs.len());
    for column in names() {
        let field = parent.find_field(column).ok_or_else(|| Refusal::NoColumn(column.into()))?;
        fields.push(field);
    }
    let is_key = parent
        .unique
        .iter()
        .any(|key| key.len() == fields.len() && key.iter().all(|field| fields.contains(field)));
    if is_key { Ok((parent, fields)) } else { Err(Refusal::NoKey(list(names()))) }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
