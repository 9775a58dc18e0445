//! A scope that is kept or rolled back as a whole: a transaction, or a savepoint of one that
//! several requests share.

use rusqlite::Connection;

const BEGIN: &str = include_str!("begin.sql");
const BEGIN_READING: &str = include_str!("begin_reading.sql");
const COMMIT: &str = include_str!("commit.sql");
const ROLL_BACK: &str = include_str!("roll_back.sql");
const PART_BEGIN: &str = include_str!("part_begin.sql");
const PART_KEEP: &str = include_str!("part_keep.sql");
const PART_ROLL_BACK: &str = include_str!("part_roll_back.sql");

/// The kind of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// A transaction that changes something.
    Changing,
    /// A transaction that only reads, as far as is known.
    Reading,
    /// A part of the transaction that has begun.
    Part,
}

/// If it is dropped, it is taken back.
#[derive(Debug)]
pub(super) struct Scope<'c> {
    connection: &'c Connection,
    extent: Extent,
    is_kept: bool,
}

impl<'c> Scope<'c> {
    pub(super) fn begin(
        connection: &'c Connection,
        extent: Extent,
    ) -> Result<Self, rusqlite::Error> {
        let begin = match extent {
            Extent::Changing => BEGIN,
            Extent::Reading => BEGIN_READING,
            Extent::Part => PART_BEGIN,
        };
        run(connection, begin)?;
        Ok(Self { connection, extent, is_kept: false })
    }

    /// A transaction is committed; a part will be with the others.
    pub(super) fn keep(mut self) -> Result<(), rusqlite::Error> {
        let keep = match self.extent {
            Extent::Changing | Extent::Reading => COMMIT,
            Extent::Part => PART_KEEP,
        };
        run(self.connection, keep)?;
        self.is_kept = true;
        Ok(())
    }

    fn take_back(&self) -> Result<(), rusqlite::Error> {
        match self.extent {
            Extent::Changing | Extent::Reading => run(self.connection, ROLL_BACK),
            Extent::Part => {
                run(self.connection, PART_ROLL_BACK)?;
                run(self.connection, PART_KEEP)
            }
        }
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        // SQLite's own rollback includes all savepoints.
        if self.is_kept || self.connection.is_autocommit() {
            return;
        }
        let Err(error) = self.take_back() else { return };
        // The owner of the connection finds that its transaction is over, or still open, and closes
        // it.
        tracing::error!(%error, "what was changed could not be taken back");
        if self.extent == Extent::Part
            && let Err(error) = run(self.connection, ROLL_BACK)
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
    }
}

/// Runs a statement, prepared once a connection.
fn run(connection: &Connection, text: &str) -> Result<(), rusqlite::Error> {
    connection.prepare_cached(text)?.execute(()).map(drop)
}
