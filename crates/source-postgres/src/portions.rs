//! Rows that are read in portions while their answer is written (streaming with backpressure): a
//! root field's rows come through a portal, and the rows below them are read for each portion, by
//! the keys of its rows. All statements are in one transaction with one snapshot.
//!
//! This runs on a thread of its own, which blocks on the database and on the reader of the answer,
//! without blocking other requests.

use std::cell::{Cell, RefCell};

use relational::Level;
use response::{Bounds, Cursor, LevelId, Value};
use source::streamed::Abandoned;
use source::{SourceError, SourceErrorKind};
use tokio::runtime::Handle;

use super::bind::{Bound, BoundParameter};
use super::cursor::{Index, PostgresCursor, View};
use super::execute::{PostgresProgram, key_arrays};
use super::wire::{Parameter, Pipeline, Rows, WireError};

/// The first portion is small, so that the first bytes of an answer are sent soon; the size doubles
/// as long as portions hold few bytes.
const FIRST_ROWS: u32 = 256;

/// Bytes up to which a portion may grow, and beyond which it shrinks.
const LITTLE: usize = 128 << 10;
const MUCH: usize = 512 << 10;

/// Reads all root fields of a program, one after the other.
#[derive(Debug)]
pub(super) struct Portions<'s> {
    pub(super) runtime: &'s Handle,
    pub(super) pipeline: RefCell<Pipeline<'s>>,
    pub(super) program: &'s PostgresProgram,
    pub(super) bound: &'s Bound,
    pub(super) abandoned: &'s Abandoned,
    /// Most rows of a portion; a test may set few.
    pub(super) most_rows: u32,
    pub(super) count: Cell<u32>,
}

/// The cursor of the top.
#[derive(Debug)]
pub(super) struct Top<'a, 's>(pub(super) &'a Portions<'s>);

/// The rows of the top's level, or of a level below it.
#[derive(Debug)]
pub(super) enum PortionCursor<'a, 's> {
    Root(Root<'a, 's>),
    Below(PostgresCursor<'a>),
}

/// The rows of a root field.
#[derive(Debug)]
pub(super) struct Root<'a, 's> {
    portions: &'a Portions<'s>,
    level: &'a Level,
    /// The portion's rows of this level and of those below it.
    rows: Vec<Rows>,
    indexes: Vec<Option<Index<'static>>>,
    portion: u32,
    /// The current row of the portion, counted from 1.
    current: u32,
    /// Number of rows of the next portion.
    next_rows: u32,
    is_open: bool,
    bounds: Bounds,
    shown: u64,
    has_more: bool,
}

impl Portions<'_> {
    /// Sends the composed messages, and waits for the rows.
    fn read(&self, results: &mut Vec<Rows>) -> Result<(), SourceError> {
        let mut pipeline = self.pipeline.borrow_mut();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = self.abandoned.wait() => Err(unread()),
                read = pipeline.flush_and_read(results) => Ok(read?),
            }
        })
    }

    fn compose(
        &self,
        compose: impl FnOnce(&mut Pipeline<'_>) -> Result<(), WireError>,
    ) -> Result<(), SourceError> {
        Ok(compose(&mut self.pipeline.borrow_mut())?)
    }
}

impl<'a, 's> Root<'a, 's> {
    fn open(portions: &'a Portions<'s>, id: LevelId) -> Result<Self, SourceError> {
        let place = usize::from(id.0);
        let level = portions.program.program.levels.get(place).ok_or_else(without_level)?;
        let levels = portions.program.program.levels.len();
        let (mut rows, mut indexes) = (Vec::new(), Vec::new());
        rows.resize_with(levels, Rows::default);
        indexes.resize_with(levels, || None);
        let bounds = portions.bound.levels[place].bounds;
        let next_rows = FIRST_ROWS.min(portions.most_rows);
        let mut root = Self {
            portions,
            level,
            rows,
            indexes,
            portion: 0,
            current: 0,
            next_rows,
            is_open: false,
            bounds,
            shown: 0,
            has_more: false,
        };
        // Whether the first row was read ahead is known only when all are there.
        let most = if level.reads_ahead_first() { 0 } else { next_rows };
        let parameters = portions.bound.parameters(place).map(|parameter| match parameter {
            BoundParameter::Text(text) => Parameter::Text(text),
            BoundParameter::Null | BoundParameter::Keys => Parameter::Null,
        });
        let statement = portions.program.statement(place, portions.bound);
        portions.compose(|pipeline| pipeline.open_portal(statement, parameters, most))?;
        root.is_open = true;
        root.read()?;
        if most == 0 && bounds.limit.is_some_and(|limit| root.count() > limit) {
            root.has_more = true;
            root.current = 1;
        }
        Ok(root)
    }

    /// Number of rows of the portion.
    fn count(&self) -> u64 {
        self.rows.get(usize::from(self.level.id.0)).map_or(0, Rows::len) as u64
    }

    /// Reads a portion, and the rows below it.
    fn read(&mut self) -> Result<(), SourceError> {
        let place = usize::from(self.level.id.0);
        let mut results = vec![std::mem::take(&mut self.rows[place])];
        self.portions.read(&mut results)?;
        self.rows[place] = results.pop().unwrap_or_default();
        self.current = 0;
        self.portion = self.portions.count.get();
        self.portions.count.set(self.portion.wrapping_add(1));
        let mut bytes = self.rows[place].bytes();
        let levels = &self.portions.program.program.levels;
        let below =
            || levels.iter().filter(|level| (self.level.id..self.level.end).contains(&level.id));
        let last = below().map(|level| level.round).max().unwrap_or(0);
        for round in 1..=last {
            let mut sent = Vec::new();
            for level in below().filter(|level| level.round == round) {
                let place = usize::from(level.id.0);
                self.rows[place] = Rows::default();
                self.indexes[place] = None;
                let Some(keys) = key_arrays(levels, level, self.portions.bound, &self.rows)? else {
                    continue;
                };
                self.portions.compose(|pipeline| {
                    self.portions.program.execute(pipeline, self.portions.bound, place, &keys)
                })?;
                sent.push(place);
            }
            if sent.is_empty() {
                continue;
            }
            let mut results = Vec::new();
            self.portions.read(&mut results)?;
            bytes += results.first().map_or(0, Rows::bytes);
            for (rows, place) in results.into_iter().zip(sent) {
                let link = levels[place].link.as_ref();
                self.indexes[place] = link.map(|link| Index::of(&rows, link)).transpose()?;
                self.rows[place] = rows;
            }
        }
        if bytes < LITTLE {
            self.next_rows = self.next_rows.saturating_mul(2).min(self.portions.most_rows);
        } else if bytes > MUCH {
            self.next_rows = (self.next_rows / 2).max(1);
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        View {
            program: &self.portions.program.program,
            bound: self.portions.bound,
            rows: &self.rows,
            indexes: &self.indexes,
            // In portions to-one rows are joined.
            referred: &[],
            portion: self.portion,
        }
    }

    fn next(&mut self) -> Result<bool, SourceError> {
        if u64::from(self.current) >= self.count() {
            let place = usize::from(self.level.id.0);
            if !self.rows[place].has_more() {
                return Ok(false);
            }
            self.rows.iter_mut().for_each(Rows::clear);
            let next_rows = self.next_rows;
            let statement = self.portions.program.statement(place, self.portions.bound);
            self.portions.compose(|pipeline| pipeline.fetch(statement, next_rows))?;
            self.read()?;
            if self.count() == 0 {
                return Ok(false);
            }
        }
        if self.bounds.limit.is_some_and(|limit| self.shown >= limit) {
            self.has_more = true;
            return Ok(false);
        }
        self.current += 1;
        self.shown += 1;
        Ok(true)
    }

    fn row(&self) -> PostgresCursor<'_> {
        PostgresCursor::at(self.view(), self.level, self.current.wrapping_sub(1))
    }
}

/// Discards the remaining rows; the next round closes the portal.
impl Drop for Root<'_, '_> {
    fn drop(&mut self) {
        if self.is_open {
            // After an error here the connection is broken for all other messages, too.
            let _ = self.portions.compose(|pipeline| pipeline.close_portal());
        }
    }
}

impl<'s> Cursor for Top<'_, 's> {
    type Error = SourceError;
    type Child<'b>
        = PortionCursor<'b, 's>
    where
        Self: 'b;

    fn next(&mut self) -> Result<bool, SourceError> {
        Ok(false)
    }

    fn value(&self, _: u16) -> Value<'_> {
        Value::Null
    }

    fn open(&mut self, level: LevelId) -> Result<PortionCursor<'_, 's>, SourceError> {
        Root::open(self.0, level).map(PortionCursor::Root)
    }

    fn row_number(&self) -> u64 {
        0
    }

    fn bounds(&self) -> Bounds {
        Bounds::default()
    }

    fn has_more(&self) -> bool {
        false
    }
}

impl<'s> Cursor for PortionCursor<'_, 's> {
    type Error = SourceError;
    type Child<'b>
        = PortionCursor<'b, 's>
    where
        Self: 'b;

    fn next(&mut self) -> Result<bool, SourceError> {
        match self {
            Self::Root(root) => root.next(),
            Self::Below(cursor) => cursor.next(),
        }
    }

    fn value(&self, column: u16) -> Value<'_> {
        match self {
            Self::Root(root) => {
                let rows = root.rows.get(usize::from(root.level.id.0));
                let row = root.current.wrapping_sub(1) as usize;
                let value = rows.and_then(|rows| rows.value(row, usize::from(column)));
                value.map_or(Value::Null, Value::Text)
            }
            Self::Below(cursor) => cursor.value(column),
        }
    }

    fn open(&mut self, level: LevelId) -> Result<PortionCursor<'_, 's>, SourceError> {
        Ok(PortionCursor::Below(match self {
            Self::Root(root) => root.row().below(level),
            Self::Below(cursor) => cursor.below(level),
        }))
    }

    fn row_number(&self) -> u64 {
        match self {
            Self::Root(root) => root.bounds.offset + root.shown,
            Self::Below(cursor) => cursor.row_number(),
        }
    }

    fn bounds(&self) -> Bounds {
        match self {
            Self::Root(root) => root.bounds,
            Self::Below(cursor) => cursor.bounds(),
        }
    }

    fn has_more(&self) -> bool {
        match self {
            // A page of no rows stands nowhere: nothing follows it.
            Self::Root(root) => root.has_more && root.bounds.limit != Some(0),
            Self::Below(cursor) => cursor.has_more(),
        }
    }

    fn parent(&self) -> Option<u64> {
        match self {
            Self::Root(_) => None,
            Self::Below(cursor) => cursor.parent(),
        }
    }
}

fn unread() -> SourceError {
    SourceError::new(SourceErrorKind::Timeout, "nobody reads the answer any more")
}

fn without_level() -> SourceError {
    SourceError::new(SourceErrorKind::Internal, "a level that the program does not have")
}
