//! Results of a request's statements.

use std::ops::Range;

use relational::{Program, When};
use response::{Bounds, Cursor, LevelId, MemoryReservation, Value};
use rusqlite::Row;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use source::{SourceError, SourceErrorKind};

use crate::bind::Bound;

/// The rows of all levels.
#[derive(Debug)]
pub(crate) struct Gathered {
    levels: Vec<Rows>,
}

/// The memory that rows take.
#[derive(Debug)]
pub(super) struct Holding {
    bytes: u64,
    held: MemoryReservation,
}

/// The rows of one level.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Number of columns of a row.
    columns: usize,
    /// One row after the other.
    values: Vec<Owned>,
    count: usize,
    /// The range of rows for each row of the level above. Without a level above, of all.
    of_parents: Vec<Range<usize>>,
    /// Number of rows that a statement without result rows has changed.
    pub(super) changed: u64,
}

/// A value in SQLite's own form. A file may hold texts that are no UTF-8.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Owned {
    Null,
    Integer(i64),
    Real(f64),
    Text(Box<[u8]>),
    Blob(Box<[u8]>),
}

impl Owned {
    /// The value in a message.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Null | Self::Blob(_) => None,
            Self::Integer(value) => Some(value.to_string()),
            Self::Real(value) => Some(value.to_string()),
            Self::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        }
    }
}

/// The rows of a level under one row of the level above.
#[derive(Debug)]
pub(crate) struct GatheredCursor<'g> {
    program: &'g Program,
    bound: &'g Bound,
    gathered: &'g Gathered,
    /// `None` at the top.
    rows: Option<&'g Rows>,
    next: Range<usize>,
    row: usize,
    bounds: Bounds,
    shown: u64,
    has_more: bool,
}

impl Gathered {
    /// Without results.
    pub(super) fn new(program: &Program) -> Self {
        Self { levels: program.levels.iter().map(|_| Rows::default()).collect() }
    }

    pub(super) fn level(&self, level: LevelId) -> &Rows {
        &self.levels[usize::from(level.0)]
    }

    /// Whether all of these conditions are met.
    pub(super) fn meets(&self, conditions: &[When]) -> bool {
        conditions.iter().all(|when| when.is_met(self.level(when.level).len()))
    }

    pub(super) fn set(&mut self, level: LevelId, rows: Rows) {
        self.levels[usize::from(level.0)] = rows;
    }

    /// Adds rows to those of a level that belong to no others.
    pub(super) fn add(&mut self, level: LevelId, rows: Rows) {
        let all = &mut self.levels[usize::from(level.0)];
        all.columns = all.columns.max(rows.columns);
        all.values.extend(rows.values);
        all.count += rows.count;
        all.changed += rows.changed;
        all.of_parents.clear();
        all.end_parent(0);
    }

    /// Drops the results of levels whose transaction was not committed.
    pub(super) fn forget(&mut self, levels: Range<u16>) {
        for level in levels {
            self.set(LevelId(level), Rows::default());
        }
    }
}

impl Holding {
    pub(super) fn new(held: MemoryReservation) -> Self {
        Self { bytes: 0, held }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Counts the bytes of a row.
    pub(super) fn hold(&mut self, bytes: u64) -> Result<(), SourceError> {
        self.bytes += bytes;
        let held = self.held.grow_to(self.bytes);
        held.map_err(|error| SourceError::new(SourceErrorKind::BudgetExceeded, error.to_string()))
    }
}

impl Rows {
    /// An empty result with this number of columns.
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, ..Self::default() }
    }

    /// The empty result of a level that is left out.
    pub(super) fn none() -> Self {
        let mut rows = Self::default();
        rows.end_parent(0);
        rows
    }

    /// The number of the rows, or of those that were changed where none came back.
    pub(super) fn count(&self) -> u64 {
        if self.columns == 0 { self.changed } else { self.count as u64 }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn value(&self, row: usize, column: u16) -> Option<&Owned> {
        let column = usize::from(column);
        if column >= self.columns {
            return None;
        }
        self.values.get(row * self.columns + column)
    }

    /// Adds a row, and returns its bytes.
    pub(super) fn push(&mut self, row: &Row<'_>) -> Result<u64, rusqlite::Error> {
        let mut bytes = 0;
        for column in 0..self.columns {
            let value = row.get_ref(column)?;
            bytes += size_of::<Owned>();
            if let ValueRef::Text(text) | ValueRef::Blob(text) = value {
                bytes += text.len();
            }
            self.values.push(value.into());
        }
        self.count += 1;
        Ok(bytes as u64)
    }

    /// The rows from `start` on are those of the next row of the level above.
    pub(super) fn end_parent(&mut self, start: usize) {
        self.of_parents.push(start..self.count);
    }
}

impl From<ValueRef<'_>> for Owned {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(value) => Self::Integer(value),
            ValueRef::Real(value) => Self::Real(value),
            ValueRef::Text(text) => Self::Text(text.into()),
            ValueRef::Blob(blob) => Self::Blob(blob.into()),
        }
    }
}

impl ToSql for Owned {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(value) => ValueRef::Integer(*value),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Text(text) => ValueRef::Text(text),
            Self::Blob(blob) => ValueRef::Blob(blob),
        }))
    }
}

impl<'g> GatheredCursor<'g> {
    /// The cursor of the top.
    pub(crate) fn new(program: &'g Program, bound: &'g Bound, gathered: &'g Gathered) -> Self {
        Self {
            program,
            bound,
            gathered,
            rows: None,
            next: 0..0,
            row: 0,
            bounds: Bounds::default(),
            shown: 0,
            has_more: false,
        }
    }
}

impl<'g> Cursor for GatheredCursor<'g> {
    type Error = SourceError;
    type Child<'b>
        = GatheredCursor<'g>
    where
        Self: 'b;

    fn next(&mut self) -> Result<bool, SourceError> {
        let Some(row) = self.next.next() else { return Ok(false) };
        if self.bounds.limit.is_some_and(|limit| self.shown >= limit) {
            self.has_more = true;
            self.next = 0..0;
            return Ok(false);
        }
        self.row = row;
        self.shown += 1;
        Ok(true)
    }

    fn value(&self, column: u16) -> Value<'_> {
        match self.rows.and_then(|rows| rows.value(self.row, column)) {
            None | Some(Owned::Null) => Value::Null,
            Some(Owned::Integer(value)) => Value::Integer(*value),
            Some(Owned::Real(value)) => Value::Real(*value),
            Some(Owned::Text(text)) => Value::Text(text),
            Some(Owned::Blob(blob)) => Value::Blob(blob),
        }
    }

    fn open(&mut self, level: LevelId) -> Result<GatheredCursor<'g>, SourceError> {
        let place = usize::from(level.0);
        let rows = self.gathered.level(level);
        // At the top there is one row for all, which is none.
        let parent = if self.rows.is_some() { self.row } else { 0 };
        let mut next = rows.of_parents.get(parent).cloned().unwrap_or_default();
        let bounds = self.bound.levels[place].bounds;
        let mut has_more = false;
        if let (true, Some(limit)) = (self.program.levels[place].reads_ahead_first(), bounds.limit)
        {
            // The first of them was read ahead.
            has_more = next.len() as u64 > limit;
            next.start += usize::from(has_more);
        }
        let Self { program, bound, gathered, .. } = *self;
        let rows = Some(rows);
        Ok(GatheredCursor {
            program,
            bound,
            gathered,
            rows,
            next,
            row: 0,
            bounds,
            shown: 0,
            has_more,
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
}
