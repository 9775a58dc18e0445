//! Values as databases return them → values of columns.

use serde_json::Value as Json;
use storage::tables::ColumnType;

use super::{Raw, Row, Value, ValueRef, convert, moment};

/// A column as a bulk read returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredColumn {
    pub name: Box<str>,
    pub r#type: ColumnType,
    pub is_list: bool,
}

/// A value of a database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DatabaseValue<'f> {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(&'f str),
}

/// Rows in one buffer.
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl RowBuffer {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a value to the row that is being added.
    pub fn push(&mut self, value: &Value) {
        value.write(&mut self.bytes);
    }

    pub fn end_row(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// The bytes of a row.
    #[must_use]
    pub fn bytes(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.bytes.get(start..self.ends[index]).unwrap_or_default()
    }

    #[must_use]
    pub fn row(&self, index: usize) -> Row<'_> {
        Row::new(self.bytes(index))
    }

    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.len()).map(|index| self.row(index))
    }

    /// Values of the last row.
    #[must_use]
    pub fn last(&self) -> Option<Vec<ValueRef<'_>>> {
        Some(self.row(self.len().checked_sub(1)?).collect())
    }
}

/// A value of a column, in the form that is the same for all databases. `None` if it is none of the
/// column's type.
#[must_use]
pub fn stored(found: DatabaseValue<'_>, column: &StoredColumn) -> Option<Value> {
    if column.is_list || column.r#type == ColumnType::Vector {
        return match found {
            DatabaseValue::Null => Some(Value::Null),
            DatabaseValue::Text(text) => list(text, &column.r#type),
            DatabaseValue::Boolean(_) | DatabaseValue::Integer(_) | DatabaseValue::Float(_) => None,
        };
    }
    Some(match (&column.r#type, found) {
        (_, DatabaseValue::Null) => Value::Null,
        (ColumnType::Boolean, DatabaseValue::Boolean(value)) => Value::Boolean(value),
        (ColumnType::Boolean, DatabaseValue::Integer(value @ (0 | 1))) => {
            Value::Boolean(value == 1)
        }
        (ColumnType::Int32 | ColumnType::Int64, DatabaseValue::Integer(number)) => {
            Value::Integer(number)
        }
        (ColumnType::Float64, DatabaseValue::Float(number)) => Value::float(number),
        // A number without a fraction.
        #[expect(clippy::cast_precision_loss, reason = "SQLite stores such numbers as integers")]
        (ColumnType::Float64, DatabaseValue::Integer(number)) => Value::Float(number as f64),
        (ColumnType::DateTime, DatabaseValue::Integer(micros)) => Value::Moment(micros),
        (ColumnType::DateTime, DatabaseValue::Text(text)) => {
            Value::Moment(moment::read(text)?.micros)
        }
        (
            ColumnType::Text | ColumnType::Enum(_) | ColumnType::Password,
            DatabaseValue::Text(text),
        ) => Value::Text(text.into()),
        (r#type, DatabaseValue::Text(text)) => convert(Raw::Json(text), r#type).ok()?,
        (_, DatabaseValue::Boolean(_) | DatabaseValue::Integer(_) | DatabaseValue::Float(_)) => {
            return None;
        }
    })
}

fn list(text: &str, r#type: &ColumnType) -> Option<Value> {
    let Json::Array(items) = serde_json::from_str(text).ok()? else { return None };
    let element = if *r#type == ColumnType::Vector { &ColumnType::Float64 } else { r#type };
    let items = items.iter().map(|item| {
        let text = item.to_string();
        let raw = match item {
            Json::Null => return Some(Value::Null),
            Json::String(text) => Raw::Text(text),
            Json::Bool(value) => Raw::Boolean(*value),
            Json::Number(_) => Raw::Number(&text),
            Json::Array(_) | Json::Object(_) => Raw::Json(&text),
        };
        convert(raw, element).ok()
    });
    items.collect::<Option<Vec<Value>>>().map(Value::List)
}
