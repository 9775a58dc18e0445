//! The tables of a new database, as Prisma made them.
//!
//! They differ from Prisma's in what no client sees: numbers of ids are identities, which have
//! sequences of the same names; values of enums have a check; columns of relations have an index; and
//! elements of lists go with their row in every database.
//! <https://github.com/prisma/prisma1>, `connectors/deploy-connector-postgres`.

mod columns;
mod relations;
#[cfg(test)]
mod tests;

use storage::Layout;
use storage::migration::renames::{FieldRename, Renames, TypeRename};
use storage::plan::Names;
use storage::tables::{Column, OnDelete, Reference, Relation, Side, Stored, StoredValue};
use storage::tables::{ColumnType, End, Table, Tables, Unique};

use crate::model::{Field, FieldKind, Key, Model, Type};

/// The tables of a datamodel.
#[must_use]
pub fn stored(model: &Model) -> Layout {
    let mut names = Names::default();
    let mut tables: Vec<Table> =
        model.types.iter().map(|own| entity(model, own, &mut names)).collect();
    for own in &model.types {
        tables.extend(own.fields.iter().filter_map(|field| list(model, own, field)));
    }
    for relation in &model.relations {
        relations::store(model, relation, &mut tables, &mut names);
    }
    Layout::Tables { tables: Tables { tables }, renames: renames(model) }
}

/// The table of a type.
fn entity(model: &Model, own: &Type, names: &mut Names) -> Table {
    let columns = columns::columns(model, own);
    let mut unique = Vec::new();
    for (idx, field) in own.fields.iter().enumerate() {
        if let FieldKind::Scalar(scalar) = &field.kind
            && scalar.is_unique
            && own.key != Key::Field(idx)
        {
            let wanted = [&*own.table, ".", &*scalar.column, "._UNIQUE"].concat();
            unique.push(Unique { name: names.take(&wanted), columns: vec![scalar.column.clone()] });
        }
    }
    Table {
        name: own.table.clone(),
        stores: Stored::Entity(own.name.clone()),
        columns,
        primary_key: vec![key_column(own).into()],
        unique,
        references: Vec::new(),
        indexes: Vec::new(),
        groups: Vec::new(),
        requires: Some(Vec::new()),
        singles: Some(Vec::new()),
    }
}

/// The table of the elements of a list.
fn list(model: &Model, own: &Type, field: &Field) -> Option<Table> {
    let FieldKind::ScalarList { r#type, column } = &field.kind else { return None };
    let name: Box<str> = [&*own.table, "_", &**column].concat().into();
    let required = |name: &str, stores, r#type| Column {
        name: name.into(),
        stores,
        r#type,
        is_list: false,
        is_required: true,
        fill: None,
    };
    let holder = End { of: own.name.clone(), field: Some(field.name.clone()) };
    let elements = End { of: name.clone(), field: None };
    Some(Table {
        stores: Stored::List { of: own.name.clone(), field: field.name.clone() },
        columns: vec![
            required("nodeId", StoredValue::Holder, key_type(own)),
            required("position", StoredValue::Position, ColumnType::Int32),
            required("value", StoredValue::Element, columns::column_type(model, *r#type)),
        ],
        primary_key: vec!["nodeId".into(), "position".into()],
        unique: Vec::new(),
        references: vec![Reference {
            name: [&*name, "_nodeId_fkey"].concat().into(),
            columns: vec!["nodeId".into()],
            to: own.table.clone(),
            target_columns: vec![key_column(own).into()],
            on_delete: OnDelete::Cascade,
            relation: Relation { near: holder, far: elements },
            side: Side::Near,
        }],
        indexes: Vec::new(),
        groups: Vec::new(),
        requires: None,
        singles: None,
        name,
    })
}

/// The column of the key of a type.
fn key_column(own: &Type) -> &str {
    match key_field(own) {
        Some((_, scalar)) => &scalar.column,
        None => "id",
    }
}

fn key_field(own: &Type) -> Option<(&Field, &crate::model::ScalarField)> {
    let Key::Field(idx) = own.key else { return None };
    let field = own.fields.get(idx)?;
    match &field.kind {
        FieldKind::Scalar(scalar) => Some((field, scalar)),
        FieldKind::ScalarList { .. } | FieldKind::Relation { .. } => None,
    }
}

/// The type of columns that have the key of a type.
fn key_type(own: &Type) -> ColumnType {
    match key_field(own) {
        Some((_, scalar)) => columns::key_type(scalar.r#type),
        None => ColumnType::Identifier,
    }
}

/// Types and fields with `@rename`.
fn renames(model: &Model) -> Renames {
    let mut renames = Renames::default();
    for own in &model.types {
        if let Some(from) = &own.old_name {
            renames.types.push(TypeRename { from: from.clone(), to: own.name.clone() });
        }
        for field in &own.fields {
            if let Some(from) = &field.old_name {
                renames.fields.push(FieldRename {
                    r#type: own.name.clone(),
                    from: from.clone(),
                    to: field.name.clone(),
                });
            }
        }
    }
    renames
}
