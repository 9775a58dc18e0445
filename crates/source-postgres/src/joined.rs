//! The form of a program in which some levels are joined to those above, and the decision whether
//! that pays.
//!
//! The rows above repeat for each row of the list that is joined to them. The compiler joins only
//! short rows with few expected repetitions; the statistics of each answer decide whether the next
//! one is read in this form.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use relational::{MOST_REPEATED, Repeats};

use super::cursor::is_repeated;
use super::execute::PostgresProgram;
use super::wire::{Row, Rows};

/// From this number of rows on a level of its own costs PostgreSQL less: it sorts less.
const MANY_ROWS: usize = 256;

/// A shorter answer is not analysed.
const FEW_BYTES: usize = 16 << 10;

/// A program with joined levels.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) program: PostgresProgram,
    /// Whether the repeated values are known to be short.
    is_short: AtomicBool,
    /// Whether an answer had many repeated bytes, or many rows.
    has_not_paid: AtomicBool,
}

impl Joined {
    pub(super) fn new(program: PostgresProgram) -> Self {
        let mut repeats = program.program.levels.iter().filter_map(|level| level.repeats.as_ref());
        let is_short = repeats.all(|repeats| repeats.is_short).into();
        Self { program, is_short, has_not_paid: AtomicBool::default() }
    }

    pub(super) fn pays(&self) -> bool {
        self.is_short.load(Ordering::Relaxed) && !self.has_not_paid.load(Ordering::Relaxed)
    }

    /// Learns whether values are short from the rows of an answer that was read level by level,
    /// where types do not limit their length.
    pub(super) fn learn(&self, rows: &[Rows]) {
        if self.is_short.load(Ordering::Relaxed) || self.has_not_paid.load(Ordering::Relaxed) {
            return;
        }
        let levels = &self.program.program.levels;
        let mut is_shown = true;
        for below in levels.iter().filter(|level| !level.has_statement()) {
            let (place, above) = (usize::from(below.id.0), usize::from(below.read_by().0));
            let Some(repeats) = &levels[above].repeats else { continue };
            let (Some(above), Some(below)) = (rows.get(above), rows.get(place)) else { continue };
            let longest = (0..above.len())
                .map(|row| length(above.row(row), 0..repeats.columns))
                .max()
                .unwrap_or_default();
            if below.len() > MANY_ROWS || longest > MOST_REPEATED as usize {
                self.has_not_paid();
            }
            is_shown &= !above.is_empty();
        }
        if is_shown {
            self.is_short.store(true, Ordering::Relaxed);
        }
    }

    /// From now on each level has a statement of its own.
    pub(super) fn has_not_paid(&self) {
        self.has_not_paid.store(true, Ordering::Relaxed);
    }

    /// Whether levels of their own would have been better: there are many rows, or more than a
    /// quarter of their bytes are repetitions.
    pub(super) fn repeats_much(&self, rows: &[Rows]) -> bool {
        let levels = self.program.program.levels.iter().zip(rows);
        let mut joined = levels.filter_map(|(level, rows)| Some((level.repeats.as_ref()?, rows)));
        joined.any(|(repeats, rows)| {
            rows.len() > MANY_ROWS || rows.bytes() > FEW_BYTES && is_mostly_repeated(repeats, rows)
        })
    }
}

/// Whether more than a quarter of the bytes were repetitions of the row before.
fn is_mostly_repeated(repeats: &Repeats, rows: &Rows) -> bool {
    let (mut all, mut repeated) = (0, 0);
    for number in 0..rows.len() {
        let row = rows.row(number);
        let own = length(row, 0..repeats.columns);
        all += own + length(row, repeats.columns..row.columns());
        if is_repeated(rows, number, &repeats.key) {
            repeated += own;
        }
    }
    repeated > all / 4
}

/// Bytes of the values of some columns.
fn length(row: Row<'_>, columns: Range<usize>) -> usize {
    columns.filter_map(|column| row.value(column)).map(<[u8]>::len).sum()
}
