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

    /// The keys, each as JSON.
    fn keys(&self, keys: &BoundKeys) -> Result<Vec<String>, SourceError> {
        match keys {
            BoundKeys::Objects(list, creators) => {
                let number =
                    |key: Option<i64>| key.map_or_else(|| NULL.to_owned(), |key| key.to_string());
                Ok(list.keys(creators, self)?.into_iter().map(number).collect())
            }
            BoundKeys::Results(level, column) => {
                let rows = 0..self.rows(*level);
                rows.map(|row| json(self.level(*level).value(row, *column))).collect()
            }
        }
    }
}

const NULL: &str = "null";

/// A column of rows.
enum Column<'v> {
    Values(&'v [Box<str>]),
    Keys(Vec<String>),
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
            Self::Values(values) => text.push_str(values.get(row).map_or(NULL, |value| value)),
            Self::Keys(keys) => text.push_str(keys.get(row).map_or(NULL, |key| key)),
        }
    }
}

/// A key as JSON. A key that has none is an error: a list without it would find other rows.
fn json(key: Option<&Owned>) -> Result<String, SourceError> {
    Ok(match key {
        None | Some(Owned::Null) => NULL.to_owned(),
        Some(Owned::Integer(number)) => number.to_string(),
        Some(Owned::Real(number)) if number.is_finite() => number.to_string(),
        Some(Owned::Text(text)) => {
            let text = std::str::from_utf8(text);
            let text = text.map_err(|_| SourceError::input("a key is a text that is not UTF-8"))?;
            let mut json = String::with_capacity(text.len() + 2);
            response::escape::push_string(text, &mut json);
            json
        }
        Some(Owned::Real(_) | Owned::Blob(_)) => {
            return Err(SourceError::input("a list cannot have keys that JSON does not have"));
        }
    })
}
