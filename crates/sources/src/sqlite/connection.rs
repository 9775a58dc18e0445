//! Opening a database file for reading.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// How many prepared statements a connection keeps.
const STATEMENTS: usize = 256;

/// How long a statement waits for a writer.
const BUSY: Duration = Duration::from_secs(5);

/// Opens an existing file for reading. Its journal mode stays as it is: the file is not ours.
pub fn open(path: &Path) -> Result<Connection, rusqlite::Error> {
    // A file in WAL mode needs its shared memory file, which a read-only connection may not be
    // able to make; where writing is not permitted at all, reading still may be.
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let writable = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE);
    let connection = match writable {
        Ok(connection) => connection,
        Err(_) => Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_ONLY)?,
    };
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "mmap_size", 256 << 20)?;
    Ok(connection)
}
