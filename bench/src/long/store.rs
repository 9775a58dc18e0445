//! The rows: the shop, a flat table, and one with others around it, in a database of their own.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::failure::LongError;
use crate::race::place::{Database, Place};
use crate::race::plan::Stage;
use crate::race::suite::{Source, Suite};
use crate::race::usage::Processes;

const POSTGRES_ROWS: &str = include_str!("rows.postgres.sql");
const SQLITE_ROWS: &str = include_str!("rows.sqlite.sql");
/// Sessions that have begun to read the flat table and have not ended.
const POSTGRES_LOOK: &str = include_str!("look.postgres.sql");
/// Something that a checkpoint has to carry over.
const SQLITE_LOOK: &str = include_str!("look.sqlite.sql");

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// A database with everything that is asked for.
#[derive(Debug)]
pub(super) struct Store {
    place: Place,
    pub(super) database: Database,
}

impl Store {
    pub(super) fn make(folder: &Path, shop: &Suite, source: Source) -> Result<Self, LongError> {
        let mut place = Place::new(folder, None);
        let database = place.make(Stage { suite: shop, source })?;
        let store = Self { place, database };
        store.fill()?;
        Ok(store)
    }

    fn fill(&self) -> Result<(), LongError> {
        match self.place.server() {
            Some(server) => {
                let name = &self.database.name;
                server.execute(name, POSTGRES_ROWS)?;
                server.execute(name, "VACUUM ANALYZE")?;
                // Otherwise a checkpoint of these rows would begin while something is measured.
                server.execute(name, "CHECKPOINT")?;
            }
            None => Connection::open(&self.database.name)?.execute_batch(SQLITE_ROWS)?,
        }
        Ok(())
    }

    pub(super) fn source(&self) -> Source {
        self.database.source
    }

    pub(super) fn processes(&self, server: u32) -> Processes {
        Processes { server: Some(server), database: self.database.process }
    }

    /// Whether a statement reads the flat table: in PostgreSQL a session says so, and in SQLite the
    /// log cannot be emptied while somebody has a snapshot.
    pub(super) fn is_read(&self) -> Result<bool, LongError> {
        let Some(server) = self.place.server() else {
            let connection = Connection::open(&self.database.name)?;
            connection.busy_timeout(Duration::ZERO)?;
            connection.execute_batch(SQLITE_LOOK)?;
            let is_busy: i64 =
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            return Ok(is_busy != 0);
        };
        Ok(!server.query(&self.database.name, POSTGRES_LOOK)?.is_empty())
    }

    /// Waits until statements read the flat table, or none does; how long that took, if it came.
    pub(super) fn wait_until_read(
        &self,
        is_wanted: bool,
        patience: Duration,
    ) -> Result<Option<Duration>, LongError> {
        let started = Instant::now();
        while self.is_read()? != is_wanted {
            if started.elapsed() > patience {
                return Ok(None);
            }
            thread::sleep(PAUSE);
        }
        Ok(Some(started.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::suite;

    /// On SQLite only: the rows of PostgreSQL take a minute.
    #[test]
    fn a_statement_that_reads_is_seen_until_it_ends() {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let suites = suite::load(bench).unwrap();
        let shop = suites.iter().find(|suite| suite.id == "shop").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Store::make(&folder.path().join("data"), shop, Source::Sqlite).unwrap();
        assert!(!store.is_read().unwrap());
        let connection = Connection::open(&store.database.name).unwrap();
        let mut statement = connection.prepare("SELECT id FROM measurement").unwrap();
        let mut rows = statement.query([]).unwrap();
        assert!(rows.next().unwrap().is_some());
        assert!(store.is_read().unwrap());
        assert_eq!(store.wait_until_read(false, Duration::ZERO).unwrap(), None);
        drop(rows);
        assert!(store.wait_until_read(false, Duration::ZERO).unwrap().is_some());
    }
}
