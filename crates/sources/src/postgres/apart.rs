//! A program some of whose to-one rows are read apart from those that refer to them, and whether
//! that pays.
//!
//! It pays where many rows refer to few, which neither the catalog nor the request says. So an
//! answer of many rows is looked at once: if it shows that, the request is compiled in this form,
//! and the next answers are read so until one of them has few rows or refers to many.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use ahash::AHashSet;
use response::Place;

use super::execute::PostgresProgram;
use super::wire::Rows;
use crate::relational::{Program, ToOne};
use crate::source;
use crate::streamed::{Compile, ProgramForm};

/// A round trip and a statement more cost about as much as joining so many rows.
const MANY_ROWS: usize = 512;

/// How many rows refer to each of those that are read apart, at least, before they are.
const REFERRING: usize = 8;

/// An answer with half of what it takes to begin ends it, so that it does not begin and end with
/// each.
const SLACK: usize = 2;

/// The form of a program that reads to-one rows apart.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// Made of the first answer of many rows; none where it would not pay.
    program: OnceLock<Option<Arc<PostgresProgram>>>,
    /// Whether an answer had few rows, or referred to many.
    has_not_paid: AtomicBool,
}

/// What an answer showed of a program's rows.
#[derive(Debug)]
pub struct Seen<'a> {
    pub(super) program: &'a Program,
    pub(super) rows: &'a [Rows],
}

impl Apart {
    /// The program, as long as it pays.
    pub(super) fn program(&self) -> Option<&Arc<PostgresProgram>> {
        let program = self.program.get()?.as_ref();
        program.filter(|_| !self.has_not_paid.load(Ordering::Relaxed))
    }

    /// The program, whether or not it pays still.
    pub(super) fn made(&self) -> Option<&PostgresProgram> {
        self.program.get()?.as_deref()
    }

    /// Learns from rows that were read with joins.
    pub(super) fn look_at(&self, program: &Program, rows: &[Rows], compile: Compile<'_>) {
        let is_long = rows.iter().any(|rows| rows.len() >= MANY_ROWS);
        if !is_long || self.program.get().is_some() {
            return;
        }
        self.program.get_or_init(|| match compile(ProgramForm::Apart(&Seen { program, rows })) {
            Some(source::Program::Postgres(program)) => Some(Arc::new(program)),
            _ => None,
        });
    }

    /// Learns from rows of which some were read apart.
    pub(super) fn judge(&self, program: &Program, rows: &[Rows]) {
        let count = |level: response::LevelId| rows.get(usize::from(level.0)).map_or(0, Rows::len);
        let has_paid = program.levels.iter().all(|level| {
            let referring = count(level.read_by());
            level.apart.iter().all(|apart| {
                referring >= MANY_ROWS / SLACK
                    && referring >= count(apart.level) * (REFERRING / SLACK)
            })
        });
        if !has_paid {
            self.has_not_paid.store(true, Ordering::Relaxed);
        }
    }
}

impl Seen<'_> {
    /// Whether many rows refer to few.
    pub(super) fn is_few(&self, to_one: &ToOne) -> bool {
        let Self { program, rows } = self;
        let level = program.layout.level(response::RowsId(to_one.rows.0));
        let level = level.and_then(|level| program.levels.get(usize::from(level.0)));
        let present = program.layout.place(response::OutputId(to_one.present.0));
        let (Some(level), Place::Column(column)) = (level, present) else { return false };
        let Some(rows) = rows.get(usize::from(level.read_by().0)) else { return false };
        if rows.len() < MANY_ROWS {
            return false;
        }
        let few = rows.len() / REFERRING;
        let mut seen = AHashSet::default();
        rows.iter().filter_map(|row| row.value(usize::from(column))).all(|key| {
            seen.insert(key);
            seen.len() <= few
        })
    }
}
