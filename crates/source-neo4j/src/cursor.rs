//! Rows where they were received: records, and lists of rows within them.
//!
//! Nothing is copied or indexed in advance: a column is found by skipping those before it, and
//! positions within the current row are cached.

mod row;

use response::packed::{Packed, begin};
use response::{Bounds, Cursor, LevelId, Value};

use ir::Counter;
use source::{SourceError, SourceErrorKind};

use self::row::Row;
use super::program::{GraphLevel, GraphProgram, LevelRows};
use super::wire::{Counters, Records};

/// The results of a request's statements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer<'a> {
    program: &'a GraphProgram,
    /// By level.
    bounds: &'a [Bounds],
    /// By statement; empty where one was not run.
    results: &'a [Records],
}

/// The rows of one level under one row of the level above.
#[derive(Debug)]
pub(super) struct GraphCursor<'a> {
    answer: Answer<'a>,
    /// None at the top.
    level: Option<&'a GraphLevel>,
    following: Following<'a>,
    row: Current<'a>,
    bounds: Bounds,
    shown: u64,
    has_more: bool,
}

/// The rows that come next.
#[derive(Clone, Copy, Debug)]
enum Following<'a> {
    None,
    /// Records of a statement, from this one on.
    Records {
        records: &'a Records,
        next: usize,
    },
    /// A number of rows in a list. They begin where the current row ends, or here before the first.
    List {
        left: u32,
        first: &'a [u8],
    },
    /// The only row.
    Counters(Counted<'a>),
}

#[derive(Debug)]
enum Current<'a> {
    None,
    Row(Row<'a>),
    Counters(Counted<'a>),
}

/// The counters of a statement.
#[derive(Clone, Copy, Debug)]
struct Counted<'a> {
    counters: Counters,
    bookmark: Option<&'a str>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(
        program: &'a GraphProgram,
        bounds: &'a [Bounds],
        results: &'a [Records],
    ) -> Self {
        Self { program, bounds, results }
    }

    /// The cursor of the top.
    pub(super) fn top(self) -> GraphCursor<'a> {
        GraphCursor {
            answer: self,
            level: None,
            following: Following::None,
            row: Current::None,
            bounds: Bounds::default(),
            shown: 0,
            has_more: false,
        }
    }

    fn records(&self, statement: u16) -> Option<&'a Records> {
        self.results.get(usize::from(statement))
    }
}

impl<'a> GraphCursor<'a> {
    /// The rows of a level that belong to the current row.
    fn following(&self, level: &GraphLevel) -> Result<Following<'a>, SourceError> {
        match level.rows {
            LevelRows::Records { statement } => Ok(match self.answer.records(statement) {
                Some(records) => Following::Records { records, next: 0 },
                None => Following::None,
            }),
            LevelRows::InRecord { statement, column } => {
                let records = self.answer.records(statement);
                let Some(records) = records.filter(|records| !records.is_empty()) else {
                    return Ok(Following::None);
                };
                let row = Row::new(records.record(0)).ok_or_else(malformed)?;
                list(row.column(column))
            }
            LevelRows::InRow { column } => match &self.row {
                Current::Row(row) => list(row.column(column)),
                Current::None | Current::Counters(_) => Ok(Following::None),
            },
            LevelRows::Summary { statement } => match self.answer.records(statement) {
                Some(records) => {
                    let counters = records.summary()?.counters;
                    Ok(Following::Counters(Counted { counters, bookmark: records.bookmark() }))
                }
                None => Ok(Following::None),
            },
        }
    }

    /// Takes the next row, if there is one.
    fn take(&mut self) -> Result<Option<Current<'a>>, SourceError> {
        match &mut self.following {
            Following::None => Ok(None),
            Following::Records { records, next } => {
                if *next >= records.len() {
                    return Ok(None);
                }
                let row = Row::new(records.record(*next)).ok_or_else(malformed)?;
                *next += 1;
                Ok(Some(Current::Row(row)))
            }
            Following::List { left, first } => {
                let Some(after) = left.checked_sub(1) else { return Ok(None) };
                let bytes = match &self.row {
                    Current::Row(row) => row.end().ok_or_else(malformed)?,
                    Current::None | Current::Counters(_) => first,
                };
                *left = after;
                Ok(Some(Current::Row(Row::new(bytes).ok_or_else(malformed)?)))
            }
            Following::Counters(counted) => {
                let counted = *counted;
                self.following = Following::None;
                Ok(Some(Current::Counters(counted)))
            }
        }
    }

    fn is_over(&self) -> bool {
        match self.following {
            Following::None => true,
            Following::Records { records, next } => next >= records.len(),
            Following::List { left, .. } => left == 0,
            Following::Counters(_) => false,
        }
    }
}

impl Cursor for GraphCursor<'_> {
    type Error = SourceError;
    type Child<'b>
        = GraphCursor<'b>
    where
        Self: 'b;

    fn next(&mut self) -> Result<bool, SourceError> {
        if self.bounds.limit.is_some_and(|limit| self.shown >= limit) {
            self.has_more = !self.is_over();
            return Ok(false);
        }
        let Some(row) = self.take()? else { return Ok(false) };
        self.row = row;
        self.shown += 1;
        Ok(true)
    }

    #[inline]
    fn value(&self, column: u16) -> Value<'_> {
        match &self.row {
            Current::Row(row) => row.value(column),
            Current::Counters(counted) => {
                let counter = self.level.and_then(|level| level.counters.get(usize::from(column)));
                counter.map_or(Value::Null, |counter| count(*counter, counted))
            }
            Current::None => Value::Null,
        }
    }

    fn open(&mut self, level: LevelId) -> Result<GraphCursor<'_>, SourceError> {
        let place = usize::from(level.0);
        let level = self.answer.program.levels.get(place);
        let following = level.map_or(Ok(Following::None), |level| self.following(level))?;
        Ok(GraphCursor {
            answer: self.answer,
            level,
            following,
            row: Current::None,
            bounds: self.answer.bounds.get(place).copied().unwrap_or_default(),
            shown: 0,
            has_more: false,
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

/// The rows that a column holds.
fn list(column: Option<&[u8]>) -> Result<Following<'_>, SourceError> {
    match begin(column.ok_or_else(malformed)?) {
        Ok(Packed::List(rows)) => Ok(Following::List { left: rows.len(), first: rows.bytes() }),
        Ok(Packed::Null) => Ok(Following::None),
        _ => Err(malformed()),
    }
}

fn count<'a>(counter: Counter, Counted { counters, bookmark }: &Counted<'a>) -> Value<'a> {
    let count = match counter {
        Counter::RowsInserted => counters.nodes_created,
        Counter::RowsDeleted => counters.nodes_deleted,
        Counter::LinksCreated => counters.relationships_created,
        Counter::LinksDeleted => counters.relationships_deleted,
        // The server counts properties, not the rows that have them.
        Counter::RowsUpdated => 0,
        Counter::RowsAffected => counters.nodes_created + counters.nodes_deleted,
        Counter::Bookmark => {
            return bookmark.map_or(Value::Null, |bookmark| Value::Text(bookmark.as_bytes()));
        }
    };
    Value::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

fn malformed() -> SourceError {
    SourceError::new(SourceErrorKind::Internal, "Neo4j sent rows of another form than asked for")
}

#[cfg(test)]
mod tests;
