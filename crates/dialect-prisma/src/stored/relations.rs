//! Columns and tables of relations.

use storage::plan::Names;
use storage::tables::{
    self, Column, ColumnType, Index, IndexMethod, OnDelete, Reference, RelationOfRows, Side,
    Stored, StoredValue, Table, Unique,
};

use super::{key_column, key_type};
use crate::model::{End, Field, FieldKind, Model, Relation, RelationEnd, RelationStorage, Type};

/// Adds a relation to the tables. Those of the types come first, in their order.
pub(super) fn store(
    model: &Model,
    relation: &Relation,
    tables: &mut Vec<Table>,
    names: &mut Names,
) {
    if let Some(ends) = ends(model, relation) {
        for end in [End::A, End::B] {
            let Some(field) = single_field(model, relation.end(end)) else { continue };
            let Some(table) = tables.get_mut(relation.end(end).r#type.0) else { continue };
            let own = RelationOfRows { relation: ends.clone(), side: side(end) };
            if field.is_required {
                table.requires.get_or_insert_default().push(own.clone());
            }
            table.singles.get_or_insert_default().push(own);
        }
    }
    match &relation.storage {
        RelationStorage::Inline { end, column } => {
            add_column(model, relation, (*end, column), tables, names);
        }
        RelationStorage::Table { table, a_column, b_column, id_column } => {
            let columns = (&**a_column, &**b_column, id_column.as_deref());
            tables.extend(pairs(model, relation, table, columns, names));
        }
    }
}

/// The field of an end whose rows have at most one other.
fn single_field<'m>(model: &'m Model, end: &RelationEnd) -> Option<&'m Field> {
    let field = model.types.get(end.r#type.0)?.fields.get(end.field?)?;
    let is_list = matches!(field.kind, FieldKind::Relation { is_list: true, .. });
    (!is_list).then_some(field)
}

fn find_type(model: &Model, end: &RelationEnd) -> Option<Type> {
    model.types.get(end.r#type.0).cloned()
}

/// The ends by the names of their types and fields: A is the near one.
fn ends(model: &Model, relation: &Relation) -> Option<tables::Relation> {
    let end = |end: &RelationEnd| {
        let own = model.types.get(end.r#type.0)?;
        let field = end.field.and_then(|field| own.fields.get(field));
        Some(tables::End { of: own.name.clone(), field: field.map(|field| field.name.clone()) })
    };
    Some(tables::Relation { near: end(&relation.a)?, far: end(&relation.b)? })
}

fn side(end: End) -> Side {
    match end {
        End::A => Side::Near,
        End::B => Side::Far,
    }
}

/// The column of the rows of an end, which accepts null even if the relation is required.
fn add_column(
    model: &Model,
    relation: &Relation,
    (end, column): (End, &str),
    tables: &mut [Table],
    names: &mut Names,
) {
    let holder = relation.end(end);
    let Some(target) = find_type(model, relation.end(end.other())) else { return };
    let Some(ends) = ends(model, relation) else { return };
    let Some(table) = tables.get_mut(holder.r#type.0) else { return };
    let own = match end {
        End::A => &ends.near,
        End::B => &ends.far,
    };
    // The end has a field for its column.
    let field = own.field.clone().unwrap_or_else(|| relation.name.clone());
    table.columns.push(Column {
        name: column.into(),
        stores: StoredValue::Reference(field, 0),
        r#type: key_type(&target),
        is_list: false,
        is_required: false,
        fill: None,
    });
    let called = [&*table.name, "_", column].concat();
    // Foreign keys have names of their own in each table.
    let mut taken = Names::default();
    table.references.iter().for_each(|reference| taken.reserve(&reference.name));
    table.references.push(Reference {
        name: taken.take(&[&called, "_fkey"].concat()),
        columns: vec![column.into()],
        to: target.table.clone(),
        target_columns: vec![key_column(&target).into()],
        on_delete: OnDelete::SetNull,
        relation: ends,
        side: side(end.other()),
    });
    table.indexes.push(Index {
        name: names.take(&[&called, "_idx"].concat()),
        columns: vec![column.into()],
        method: IndexMethod::Tree,
    });
}

/// The table of the pairs of a relation.
fn pairs(
    model: &Model,
    relation: &Relation,
    name: &str,
    (a_column, b_column, id_column): (&str, &str, Option<&str>),
    names: &mut Names,
) -> Option<Table> {
    let ends = ends(model, relation)?;
    let (a, b) = (find_type(model, &relation.a)?, find_type(model, &relation.b)?);
    let column = |name: &str, stores, r#type: ColumnType| Column {
        name: name.into(),
        stores,
        r#type,
        is_list: false,
        is_required: true,
        fill: None,
    };
    let mut taken = Names::default();
    let mut reference = |column: &str, target: &Type, side| Reference {
        name: taken.take(&[name, "_", column, "_fkey"].concat()),
        columns: vec![column.into()],
        to: target.table.clone(),
        target_columns: vec![key_column(target).into()],
        on_delete: OnDelete::Cascade,
        relation: ends.clone(),
        side,
    };
    let id = id_column.map(|id| column(id, StoredValue::Field(id.into()), ColumnType::Identifier));
    let pair = [
        column(a_column, StoredValue::Pair(Side::Near, 0), key_type(&a)),
        column(b_column, StoredValue::Pair(Side::Far, 0), key_type(&b)),
    ];
    Some(Table {
        name: name.into(),
        primary_key: id.iter().map(|id| id.name.clone()).collect(),
        columns: id.into_iter().chain(pair).collect(),
        unique: vec![Unique {
            name: names.take(&[name, "_AB_unique"].concat()),
            columns: vec![a_column.into(), b_column.into()],
        }],
        references: vec![reference(a_column, &a, Side::Near), reference(b_column, &b, Side::Far)],
        indexes: vec![Index {
            name: names.take(&[name, "_B"].concat()),
            columns: vec![b_column.into()],
            method: IndexMethod::Tree,
        }],
        stores: Stored::Relation(ends),
        groups: Vec::new(),
        requires: None,
        singles: None,
    })
}
