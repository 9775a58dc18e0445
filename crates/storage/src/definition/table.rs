//! CREATE TABLE and its parts.

use sql::tree::definition::{
    ColumnDefinition, Condition, Constraint, CreateTable, DataType, Definition, NumberKey, Term,
};

use super::{identifier, identifiers, reference, table_name};
use crate::database::Database;
use crate::tables::{Column, ColumnType, Stored, StoredValue, Table, Tables};

/// The statement that creates a table under a name. Where tables are altered, foreign keys are added
/// when all tables are there.
pub(crate) fn create_table(
    table: &Table,
    name: &str,
    tables: &Tables,
    database: &Database,
) -> CreateTable {
    let columns = table.columns.iter().map(|column| column_definition(column, database));
    let columns: Vec<ColumnDefinition> = columns.collect();
    let mut constraints = Vec::new();
    let has_key_column = table.number_key().or(table.serial_key()).is_some();
    if !has_key_column && !table.primary_key.is_empty() {
        constraints.push(Constraint::PrimaryKey(identifiers(&table.primary_key)));
    }
    for unique in &table.unique {
        let (name, columns) = (identifier(&unique.name), identifiers(&unique.columns));
        constraints.push(Constraint::Unique { name, columns });
    }
    constraints.extend(table.columns.iter().filter_map(|column| check(table, column, database)));
    if !database.flavor.definitions.alters_tables {
        for own in &table.references {
            constraints.extend(tables.find(&own.to).map(|to| reference(own, to, database)));
        }
    }
    let is_clustered = matches!(table.stores, Stored::Relation(_)) && !table.primary_key.is_empty();
    CreateTable { name: table_name(name, database), columns, constraints, is_clustered }
}

/// The statement that adds a column which accepts null to a table.
pub(crate) fn add_column(
    table: &Table,
    column: &Column,
    tables: &Tables,
    database: &Database,
) -> Definition {
    let mut constraints: Vec<Constraint> = check(table, column, database).into_iter().collect();
    if !database.flavor.definitions.alters_tables
        && let Some(own) = table.find_reference(&column.name).filter(|own| own.columns.len() == 1)
    {
        constraints.extend(tables.find(&own.to).map(|to| reference(own, to, database)));
    }
    let column = ColumnDefinition { is_required: false, ..column_definition(column, database) };
    Definition::AddColumn { table: table_name(&table.name, database), column, constraints }
}

fn column_definition(column: &Column, database: &Database) -> ColumnDefinition {
    ColumnDefinition {
        name: identifier(&column.name),
        data_type: data_type(column),
        is_required: column.is_required,
        key: match (&column.stores, &column.r#type) {
            (StoredValue::Sequence, _) => Some(NumberKey::Sequence),
            (StoredValue::MemberKey, _) => Some(NumberKey::Given),
            (_, ColumnType::Serial { sequence, initial_value }) => Some(NumberKey::Serial {
                sequence: table_name(sequence, database),
                initial_value: *initial_value,
            }),
            (
                StoredValue::MemberTable
                | StoredValue::Field(_)
                | StoredValue::Reference(..)
                | StoredValue::Pair(..)
                | StoredValue::Holder
                | StoredValue::Position
                | StoredValue::Element,
                _,
            ) => None,
        },
    }
}

/// The constraint on the values of a column, if its type does not say enough.
pub(crate) fn check(table: &Table, column: &Column, database: &Database) -> Option<Constraint> {
    let name = identifier(&column.name);
    let is_array = column.is_list || column.r#type == ColumnType::Vector;
    let condition = match (&column.r#type, is_array, database.flavor.definitions.arrays) {
        (_, true, false) => Condition::IsJsonArray(name),
        (ColumnType::Enum(labels), true, true) => Condition::ElementsOneOf(name, labels.clone()),
        (ColumnType::Enum(labels), false, _) => {
            Condition::OneOf(Term::Column(name), labels.clone())
        }
        (_, _, _) => return None,
    };
    let name = identifier(&format!("{}_{}_check", table.name, column.name));
    Some(Constraint::Check { name, condition })
}

/// The type of a column.
pub(crate) fn data_type(column: &Column) -> DataType {
    match column.is_list {
        true => DataType::Array(Box::new(value_type(&column.r#type))),
        false => value_type(&column.r#type),
    }
}

/// The type of a value, of an element if a column has lists.
pub(crate) fn value_type(r#type: &ColumnType) -> DataType {
    match r#type {
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Int32 | ColumnType::Serial { .. } => DataType::Integer,
        ColumnType::Int64 => DataType::BigInteger,
        ColumnType::Float64 => DataType::Double,
        ColumnType::Text | ColumnType::Enum(_) | ColumnType::Password | ColumnType::JsonText => {
            DataType::Text
        }
        ColumnType::Identifier => DataType::Varchar(25),
        ColumnType::Uuid => DataType::Uuid,
        ColumnType::Decimal => DataType::Decimal { precision: 65, scale: 30 },
        ColumnType::Timestamp => DataType::Timestamp,
        ColumnType::DateTime => DataType::TimestampWithZone,
        ColumnType::Json | ColumnType::Point | ColumnType::Polygon | ColumnType::MultiPolygon => {
            DataType::Json
        }
        ColumnType::Vector => DataType::Array(Box::new(DataType::Double)),
    }
}
