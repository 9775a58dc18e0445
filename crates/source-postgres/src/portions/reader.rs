//! The thread that reads portions: always one ahead of the writer, so that the database and the
//! writer work at the same time.

use std::sync::mpsc::{Receiver, Sender};

use relational::Level;
use response::{LevelId, MemoryReservation};
use source::streamed::Abandoned;
use source::{SourceError, SourceErrorKind};
use tokio::runtime::Handle;

use super::{Portion, without_level};
use crate::bind::{Bound, BoundParameter};
use crate::cursor::{self, Index};
use crate::execute::{PostgresProgram, key_arrays};
use crate::split_join;
use crate::wire::{Parameter, Pipeline, Rows};

/// The first portion is small, so that the first bytes of an answer are sent soon; the size doubles
/// as long as portions hold few bytes.
const FIRST_ROWS: u32 = 256;

/// Bytes up to which a portion may grow, and beyond which it shrinks; there are two at a time.
const LITTLE: usize = 64 << 10;
const MUCH: usize = 256 << 10;

/// A command to the reader.
#[derive(Debug)]
pub(super) enum Command {
    /// Opens the portal of a root field, and reads its first portion.
    Open(LevelId),
    /// Reads the next portion into the memory of one that was written.
    Next(Portion),
    /// Closes the portal, and discards its remaining rows.
    Close,
}

/// The results of the reader, one for each [`Command::Open`] and [`Command::Next`].
pub(super) type Portions = Receiver<Result<Portion, SourceError>>;

/// Reads all root fields of a program, one after the other.
pub(in super::super) struct Reader<'s> {
    pub(in super::super) runtime: &'s Handle,
    pub(in super::super) pipeline: Pipeline<'s>,
    pub(in super::super) program: &'s PostgresProgram,
    pub(in super::super) bound: &'s Bound,
    pub(in super::super) abandoned: &'s Abandoned,
    /// The plan's program, of which this one is a form.
    pub(in super::super) whole: &'s PostgresProgram,
    /// Most rows of a portion; a test may set few.
    pub(in super::super) most_rows: u32,
    /// Number of portions so far.
    pub(in super::super) count: u32,
}

/// The root field whose portal is open.
#[derive(Debug)]
struct Root<'s> {
    level: &'s Level,
    /// Number of rows of the next portion.
    next_rows: u32,
}

impl<'s> Reader<'s> {
    /// Executes commands until their sender is dropped. Returns the pipeline, whose transaction is
    /// still open.
    pub(super) fn run(
        mut self,
        commands: &Receiver<Command>,
        portions: &Sender<Result<Portion, SourceError>>,
    ) -> Pipeline<'s> {
        let mut open = None;
        while let Ok(command) = commands.recv() {
            let read = match command {
                Command::Open(level) => self.open(level, &mut open),
                Command::Next(portion) => self.next(portion, &mut open),
                Command::Close => {
                    open = None;
                    // After an error here the connection is broken for all other messages, too.
                    let _ = self.pipeline.close_portal();
                    continue;
                }
            };
            if portions.send(read).is_err() {
                break;
            }
        }
        self.pipeline
    }

    fn open(&mut self, id: LevelId, open: &mut Option<Root<'s>>) -> Result<Portion, SourceError> {
        let place = usize::from(id.0);
        let levels = &self.program.program.levels;
        let level = levels.get(place).ok_or_else(without_level)?;
        let mut root = Root { level, next_rows: FIRST_ROWS.min(self.most_rows) };
        // Whether the first row was read ahead is known only when all are there.
        let most = if level.reads_ahead_first() { 0 } else { root.next_rows };
        let parameters = self.bound.parameters(place).map(|parameter| match parameter {
            BoundParameter::Text(text) => Parameter::Text(text),
            // Only changes have files, and they are not read in portions.
            BoundParameter::Null | BoundParameter::Keys | BoundParameter::Binary(_) => {
                Parameter::Null
            }
        });
        let statement = self.program.statement(place, self.bound);
        self.pipeline.open_portal(statement, parameters, most)?;
        let portion = self.read(&mut root, Portion::of_levels(levels.len()))?;
        *open = Some(root);
        Ok(portion)
    }

    fn next(
        &mut self,
        portion: Portion,
        open: &mut Option<Root<'s>>,
    ) -> Result<Portion, SourceError> {
        let root = open.as_mut().ok_or_else(without_level)?;
        let statement = self.program.statement(usize::from(root.level.id.0), self.bound);
        self.pipeline.fetch(statement, root.next_rows)?;
        self.read(root, portion)
    }

    /// Reads a portion of a root field, and the rows below it.
    fn read(&mut self, root: &mut Root<'s>, mut portion: Portion) -> Result<Portion, SourceError> {
        let Portion { rows, indexes, referred, held, number } = &mut portion;
        (*referred, *held) = (Vec::new(), MemoryReservation::default());
        rows.iter_mut().for_each(Rows::clear);
        let place = usize::from(root.level.id.0);
        let mut results = vec![std::mem::take(&mut rows[place])];
        self.exchange(&mut results)?;
        rows[place] = results.pop().unwrap_or_default();
        *number = self.count;
        self.count = self.count.wrapping_add(1);
        let mut bytes = rows[place].bytes();
        let levels = &self.program.program.levels;
        let (first, end) = (root.level.id, root.level.end);
        let below = || levels.iter().filter(move |level| (first..end).contains(&level.id));
        let last = below().map(|level| level.round).max().unwrap_or(0);
        for round in 1..=last {
            let mut sent = Vec::new();
            for level in below().filter(|level| level.round == round) {
                let place = usize::from(level.id.0);
                rows[place] = Rows::default();
                indexes[place] = None;
                let Some(keys) = key_arrays(levels, level, self.bound, rows)? else { continue };
                self.program.execute(&mut self.pipeline, self.bound, place, &keys)?;
                sent.push(place);
            }
            if sent.is_empty() {
                continue;
            }
            let mut results = Vec::new();
            self.exchange(&mut results)?;
            bytes += results.first().map_or(0, Rows::bytes);
            for (read, place) in results.into_iter().zip(sent) {
                let link = levels[place].link.as_ref();
                indexes[place] =
                    link.map(|link| Index::of(&read, &levels[place], link)).transpose()?;
                rows[place] = read;
            }
        }
        *referred = cursor::referred(&self.program.program, rows, indexes, held)?;
        split_join::learn_from_portion(self.whole, self.program, rows);
        if bytes < LITTLE {
            root.next_rows = root.next_rows.saturating_mul(2).min(self.most_rows);
        } else if bytes > MUCH {
            root.next_rows = (root.next_rows / 2).max(1);
        }
        Ok(portion)
    }

    /// Sends the composed messages, and waits for the rows.
    fn exchange(&mut self, results: &mut Vec<Rows>) -> Result<(), SourceError> {
        let Self { runtime, pipeline, abandoned, .. } = self;
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = abandoned.wait() => Err(unread()),
                read = pipeline.flush_and_read(results) => Ok(read?),
            }
        })
    }
}

fn unread() -> SourceError {
    SourceError::new(SourceErrorKind::Timeout, "the client has stopped reading the response")
}
