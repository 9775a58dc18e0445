//! Rows that are read in portions while their answer is written (streaming with backpressure): a
//! root field's rows come through a portal, and the rows below them are read for each portion, by
//! the keys of its rows. All statements are in one transaction with one snapshot.
//!
//! This runs on two threads of its own, without blocking other requests: one blocks on the database
//! (`reader.rs`), and one on the reader of the answer. While a portion is written, the next is read.

mod reader;

use std::sync::mpsc::{self, Sender};
use std::thread::{Builder, scope};

use relational::{FIRST_APART, Level};
use response::{Bounds, Cursor, LevelId, MemoryReservation, Value};
use source::{SourceError, SourceErrorKind};

use self::reader::Command;
pub(super) use self::reader::Reader;
use super::bind::Bound;
use super::cursor::{Index, PostgresCursor, View};
use super::execute::PostgresProgram;
use super::wire::{Pipeline, Rows};

/// The rows of a portion: those of the root field, and those of all levels below it.
#[derive(Debug)]
struct Portion {
    rows: Vec<Rows>,
    indexes: Vec<Option<Index<'static>>>,
    /// By level: for a split join, the row to which each row above refers.
    referred: Vec<Option<Box<[u32]>>>,
    /// The memory of these.
    held: MemoryReservation,
    number: u32,
}

/// The cursor of the top.
#[derive(Debug)]
pub(super) struct Top<'a> {
    program: &'a PostgresProgram,
    bound: &'a Bound,
    commands: Sender<Command>,
    portions: reader::Portions,
}

/// The rows of the top's level, or of a level below it.
#[derive(Debug)]
pub(super) enum PortionCursor<'a> {
    Root(Root<'a>),
    Below(PostgresCursor<'a>),
}

/// The rows of a root field.
#[derive(Debug)]
pub(super) struct Root<'a> {
    top: &'a Top<'a>,
    level: &'a Level,
    portion: Portion,
    /// Whether the next portion is being read.
    is_reading: bool,
    /// The current row of the portion, counted from 1.
    current: u32,
    bounds: Bounds,
    shown: u64,
    has_more: bool,
}

/// Runs a reader on a thread of its own, and calls `write` with the cursor of its rows. Returns the
/// pipeline, whose transaction is still open.
pub(super) fn read_ahead<T>(
    reader: Reader<'_>,
    write: impl FnOnce(&mut Top<'_>) -> T,
) -> Result<(T, Pipeline<'_>), SourceError> {
    let (program, bound) = (reader.program, reader.bound);
    let (commands, received) = mpsc::channel();
    let (sender, portions) = mpsc::channel();
    scope(|threads| {
        let thread = Builder::new().name("portions".to_owned());
        let reading = thread
            .spawn_scoped(threads, move || reader.run(&received, &sender))
            .map_err(|error| without_reader(&error.to_string()))?;
        // The reader ends when the cursor is dropped.
        let written = write(&mut Top { program, bound, commands, portions });
        let pipeline = reading.join().map_err(|_| without_reader("it has panicked"))?;
        Ok((written, pipeline))
    })
}

impl Portion {
    /// An empty portion.
    fn of_levels(count: usize) -> Self {
        let (mut rows, mut indexes) = (Vec::new(), Vec::new());
        rows.resize_with(count, Rows::default);
        indexes.resize_with(count, || None);
        let (referred, held) = (Vec::new(), MemoryReservation::default());
        Self { rows, indexes, referred, held, number: 0 }
    }
}

impl Top<'_> {
    fn send(&self, command: Command) -> Result<(), SourceError> {
        self.commands.send(command).map_err(|_| without_reader("it has ended"))
    }

    fn receive(&self) -> Result<Portion, SourceError> {
        self.portions.recv().map_err(|_| without_reader("it has ended"))?
    }
}

impl<'a> Root<'a> {
    fn open(top: &'a Top<'a>, id: LevelId) -> Result<Self, SourceError> {
        let place = usize::from(id.0);
        let level = top.program.program.levels.get(place).ok_or_else(without_level)?;
        top.send(Command::Open(id))?;
        let mut root = Self {
            top,
            level,
            portion: Portion::of_levels(top.program.program.levels.len()),
            is_reading: true,
            current: 0,
            bounds: top.bound.levels[place].bounds,
            shown: 0,
            has_more: false,
        };
        root.advance()?;
        if level.reads_ahead_first()
            && root.bounds.limit.is_some_and(|limit| root.rows().len() as u64 > limit)
        {
            root.has_more = true;
            root.current = 1;
        }
        Ok(root)
    }

    /// The rows of this level in the portion.
    fn rows(&self) -> &Rows {
        &self.portion.rows[usize::from(self.level.id.0)]
    }

    /// Takes the portion that is being read, and has the one after it read into the memory of the
    /// one before.
    fn advance(&mut self) -> Result<(), SourceError> {
        self.is_reading = false;
        let written = std::mem::replace(&mut self.portion, self.top.receive()?);
        self.current = 0;
        if self.rows().has_more() {
            self.top.send(Command::Next(written))?;
            self.is_reading = true;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        View {
            program: &self.top.program.program,
            bound: self.top.bound,
            rows: &self.portion.rows,
            indexes: &self.portion.indexes,
            referred: &self.portion.referred,
            portion: self.portion.number,
        }
    }

    fn next(&mut self) -> Result<bool, SourceError> {
        while self.current as usize >= self.rows().len() {
            if !self.is_reading {
                return Ok(false);
            }
            self.advance()?;
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
impl Drop for Root<'_> {
    fn drop(&mut self) {
        if self.is_reading {
            // The result of this command must not be taken for that of the next root field.
            drop(self.top.receive());
        }
        // Without a reader there is nothing to close.
        let _ = self.top.send(Command::Close);
    }
}

impl Cursor for Top<'_> {
    type Error = SourceError;
    type Child<'b>
        = PortionCursor<'b>
    where
        Self: 'b;

    fn next(&mut self) -> Result<bool, SourceError> {
        Ok(false)
    }

    fn value(&self, _: u16) -> Value<'_> {
        Value::Null
    }

    fn open(&mut self, level: LevelId) -> Result<PortionCursor<'_>, SourceError> {
        Root::open(self, level).map(PortionCursor::Root)
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

impl Cursor for PortionCursor<'_> {
    type Error = SourceError;
    type Child<'b>
        = PortionCursor<'b>
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
                let row = root.current.wrapping_sub(1) as usize;
                let value = match root.rows().value(row, usize::from(column)) {
                    None if column >= FIRST_APART => root.row().split_value(column - FIRST_APART),
                    value => value,
                };
                value.map_or(Value::Null, Value::Text)
            }
            Self::Below(cursor) => cursor.value(column),
        }
    }

    fn open(&mut self, level: LevelId) -> Result<PortionCursor<'_>, SourceError> {
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

/// The error of a reader that could not be started, or is gone.
fn without_reader(reason: &str) -> SourceError {
    let message = format!("no thread reads the rows: {reason}");
    SourceError::new(SourceErrorKind::Internal, message)
}

fn without_level() -> SourceError {
    SourceError::new(SourceErrorKind::Internal, "a level that the program does not have")
}
