//! Recorded tables and the actual ones: what was changed by hand.

use std::collections::HashMap;
use std::fmt;

use catalog::{Catalog, Entity, Field, Scalar, Type};

use sql::own::own_object;
use sql::tree::definition::DataType;
use sql::{Identifier, KeySequence, TableName};

use crate::database::Database;
use crate::definition::{is_virtual, value_type};
use crate::tables::{Column, ColumnType, IndexMethod, StoredValue, Table, Tables};

/// A difference between recorded tables and the actual ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drift {
    MissingTable(Box<str>),
    MissingColumn {
        table: Box<str>,
        column: Box<str>,
    },
    /// A column that no migration added.
    ExtraColumn {
        table: Box<str>,
        column: Box<str>,
    },
    OtherType {
        table: Box<str>,
        column: Box<str>,
    },
    /// A column of texts that takes fewer characters than it should.
    ShorterTexts {
        table: Box<str>,
        column: Box<str>,
        length: u32,
        /// `None`: any number.
        expected: Option<u32>,
    },
    /// A column that accepts null, though it was required, or the opposite.
    OtherNull {
        table: Box<str>,
        column: Box<str>,
        is_required: bool,
    },
    MissingUnique {
        table: Box<str>,
        column: Box<str>,
    },
    MissingReference {
        table: Box<str>,
        column: Box<str>,
    },
    /// An R-tree of places, or the trigger that maintains it, is not there.
    MissingPlaces {
        table: Box<str>,
        column: Box<str>,
    },
    /// A number of the table, which takes the next one of a sequence by default, has no default.
    MissingDefault {
        table: Box<str>,
        column: Box<str>,
    },
    /// Ids come from another sequence than that of the database, or from none.
    OtherSequence {
        table: Box<str>,
        column: Box<str>,
        sequence: Option<Box<str>>,
    },
    /// The sequence of ids, or the table that has the last one, is not there.
    MissingSequence(Box<str>),
    /// A new table would have the name of one that no migration created.
    ForeignTable(Box<str>),
}

/// The actual tables.
#[derive(Debug, Default)]
pub struct ActualTables {
    pub catalog: Catalog,
    /// Details that the catalog does not have.
    pub columns: Vec<ActualColumn>,
    /// Whether the sequence of ids is there.
    pub has_sequence: bool,
}

/// The details of columns by the names of table and column.
type Details<'a> = HashMap<(&'a str, &'a str), &'a ActualColumn>;

/// Details of a column of an actual table.
#[derive(Debug)]
pub struct ActualColumn {
    pub table: Box<str>,
    pub column: Box<str>,
    /// The characters that a text of a limited length has at most.
    pub length: Option<u32>,
    /// The sequence whose next number is its default, or its identity.
    pub sequence: Option<TableName>,
}

/// Compares recorded tables with the actual ones. Further tables are no matter, unless a new table
/// has the name of one of them.
#[must_use]
pub fn drift(
    recorded: &Tables,
    new: &Tables,
    actual: &ActualTables,
    database: &Database,
) -> Vec<Drift> {
    let mut found = Vec::new();
    let details = actual.columns.iter().map(|own| ((&*own.table, &*own.column), own)).collect();
    let find = |name: &str| {
        actual.catalog.entities().find(|entity| {
            entity.namespace.as_deref() == database.schema.as_deref()
                && is_same_name(&entity.name, name, database)
        })
    };
    for table in &recorded.tables {
        match find(&table.name) {
            None => found.push(Drift::MissingTable(table.name.clone())),
            Some(entity) => {
                compare(table, entity, (&actual.catalog, &details), database, &mut found)
            }
        }
    }
    let has_ids =
        |table: &Table| table.columns.iter().any(|column| column.stores == StoredValue::Sequence);
    if !actual.has_sequence && recorded.tables.iter().any(has_ids) {
        found.push(Drift::MissingSequence(sequence_name(&sequence(database))));
    }
    for table in &new.tables {
        if recorded.find(&table.name).is_none() && find(&table.name).is_some() {
            found.push(Drift::ForeignTable(table.name.clone()));
        }
    }
    found
}

/// SQLite compares names without regard to case.
fn is_same_name(left: &str, right: &str, database: &Database) -> bool {
    match database.flavor.definitions.schemas {
        true => left == right,
        false => left.eq_ignore_ascii_case(right),
    }
}

fn compare(
    table: &Table,
    entity: &Entity,
    (actual, details): (&Catalog, &Details<'_>),
    database: &Database,
    found: &mut Vec<Drift>,
) {
    let name = || table.name.clone();
    let field_of = |column: &str| {
        actual.fields_of(entity.id).find(|field| is_same_name(&field.name, column, database))
    };
    for column in &table.columns {
        let called = || column.name.clone();
        let Some(field) = field_of(&column.name) else {
            found.push(Drift::MissingColumn { table: name(), column: called() });
            continue;
        };
        let details = details.get(&(&*entity.name, &*field.name));
        if !has_type(field, column, actual, database) {
            found.push(Drift::OtherType { table: name(), column: called() });
        } else if let Some(length) = details.and_then(|own| own.length) {
            let expected = match value_type(&column.r#type) {
                DataType::Varchar(expected) => Some(u32::from(expected)),
                _ => None,
            };
            if expected.is_none_or(|expected| length < expected) {
                let (table, column) = (name(), called());
                found.push(Drift::ShorterTexts { table, column, length, expected });
            }
        }
        if field.nullable == column.is_required {
            let is_required = column.is_required;
            found.push(Drift::OtherNull { table: name(), column: called(), is_required });
        }
        let taken = details.and_then(|own| own.sequence.as_ref());
        match database.flavor.sequence {
            // Without defaults: the statements take the numbers.
            KeySequence::Row { .. } => {}
            KeySequence::Call(_) if is_numbered(column) && !field.has_default => {
                found.push(Drift::MissingDefault { table: name(), column: called() });
            }
            // The sequence of a table keeps its name when the table gets another.
            KeySequence::Call(_) if is_numbered(column) => {
                let own = sequence(database);
                let is_own =
                    |taken: &TableName| column.stores != StoredValue::Sequence || *taken == own;
                if !taken.is_some_and(is_own) {
                    let sequence = taken.map(sequence_name);
                    found.push(Drift::OtherSequence { table: name(), column: called(), sequence });
                }
            }
            KeySequence::Call(_) => {}
        }
    }
    for field in actual.fields_of(entity.id) {
        let is_recorded =
            table.columns.iter().any(|own| is_same_name(&field.name, &own.name, database));
        if !is_recorded {
            found.push(Drift::ExtraColumn { table: name(), column: field.name.clone() });
        }
    }
    let fields = |columns: &[Box<str>]| -> Option<Vec<_>> {
        columns.iter().map(|column| field_of(column).map(|field| field.id)).collect()
    };
    for unique in &table.unique {
        // A missing column is named already.
        let (Some(fields), Some(column)) = (fields(&unique.columns), unique.columns.first()) else {
            continue;
        };
        // Prisma made unique indexes in place of constraints.
        let mut indexes = entity.indexes.iter().filter(|own| own.unique && !own.is_partial());
        let is_index = indexes.any(|own| own.fields == fields);
        if !is_index && !entity.keys.iter().any(|key| key.fields == fields) {
            found.push(Drift::MissingUnique { table: name(), column: column.clone() });
        }
    }
    let places = table.indexes.iter().filter(|own| own.method == IndexMethod::Places);
    for index in places.filter(|own| is_virtual(own, database)) {
        let (Some(fields), Some(column)) = (fields(&index.columns), index.columns.first()) else {
            continue;
        };
        if !entity.place_indexes().iter().any(|own| fields == [own.field] && own.name == index.name)
        {
            found.push(Drift::MissingPlaces { table: name(), column: column.clone() });
        }
    }
    for reference in &table.references {
        let (Some(fields), Some(column)) = (fields(&reference.columns), reference.columns.first())
        else {
            continue;
        };
        let mut outgoing = entity.outgoing.iter().map(|id| &actual[*id]);
        let is_there = outgoing.any(|relationship| {
            relationship.from_fields == fields
                && is_same_name(&actual[relationship.to].name, &reference.to, database)
        });
        if !is_there {
            found.push(Drift::MissingReference { table: name(), column: column.clone() });
        }
    }
}

/// Whether a column takes the next number of a sequence by default.
fn is_numbered(column: &Column) -> bool {
    column.stores == StoredValue::Sequence || matches!(column.r#type, ColumnType::Serial { .. })
}

/// The sequence of ids, or the table that has the last one.
fn sequence(database: &Database) -> TableName {
    match database.flavor.sequence {
        KeySequence::Call(_) => own_object(database.schema.as_deref(), "id"),
        KeySequence::Row { table, .. } => {
            TableName { schema: None, name: Identifier(table.into()) }
        }
    }
}

fn sequence_name(TableName { schema, name }: &TableName) -> Box<str> {
    match schema {
        Some(schema) => format!("{}.{}", schema.0, name.0).into(),
        None => name.0.clone(),
    }
}

/// Whether a column still has its type.
fn has_type(field: &Field, column: &Column, actual: &Catalog, database: &Database) -> bool {
    let is_array = column.is_list || column.r#type == ColumnType::Vector;
    let element = match (is_array, database.flavor.definitions.arrays) {
        (true, false) => return matches!(field.r#type, Type::Scalar(Scalar::Json | Scalar::Jsonb)),
        (true, true) => match actual.base_type(&field.r#type) {
            Type::List(element) => element,
            _ => return false,
        },
        (false, _) => &field.r#type,
    };
    let Type::Scalar(scalar) = element else { return false };
    match column.r#type {
        ColumnType::Boolean => *scalar == Scalar::Boolean,
        ColumnType::Int32 | ColumnType::Serial { .. } => *scalar == Scalar::Int32,
        ColumnType::Int64 => match column.stores {
            // The key of a SQLite table is declared INTEGER, which may count as either.
            StoredValue::Sequence | StoredValue::MemberKey => {
                matches!(scalar, Scalar::Int32 | Scalar::Int64)
            }
            StoredValue::MemberTable
            | StoredValue::Field(_)
            | StoredValue::Reference(..)
            | StoredValue::Pair(..)
            | StoredValue::Holder
            | StoredValue::Position
            | StoredValue::Element => *scalar == Scalar::Int64,
        },
        ColumnType::Float64 | ColumnType::Vector => *scalar == Scalar::Float64,
        ColumnType::Text
        | ColumnType::Enum(_)
        | ColumnType::Password
        | ColumnType::Identifier
        | ColumnType::JsonText => *scalar == Scalar::Text,
        ColumnType::Uuid => *scalar == Scalar::Uuid,
        ColumnType::Decimal => matches!(scalar, Scalar::Decimal { .. }),
        ColumnType::Timestamp => *scalar == Scalar::Timestamp,
        ColumnType::DateTime => *scalar == Scalar::TimestampWithZone,
        ColumnType::Json | ColumnType::Point | ColumnType::Polygon | ColumnType::MultiPolygon => {
            matches!(scalar, Scalar::Json | Scalar::Jsonb)
        }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingTable(table) => write!(formatter, "the table {table} is not there"),
            Self::MissingColumn { table, column } => {
                write!(formatter, "the column {table}.{column} is not there")
            }
            Self::ExtraColumn { table, column } => {
                write!(formatter, "no migration added the column {table}.{column}")
            }
            Self::OtherType { table, column } => {
                write!(formatter, "the column {table}.{column} has another type")
            }
            Self::ShorterTexts { table, column, length, expected: None } => {
                write!(formatter, "texts of {table}.{column} are limited to {length} characters")
            }
            Self::ShorterTexts { table, column, length, expected: Some(expected) } => {
                write!(
                    formatter,
                    "texts of {table}.{column} are limited to {length} characters, in place of {expected}"
                )
            }
            Self::OtherNull { table, column, is_required: true } => {
                write!(formatter, "the column {table}.{column} accepts null, and should not")
            }
            Self::OtherNull { table, column, is_required: false } => {
                write!(formatter, "the column {table}.{column} does not accept null, and should")
            }
            Self::MissingUnique { table, column } => {
                write!(formatter, "the unique constraint of {table}.{column} is not there")
            }
            Self::MissingReference { table, column } => {
                write!(formatter, "the foreign key of {table}.{column} is not there")
            }
            Self::MissingPlaces { table, column } => {
                write!(formatter, "the index of places of {table}.{column} is not there")
            }
            Self::MissingDefault { table, column } => {
                write!(formatter, "the default of {table}.{column} is not there")
            }
            Self::OtherSequence { table, column, sequence: Some(sequence) } => {
                write!(
                    formatter,
                    "{table}.{column} takes its ids from another sequence, {sequence}"
                )
            }
            Self::OtherSequence { table, column, sequence: None } => {
                write!(formatter, "{table}.{column} does not take its ids from the sequence")
            }
            Self::MissingSequence(sequence) => {
                write!(formatter, "{sequence}, which has the last id, is not there")
            }
            Self::ForeignTable(table) => {
                write!(formatter, "there is a table {table} which no migration created")
            }
        }
    }
}
