//! Nested loops over prepared statements: a level's statement runs for each row above it.

use relational::Program;
use response::{Bounds, Cursor, LevelId, Value};
use source::{SourceError, SourceErrorKind};

use super::bind::{Bound, BoundParameter};
use super::statement::{Rows, Statement};
use crate::error::map_error;

/// The rows of one level under one parent, with the statements of the levels below.
pub struct SqliteCursor<'a, 'c> {
    program: &'a Program,
    bound: &'a Bound,
    /// `None` at the top, and where the parent's key is null: then it has no rows.
    rows: Option<Rows<'a, 'c>>,
    /// The statements of the levels from `first` on; `None` where a root field has failed.
    below: &'a mut [Option<Statement<'c>>],
    first: u16,
    bounds: Bounds,
    shown: u64,
    has_more: bool,
    parent: Option<u64>,
}

impl std::fmt::Debug for SqliteCursor<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteCursor").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl<'a, 'c> SqliteCursor<'a, 'c> {
    /// The cursor of the top; `statements` are those of all levels.
    pub(super) fn new(
        program: &'a Program,
        bound: &'a Bound,
        statements: &'a mut [Option<Statement<'c>>],
    ) -> Self {
        Self {
            program,
            bound,
            rows: None,
            below: statements,
            first: 0,
            bounds: Bounds::default(),
            shown: 0,
            has_more: false,
            parent: None,
        }
    }
}

impl<'c> Cursor for SqliteCursor<'_, 'c> {
    type Error = SourceError;
    type Child<'b>
        = SqliteCursor<'b, 'c>
    where
        Self: 'b;

    // Each output has a writer of its own, which calls this for every row.
    #[inline]
    fn next(&mut self) -> Result<bool, SourceError> {
        let Some(rows) = &mut self.rows else { return Ok(false) };
        if !rows.step().map_err(map_error)? {
            return Ok(false);
        }
        if self.bounds.limit.is_some_and(|limit| self.shown >= limit) {
            self.has_more = true;
            return Ok(false);
        }
        self.shown += 1;
        Ok(true)
    }

    fn value(&self, column: u16) -> Value<'_> {
        self.rows.as_ref().map_or(Value::Null, |rows| rows.value(column))
    }

    fn is_null(&self, column: u16) -> bool {
        self.rows.as_ref().is_none_or(|rows| rows.is_null(column))
    }

    fn open(&mut self, level: LevelId) -> Result<SqliteCursor<'_, 'c>, SourceError> {
        let place = usize::from(level.0 - self.first);
        let end = usize::from(self.program.levels[usize::from(level.0)].end.0 - self.first);
        let bound = &self.bound.levels[usize::from(level.0)];
        let (statement, below) = self.below[place..end]
            .split_first_mut()
            .and_then(|(statement, below)| Some((statement.as_mut()?, below)))
            .ok_or_else(without_statement)?;
        let row = self.rows.as_ref();
        let mut orphan = false;
        let (mut parent, mut keys) = (None, 0);
        for (parameter, number) in bound.parameters.iter().zip(1..) {
            match parameter {
                BoundParameter::Value(value) => {
                    statement.bind(number, borrowed(value)).map_err(map_error)?
                }
                BoundParameter::File(content) => {
                    statement.bind(number, Value::Blob(content)).map_err(map_error)?
                }
                // Only changes have a result, and they are not read by a cursor.
                BoundParameter::Result(..)
                | BoundParameter::Keys(_)
                | BoundParameter::Columns(_) => {
                    statement.bind(number, Value::Null).map_err(map_error)?
                }
                BoundParameter::Parent(column) => {
                    let key = row.map_or(Value::Null, |row| row.value(*column));
                    orphan |= key == Value::Null;
                    keys += 1;
                    parent = match key {
                        Value::Integer(key) => Some(key.cast_unsigned()),
                        _ => None,
                    };
                    statement.bind(number, key).map_err(map_error)?;
                }
            }
        }
        let mut read_ahead = false;
        let reads_ahead_first = self.program.levels[usize::from(level.0)].reads_ahead_first();
        if let (false, true, Some(limit)) = (orphan, reads_ahead_first, bound.bounds.limit) {
            // Whether the first row was read ahead is known only after counting them all.
            let mut rows = statement.run();
            let mut count = 0;
            while rows.step().map_err(map_error)? {
                count += 1;
            }
            read_ahead = count > limit;
        }
        let mut rows = (!orphan).then(|| statement.run());
        if let (true, Some(rows)) = (read_ahead, &mut rows) {
            rows.step().map_err(map_error)?;
        }
        Ok(SqliteCursor {
            program: self.program,
            bound: self.bound,
            rows,
            below,
            first: level.0 + 1,
            bounds: bound.bounds,
            shown: 0,
            has_more: read_ahead,
            parent: parent.filter(|_| keys == 1),
        })
    }

    fn row_number(&self) -> u64 {
        self.bounds.offset + self.shown
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn has_more(&self) -> bool {
        // A page of no rows stands nowhere: nothing follows it.
        self.has_more && self.bounds.limit != Some(0)
    }

    fn parent(&self) -> Option<u64> {
        self.parent
    }
}

fn borrowed(value: &rusqlite::types::Value) -> Value<'_> {
    match value {
        rusqlite::types::Value::Null => Value::Null,
        rusqlite::types::Value::Integer(value) => Value::Integer(*value),
        rusqlite::types::Value::Real(value) => Value::Real(*value),
        rusqlite::types::Value::Text(text) => Value::Text(text.as_bytes()),
        rusqlite::types::Value::Blob(blob) => Value::Blob(blob),
    }
}

fn without_statement() -> SourceError {
    SourceError::new(SourceErrorKind::Internal, "a level without a statement")
}
