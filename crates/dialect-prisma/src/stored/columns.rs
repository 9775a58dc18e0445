//! Columns of the tables of types, and their types.

use response::calendar::Moment;
use storage::tables::{Column, ColumnType, Fill, StoredValue};

use crate::model::{
    Behaviour, Default, FieldKind, IdStrategy, Key, Model, ScalarField, ScalarType, Type,
};

/// The columns of a type, without those of relations.
pub(super) fn columns(model: &Model, own: &Type) -> Vec<Column> {
    let mut columns = Vec::new();
    if own.key == Key::Hidden {
        columns.push(column("id", "id", ColumnType::Identifier, None));
    }
    for field in &own.fields {
        let FieldKind::Scalar(scalar) = &field.kind else { continue };
        let r#type = match &scalar.behaviour {
            Behaviour::Id(strategy) => id_type(own, &field.name, scalar, strategy),
            Behaviour::Plain | Behaviour::CreatedAt | Behaviour::UpdatedAt => {
                column_type(model, scalar.r#type)
            }
        };
        let fill = fill(model, scalar).filter(|_| field.is_required);
        let column = column(&scalar.column, &field.name, r#type, fill);
        columns.push(Column { is_required: field.is_required, ..column });
    }
    for moment in &own.hidden {
        let name = moment.column();
        columns.push(column(name, name, ColumnType::Timestamp, Some(Fill::Now)));
    }
    columns
}

fn column(name: &str, field: &str, r#type: ColumnType, fill: Option<Fill>) -> Column {
    Column {
        name: name.into(),
        stores: StoredValue::Field(field.into()),
        r#type,
        is_list: false,
        is_required: true,
        fill,
    }
}

pub(super) fn column_type(model: &Model, r#type: ScalarType) -> ColumnType {
    match r#type {
        ScalarType::Id => ColumnType::Identifier,
        ScalarType::String => ColumnType::Text,
        ScalarType::Int => ColumnType::Int32,
        ScalarType::Float => ColumnType::Decimal,
        ScalarType::Boolean => ColumnType::Boolean,
        ScalarType::DateTime => ColumnType::Timestamp,
        ScalarType::Json => ColumnType::JsonText,
        ScalarType::Uuid => ColumnType::Uuid,
        ScalarType::Enum(index) => {
            let labels = model.enums.get(index.0).map(|own| own.values.clone());
            ColumnType::Enum(labels.unwrap_or_default())
        }
    }
}

/// The type of columns that refer to a key.
pub(super) fn key_type(r#type: ScalarType) -> ColumnType {
    match r#type {
        ScalarType::Int => ColumnType::Int32,
        ScalarType::Uuid => ColumnType::Uuid,
        // The reader refuses other types of ids.
        ScalarType::Id
        | ScalarType::String
        | ScalarType::Float
        | ScalarType::Boolean
        | ScalarType::DateTime
        | ScalarType::Json
        | ScalarType::Enum(_) => ColumnType::Identifier,
    }
}

fn id_type(own: &Type, field: &str, scalar: &ScalarField, strategy: &IdStrategy) -> ColumnType {
    match (strategy, key_type(scalar.r#type)) {
        (IdStrategy::Auto, ColumnType::Int32) => {
            // Prisma's name, which is also that of a sequence of PostgreSQL's own.
            let sequence = [&*own.name, "_", field, "_seq"].concat().into();
            ColumnType::Serial { sequence, initial_value: 1 }
        }
        (IdStrategy::Sequence { name, initial_value, .. }, ColumnType::Int32) => {
            ColumnType::Serial { sequence: name.clone(), initial_value: *initial_value }
        }
        (_, r#type) => r#type,
    }
}

/// The value of rows that have none when the field becomes required.
fn fill(model: &Model, scalar: &ScalarField) -> Option<Fill> {
    match (&scalar.behaviour, &scalar.default) {
        (Behaviour::CreatedAt | Behaviour::UpdatedAt, _) => Some(Fill::Now),
        (_, Some(Default::Text(text))) => Some(Fill::Text(match scalar.r#type {
            ScalarType::DateTime => moment(text).into(),
            _ => text.clone(),
        })),
        (_, Some(Default::Int(number))) => Some(Fill::Text(number.to_string().into())),
        (_, Some(Default::Float(number))) => Some(Fill::Text(number.to_string().into())),
        (_, Some(Default::Boolean(value))) => Some(Fill::Text(value.to_string().into())),
        (_, Some(Default::OfDatabase)) | (Behaviour::Id(_), None) => None,
        (Behaviour::Plain, None) => Some(Fill::Stopgap(stopgap(model, scalar.r#type)?.into())),
    }
}

/// The value that Prisma gives rows in a required field without a default.
fn stopgap(model: &Model, r#type: ScalarType) -> Option<&str> {
    Some(match r#type {
        ScalarType::Id => "DefaultCUIDMigrationValue",
        ScalarType::Uuid => "550e8400-e29b-11d4-a716-446655440000",
        ScalarType::String => "",
        ScalarType::Int | ScalarType::Float => "0",
        ScalarType::Boolean => "false",
        ScalarType::DateTime => "1970-01-01 00:00:00",
        ScalarType::Json => "{}",
        ScalarType::Enum(index) => model.enums.get(index.0)?.values.first()?,
    })
}

/// A moment in the form in which columns have it: in UTC, without a time zone.
fn moment(text: &str) -> String {
    let utc = Moment::read(text).and_then(Moment::in_utc);
    // The reader refuses other texts.
    let utc = utc.unwrap_or_else(|| text.to_owned());
    utc.trim_end_matches('Z').replacen('T', " ", 1)
}
