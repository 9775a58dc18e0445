//! Replaces a file by a copy, so that after a crash one of them is there as a whole.
//!
//! The log of the old file must never be read with the new one, which SQLite would do if it found it
//! at its name: the log is emptied first, or removed if the old file cannot be read. A program that
//! has the old file open would write rows that are lost: SQLite's locks, which each program with a
//! file in WAL mode holds, show it.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{CopyError, beside};

const CHECKPOINT: &str = include_str!("../writer/checkpoint.sql");

/// Endings of the files that belong to a database: the log, its index, and the journal of other
/// modes.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Locks of a file that no other program has open. They end when this is dropped.
#[derive(Debug)]
struct Locked {
    _files: Vec<File>,
}

/// Fails if another program has the file open.
pub(super) fn require_unused(path: &Path) -> Result<(), CopyError> {
    lock(path).map(drop)
}

/// Syncs the new file and gives it the name of the old one, if there is one.
pub(super) fn replace(new: &File, partial: &Path, path: &Path) -> Result<(), CopyError> {
    let failed = |error| CopyError::File { path: path.into(), error };
    new.sync_all().map_err(failed)?;
    require_unused(path)?;
    let is_empty = empty_log(path);
    // SQLite is done with the file in this process: closing it would end these locks.
    let _locked = lock(path)?;
    let log = beside(path, "-wal").metadata().map_or(0, |log| log.len());
    if is_empty && log > 0 {
        // It was written in between.
        return Err(CopyError::InUse(path.into()));
    }
    remove_logs(path).map_err(failed)?;
    sync_folder(path).map_err(failed)?;
    fs::rename(partial, path).map_err(failed)?;
    sync_folder(path).map_err(failed)
}

/// Moves the log into the file and empties it. Returns `false` if the file cannot be read.
fn empty_log(path: &Path) -> bool {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let emptied = Connection::open_with_flags(path, flags)
        .and_then(|connection| connection.query_row(CHECKPOINT, (), |row| row.get::<_, bool>(0)));
    emptied.is_ok_and(|is_busy| !is_busy)
}

fn remove_logs(path: &Path) -> io::Result<()> {
    for ending in LOGS {
        match fs::remove_file(beside(path, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Makes the names of a file's folder durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => return Ok(()),
    };
    File::open(folder)?.sync_all()
}

/// Locks the file and the index of its log, where they are there.
fn lock(path: &Path) -> Result<Locked, CopyError> {
    let mut files = Vec::new();
    for path_of in [path.to_owned(), beside(path, "-shm")] {
        let file = match File::options().read(true).write(true).open(&path_of) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(CopyError::File { path: path_of, error }),
        };
        if !try_lock(&file) {
            return Err(CopyError::InUse(path.into()));
        }
        files.push(file);
    }
    Ok(Locked { _files: files })
}

/// Takes the lock of a whole file, which excludes each of SQLite's locks of its parts.
#[cfg(unix)]
fn try_lock(file: &File) -> bool {
    use rustix::fs::{FlockOperation, fcntl_lock};
    fcntl_lock(file, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Elsewhere a file that is open cannot be replaced.
#[cfg(not(unix))]
fn try_lock(_: &File) -> bool {
    true
}
