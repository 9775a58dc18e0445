//! Opening a database file for reading.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::exact::add_functions;
use super::functions;
use super::idle::Idle;
use super::planning::Planning;

/// How much of the file a connection keeps in memory; the system keeps the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// For what is short, where each page that is not here takes longer than its rows.
    Usual,
    /// For what is long, of which many may run at once.
    Little,
}

/// An open file, which may have lost its place to another.
#[derive(Debug)]
pub struct OpenFile {
    /// The first field: statements are gone before their connection is closed.
    pub(super) idle: Idle,
    pub connection: Connection,
    planning: Planning,
    identity: Option<Identity>,
}

/// What a path leads to, whatever else that file was or will be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    number: u64,
}

impl Cache {
    fn kibibytes(self) -> i64 {
        match self {
            Self::Usual => 4_096,
            Self::Little => 1_024,
        }
    }
}

impl OpenFile {
    /// Opens an existing file for reading. Its journal mode stays as it is: the file is not ours.
    /// A statement that meets a writer waits for as long as `busy`.
    pub fn open(path: &Path, busy: Duration, cache: Cache) -> Result<Self, rusqlite::Error> {
        // Taken first: if the file loses its place in between, it counts as another.
        let identity = Identity::of(path);
        // A file in WAL mode needs its shared memory file, which a read-only connection may not be
        // able to make; where writing is not permitted at all, reading still may be.
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let writable = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE);
        let connection = match writable {
            Ok(connection) => connection,
            Err(_) => Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        };
        functions::add(&connection)?;
        connection.busy_timeout(busy)?;
        add_functions(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        // Not mapped into memory: a file that somebody cuts short or writes over while it is read
        // would end the process. A cache of this size reads as fast.
        connection.pragma_update(None, "mmap_size", 0)?;
        connection.pragma_update(None, "cache_size", -cache.kibibytes())?;
        let planning = Planning::Once;
        set(&connection, planning)?;
        Ok(Self { idle: Idle::default(), connection, planning, identity })
    }

    /// Has statements planned in a way. Those that were planned in the other are planned again.
    pub(super) fn plan(&mut self, planning: Planning) -> Result<(), rusqlite::Error> {
        if self.planning != planning {
            set(&self.connection, planning)?;
            self.planning = planning;
        }
        Ok(())
    }

    /// Whether the path still leads to this file. One that was moved or removed goes on to give
    /// its old rows, for ever and without a word.
    #[must_use]
    pub fn is_at(&self, path: &Path) -> bool {
        self.identity == Identity::of(path)
    }
}

fn set(connection: &Connection, planning: Planning) -> Result<(), rusqlite::Error> {
    let is_stable = planning == Planning::Once;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, is_stable)?;
    Ok(())
}

impl Identity {
    #[cfg(unix)]
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = path.metadata().ok()?;
        Some(Self { device: metadata.dev(), number: metadata.ino() })
    }

    /// Elsewhere an open file cannot lose its place.
    #[cfg(not(unix))]
    fn of(_: &Path) -> Option<Self> {
        None
    }
}
