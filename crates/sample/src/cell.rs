//! One value of the sample, the same for every database.

use std::borrow::Cow;
use std::fmt;

use crate::timestamp::Timestamp;

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cell {
    /// SQL's NULL.
    Null,
    /// A value of an `INT` column.
    Integer(i32),
    /// A value of a `VARCHAR` column.
    Text(String),
    /// A value of a `NUMERIC(10,2)` column, in hundredths, so that sums are exact.
    Price(i64),
    /// A value of a `TIMESTAMP` column.
    Timestamp(Timestamp),
}

impl Cell {
    /// The text both databases read as this value; `None` for NULL.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Cell::Null => None,
            Cell::Text(text) => Some(Cow::Borrowed(text)),
            Cell::Integer(_) | Cell::Price(_) | Cell::Timestamp(_) => {
                Some(Cow::Owned(self.to_string()))
            }
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Null => f.write_str("NULL"),
            Cell::Integer(integer) => write!(f, "{integer}"),
            Cell::Text(text) => f.write_str(text),
            Cell::Price(hundredths) => {
                let sign = if *hundredths < 0 { "-" } else { "" };
                let hundredths = hundredths.unsigned_abs();
                write!(f, "{sign}{}.{:02}", hundredths / 100, hundredths % 100)
            }
            Cell::Timestamp(timestamp) => write!(f, "{timestamp}"),
        }
    }
}

impl From<i32> for Cell {
    fn from(integer: i32) -> Cell {
        Cell::Integer(integer)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<Timestamp> for Cell {
    fn from(timestamp: Timestamp) -> Cell {
        Cell::Timestamp(timestamp)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cell: impl Into<Cell>, text: Option<&str>) {
        assert_eq!(cell.into().text().as_deref(), text);
    }

    #[test]
    fn a_cell_prints_as_both_databases_read_it() {
        check(None::<i32>, None);
        check(-7, Some("-7"));
        check("O'Leary", Some("O'Leary"));
        check(Cell::Price(99), Some("0.99"));
        check(Cell::Price(1_386), Some("13.86"));
        check(Cell::Price(-5), Some("-0.05"));
        check(Timestamp::midnight(2024, 2, 9), Some("2024-02-09 00:00:00"));
    }
}
