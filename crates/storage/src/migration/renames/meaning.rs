//! Recorded tables with the new names of the parts of definitions that they store.

use super::{FieldRename, Renames, TypeRename};
use crate::tables::{End, Relation, Stored, StoredValue, Table, Tables};

/// The tables under their old names, by the new names of what they store. Relations have the near
/// ends of the new ones.
pub(super) fn renamed(old: &Tables, new: &Tables, renames: &Renames) -> Tables {
    let mut tables = old.clone();
    for TypeRename { from, to } in &renames.types {
        let is_type = |name: &str| tables.find_stored(&Stored::Entity(name.into())).is_some();
        if is_type(from) && !is_type(to) {
            rename_type(&mut tables, from, to);
        }
    }
    for rename in &renames.fields {
        if has_field(&tables, &rename.r#type, &rename.from)
            && !has_field(&tables, &rename.r#type, &rename.to)
        {
            rename_field(&mut tables, rename);
        }
    }
    for table in &mut tables.tables {
        turn(table, new);
    }
    tables
}

fn rename_type(tables: &mut Tables, from: &str, to: &str) {
    for table in &mut tables.tables {
        if let Stored::Entity(of) | Stored::List { of, .. } = &mut table.stores
            && **of == *from
        {
            *of = to.into();
        }
    }
    for end in ends(tables).filter(|end| *end.of == *from) {
        end.of = to.into();
    }
}

fn rename_field(tables: &mut Tables, rename: &FieldRename) {
    let FieldRename { r#type, from, to } = rename;
    for table in &mut tables.tables {
        match &mut table.stores {
            Stored::Entity(of) if of == r#type => {
                for column in &mut table.columns {
                    if let StoredValue::Field(field) | StoredValue::Reference(field, _) =
                        &mut column.stores
                        && field == from
                    {
                        *field = to.clone();
                    }
                }
            }
            Stored::List { of, field } if of == r#type && field == from => *field = to.clone(),
            Stored::Entity(_) | Stored::List { .. } | Stored::Group(_) | Stored::Relation(_) => {}
        }
    }
    for end in ends(tables).filter(|end| end.of == *r#type && end.field.as_ref() == Some(from)) {
        end.field = Some(to.clone());
    }
}

/// Whether a field of a type is stored.
fn has_field(tables: &Tables, r#type: &str, name: &str) -> bool {
    let is_end = |relation: &Relation| {
        [&relation.near, &relation.far]
            .into_iter()
            .any(|end| *end.of == *r#type && end.field.as_deref() == Some(name))
    };
    tables.tables.iter().any(|table| {
        let is_stored = match &table.stores {
            Stored::Entity(of) if **of == *r#type => table.columns.iter().any(
                |column| matches!(&column.stores, StoredValue::Field(field) if **field == *name),
            ),
            Stored::List { of, field } => **of == *r#type && **field == *name,
            Stored::Relation(relation) => is_end(relation),
            Stored::Entity(_) | Stored::Group(_) => false,
        };
        is_stored || table.references.iter().any(|reference| is_end(&reference.relation))
    })
}

/// The ends of all relations.
fn ends(tables: &mut Tables) -> impl Iterator<Item = &mut End> {
    tables.tables.iter_mut().flat_map(|table| {
        let own = match &mut table.stores {
            Stored::Relation(relation) => Some(relation),
            Stored::Entity(_) | Stored::Group(_) | Stored::List { .. } => None,
        };
        let of_references = table.references.iter_mut().map(|reference| &mut reference.relation);
        own.into_iter().chain(of_references).flat_map(|relation| {
            let Relation { near, far } = relation;
            [near, far]
        })
    })
}

/// Exchanges the ends of a table of pairs, if the new one begins with the other end.
fn turn(table: &mut Table, new: &Tables) {
    let Stored::Relation(own) = &mut table.stores else { return };
    let is_turned = |other: &Stored| match other {
        Stored::Relation(other) => {
            own.is_same(other) && own.near == other.far && own.near != other.near
        }
        Stored::Entity(_) | Stored::Group(_) | Stored::List { .. } => false,
    };
    if !new.tables.iter().any(|table| is_turned(&table.stores)) {
        return;
    }
    std::mem::swap(&mut own.near, &mut own.far);
    for column in &mut table.columns {
        if let StoredValue::Pair(side, _) = &mut column.stores {
            *side = side.other();
        }
    }
    for reference in &mut table.references {
        let relation = &mut reference.relation;
        std::mem::swap(&mut relation.near, &mut relation.far);
        reference.side = reference.side.other();
    }
}
