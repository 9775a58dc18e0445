//! Keys of earlier levels as JSON lists, for the statements that need them.

use relational::KeyResults;
use response::LevelId;
use source::SourceError;

use super::gathered::{Gathered, Owned};
use crate::bind::{BoundColumn, BoundKeys};

impl KeyResults for Gathered {
    fn rows(&self, level: LevelId) -> usize {
        self.level(level).len()
    }

    fn integer(&self, level: LevelId, row: usize, column: u16) -> Option<i64> {
        match self.level(level).value(row, column) {
            Some(Owned::Integer(number)) => Some(*number),
            _ => None,
        }
    }
}

impl Gathered {
    /// Keys as a JSON list.
    pub(super) fn key_list(&self, keys: &BoundKeys) -> Result<String, SourceError> {
        let keys = self.keys(keys)?;
        let keys: Vec<String> = keys.into_iter().map(key_text).collect();
        Ok(["[", &keys.join(","), "]"].concat())
    }

    /// Lists as the columns of rows: a JSON list of lists.
    pub(super) fn rows_of_columns(&self, columns: &[BoundColumn]) -> Result<String, SourceError> {
        let mut lists: Vec<Column<'_>> = Vec::with_capacity(columns.len());
        for column in columns {
            lists.push(match column {
                BoundColumn::Values(values) => Column::Values(values),
                BoundColumn::Keys(keys) => Column::Keys(self.keys(keys)?),
            });
        }
        let rows = lists.first().map_or(0, Column::len);
        if lists.iter().any(|list| list.len() != rows) {
            return Err(SourceError::input("a change has lists of different lengths"));
        }
        let mut text = String::from("[");
        for row in 0..rows {
            text.push_str(if row == 0 { "[" } else { ",[" });
            for (place, list) in lists.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                list.write(row, &mut text);
            }
            text.push(']');
        }
        text.push(']');
        Ok(text)
    }

    fn keys(&self, keys: &BoundKeys) -> Result<Vec<Option<i64>>, SourceError> {
        match keys {
            BoundKeys::Objects(list, creators) => list.keys(creators, self),
            BoundKeys::Results(level, column) => {
                let rows = 0..self.rows(*level);
                Ok(rows.map(|row| self.integer(*level, row, *column)).collect())
            }
        }
    }
}

/// A column of rows.
enum Column<'v> {
    Values(&'v [Box<str>]),
    Keys(Vec<Option<i64>>),
}

impl Column<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Keys(keys) => keys.len(),
        }
    }

    fn write(&self, row: usize, text: &mut String) {
        match self {
            Self::Values(values) => text.push_str(values.get(row).map_or("null", |value| value)),
            Self::Keys(keys) => text.push_str(&key_text(keys.get(row).copied().flatten())),
        }
    }
}

fn key_text(key: Option<i64>) -> String {
    key.map_or_else(|| "null".to_owned(), |key| key.to_string())
}
