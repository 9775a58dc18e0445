//! Opening a database file.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::allocations;
use super::durability::Durability;
use super::exact::add_functions;
use super::functions;
use super::idle::Idle;
use super::interrupt::Interrupt;
use super::planning::Planning;

/// Size of the statement cache of the connection that writes.
const STATEMENTS: usize = 256;

/// Size of a connection's page cache; the system caches the rest of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// For short runs, where each page that is not cached takes longer than its rows.
    Default,
    /// For long runs, of which many may be concurrent.
    Little,
    /// For streamed answers: they read the file once, and their reader may be slow.
    Least,
}

/// An open file, which may have lost its place to another.
#[derive(Debug)]
pub struct OpenFile {
    /// The first field: statements are gone before their connection is closed.
    pub(super) idle: Idle,
    pub connection: Connection,
    /// The interrupt of the connection's statements.
    pub(super) interrupt: Interrupt,
    planning: Planning,
    identity: Option<Identity>,
    cache: Cache,
}

/// Gives a connection its own cache again.
struct ResetOnDrop<'f>(&'f OpenFile);

/// The identity of the file at a path (device and inode), independent of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    number: u64,
}

impl Cache {
    fn kibibytes(self) -> i64 {
        match self {
            Self::Default => 4_096,
            Self::Little => 1_024,
            Self::Least => 256,
        }
    }
}

impl OpenFile {
    /// Opens an existing file for reading. Its journal mode stays unchanged: the file is not ours.
    /// A statement that meets a writer waits up to the busy timeout.
    pub fn open(path: &Path, busy: Duration, cache: Cache) -> Result<Self, rusqlite::Error> {
        allocations::install();
        // Taken first: if the file loses its place in between, it counts as another.
        let identity = Identity::of(path);
        // A file in WAL mode needs its shared memory file, which a read-only connection may not be
        // able to make; where writing is not permitted at all, reading still may be.
        let mut connection = match open(path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
            Ok(connection) => connection,
            Err(_) => open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        };
        let interrupt = Interrupt::default();
        interrupt.watch(&mut connection)?;
        functions::add(&connection, &interrupt)?;
        connection.busy_timeout(busy)?;
        add_functions(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        // Not mapped into memory: a file that is truncated while it is read would end the process.
        // A cache of this size reads as fast.
        connection.pragma_update(None, "mmap_size", 0)?;
        set_cache(&connection, cache)?;
        let planning = Planning::Once;
        set(&connection, planning)?;
        Ok(Self { idle: Idle::default(), connection, interrupt, planning, identity, cache })
    }

    /// Opens an existing file for writing. A read-only file fails when it is written.
    pub(super) fn open_for_changes(
        path: &Path,
        busy: Duration,
        durability: Durability,
    ) -> Result<Self, rusqlite::Error> {
        let file = Self::open(path, busy, Cache::Default)?;
        // A file has no setting of its own for it.
        file.connection.pragma_update(None, "synchronous", durability.synchronous())?;
        file.connection.pragma_update(None, "query_only", false)?;
        // On already, unless the library was built otherwise.
        file.connection.pragma_update(None, "foreign_keys", true)?;
        file.connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(file)
    }

    /// Sets the planning of statements. Statements that were planned otherwise are planned again.
    pub(super) fn plan(&mut self, planning: Planning) -> Result<(), rusqlite::Error> {
        if self.planning != planning {
            set(&self.connection, planning)?;
            self.planning = planning;
        }
        Ok(())
    }

    /// Runs something with another cache.
    pub(super) fn with_cache<T>(
        &self,
        cache: Cache,
        run: impl FnOnce() -> T,
    ) -> Result<T, rusqlite::Error> {
        set_cache(&self.connection, cache)?;
        let _reset = ResetOnDrop(self);
        Ok(run())
    }

    /// The identity of the file when it was opened.
    pub(crate) fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// Whether the path still leads to this file. A file that was moved or removed returns its old
    /// rows for ever, without an error.
    #[must_use]
    pub fn is_at(&self, path: &Path) -> bool {
        self.identity == Identity::of(path)
    }
}

impl Drop for ResetOnDrop<'_> {
    fn drop(&mut self) {
        if let Err(error) = set_cache(&self.0.connection, self.0.cache) {
            tracing::debug!(%error, "a connection keeps a small cache");
        }
    }
}

/// Opens a file that nobody writes for reading, without locks, a log or its index.
pub(super) fn open_immutable(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let path = path.to_string_lossy();
    // These characters end the path of a URI, or begin an escape.
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Connection::open_with_flags(["file:", &*path, "?immutable=1"].concat(), flags)
}

/// Where the system supports it, another program that truncates the file's shared memory does not
/// end the process.
fn open(path: &Path, flags: OpenFlags) -> Result<Connection, rusqlite::Error> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[cfg(target_os = "linux")]
    if let Some(vfs) = super::shared_memory::vfs() {
        return Connection::open_with_flags_and_vfs(path, flags, vfs);
    }
    Connection::open_with_flags(path, flags)
}

/// Unpinned pages beyond the limit are freed.
fn set_cache(connection: &Connection, cache: Cache) -> Result<(), rusqlite::Error> {
    connection.pragma_update(None, "cache_size", -cache.kibibytes())
}

fn set(connection: &Connection, planning: Planning) -> Result<(), rusqlite::Error> {
    let is_stable = planning == Planning::Once;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, is_stable)?;
    Ok(())
}

impl Identity {
    #[cfg(unix)]
    pub(super) fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = path.metadata().ok()?;
        Some(Self { device: metadata.dev(), number: metadata.ino() })
    }

    /// Elsewhere an open file cannot lose its place.
    #[cfg(not(unix))]
    pub(super) fn of(_: &Path) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_has_its_own_cache_again() {
        let file = OpenFile::open(Path::new(":memory:"), Duration::ZERO, Cache::Little).unwrap();
        let size = || {
            let read = |row: &rusqlite::Row<'_>| row.get(0);
            file.connection.query_row("PRAGMA cache_size", (), read)
        };
        assert_eq!(size(), Ok(-1024));
        assert_eq!(file.with_cache(Cache::Least, size).unwrap(), Ok(-256));
        assert_eq!(size(), Ok(-1024));
    }
}
