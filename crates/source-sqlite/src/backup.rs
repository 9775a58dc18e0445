//! Copies of a file: backups while other programs write it, and their restoration.
//!
//! SQLite has two ways to copy a file that is in use. `VACUUM INTO` writes all rows anew: the copy
//! is compact, but it takes several times the processor time, reports no progress, and gives rows of
//! tables without an integer key other numbers. The [backup
//! API](https://www.sqlite.org/backup.html) copies pages. By itself it starts again whenever another
//! process has written; here a read transaction holds one snapshot of the write-ahead log from the
//! first page to the last, so that writers neither wait nor disturb. Until it ends, the log cannot be
//! reset, and grows by what is written meanwhile.
//!
//! The copy gets its name when it is complete, checked and synced ([`replace`]).

mod replace;

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use source::Recorded;

use super::connection::{Cache, Identity, OpenFile, open_immutable};
use super::migrate::newest;

/// Pages that are copied between two reports of progress.
const PAGES: i32 = 1_024;

/// The reason why a file was not copied. Its destination is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("there is no file {}", shown(.0))]
    Missing(PathBuf),
    #[error("{} is a folder; give the path of a SQLite file", shown(.0))]
    Folder(PathBuf),
    #[error("{} and {} are the same file", shown(from), shown(to))]
    Same { from: PathBuf, to: PathBuf },
    #[error("{} exists; `--force` replaces it", shown(.0))]
    Exists(PathBuf),
    #[error("{} is open in another program; stop it, and try again", shown(.0))]
    InUse(PathBuf),
    #[error("another copy to {} is running", shown(.0))]
    Running(PathBuf),
    #[error("cannot read {}: {source}", shown(path))]
    Read { path: PathBuf, source: rusqlite::Error },
    #[error("{} is damaged: {message}", shown(path))]
    Damaged { path: PathBuf, message: Box<str> },
    #[error(
        "{} has no history of migrations: it is no database of type definitions; copy it with \
         SQLite's own `.backup`",
        shown(.0)
    )]
    Foreign(PathBuf),
    #[error("cannot write {}: {source}", shown(path))]
    Write { path: PathBuf, source: rusqlite::Error },
    #[error("cannot write {}: {error}", shown(path))]
    File { path: PathBuf, error: io::Error },
}

/// Progress of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Copied {
        bytes: u64,
        of: u64,
    },
    /// All bytes are copied, and are checked.
    Checking,
}

/// A complete and checked copy without its name. It is removed when dropped.
#[derive(Debug)]
pub struct Copy {
    partial: Partial,
    to: PathBuf,
    /// The newest migration.
    pub recorded: Recorded,
    pub bytes: u64,
    /// Tables whose rows refer to missing rows.
    pub violations: Vec<Violation>,
}

/// Rows of a table that refer to missing rows of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub table: Box<str>,
    pub parent: Box<str>,
    pub rows: i64,
}

/// The file of an incomplete copy, locked against another copy to the same place.
#[derive(Debug)]
struct Partial {
    path: PathBuf,
    file: File,
    is_kept: bool,
}

impl Copy {
    /// Copies a database beside `to`, and checks the copy. `overwrites`: a file that is there will
    /// be replaced.
    pub fn make(
        from: &Path,
        to: &Path,
        overwrites: bool,
        busy: Duration,
        mut report: impl FnMut(Progress),
    ) -> Result<Self, CopyError> {
        require_free(to, overwrites)?;
        require_file(from)?;
        if Identity::of(to).is_some_and(|identity| Identity::of(from) == Some(identity)) {
            return Err(CopyError::Same { from: from.into(), to: to.into() });
        }
        if overwrites {
            replace::require_unused(to)?;
        }
        let partial = Partial::create(to)?;
        let bytes = copy_pages(from, &partial.path, busy, &mut report)?;
        report(Progress::Checking);
        let (recorded, violations) = check(&partial.path, from)?;
        Ok(Self { partial, to: to.into(), recorded, bytes, violations })
    }

    /// Syncs the copy and gives it its name, which replaces the file that was there.
    pub fn keep(mut self, overwrites: bool) -> Result<(), CopyError> {
        require_free(&self.to, overwrites)?;
        replace::replace(&self.partial.file, &self.partial.path, &self.to)?;
        self.partial.is_kept = true;
        Ok(())
    }
}

impl Partial {
    fn create(to: &Path) -> Result<Self, CopyError> {
        let path = beside(to, ".partial");
        let failed = |error| CopyError::File { path: path.clone(), error };
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(CopyError::Running(to.into())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // An interrupted copy may have left it.
        file.set_len(0).map_err(failed)?;
        Ok(Self { path, file, is_kept: false })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.is_kept {
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Copies one snapshot, page by page. Returns its bytes.
fn copy_pages(
    from: &Path,
    to: &Path,
    busy: Duration,
    report: &mut impl FnMut(Progress),
) -> Result<u64, CopyError> {
    let source = begin_snapshot(from, busy).map_err(|source| unreadable(from, source))?;
    let failed = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => unreadable(from, error),
        _ => CopyError::Write { path: to.into(), source: error },
    };
    let mut copy = open_copy(to).map_err(failed)?;
    let page_size = source.query_row("PRAGMA page_size", (), |row| row.get(0));
    let page_size: u32 = page_size.map_err(|error| unreadable(from, error))?;
    let backup = Backup::new(&source, &mut copy).map_err(failed)?;
    loop {
        let step = backup.step(PAGES).map_err(failed)?;
        let progress = backup.progress();
        let bytes = |pages| u64::try_from(pages).unwrap_or_default() * u64::from(page_size);
        let of = bytes(progress.pagecount);
        report(Progress::Copied { bytes: of - bytes(progress.remaining), of });
        // It never waits: the snapshot is read by this connection, and nothing else has the copy
        // open.
        if step == StepResult::Done {
            return Ok(of);
        }
    }
}

/// A connection with a read transaction, which has begun.
fn begin_snapshot(path: &Path, busy: Duration) -> Result<Connection, rusqlite::Error> {
    let begin = |connection: Connection| {
        connection.execute_batch(include_str!("migrate/begin_reading.sql"))?;
        // The first read takes the snapshot.
        newest(&connection)?;
        Ok(connection)
    };
    let opened = OpenFile::open(path, busy, Cache::Little);
    match opened.and_then(|file| begin(file.connection)) {
        // In a folder that cannot be written, a file in WAL mode is read only without a log.
        Err(error) if is_unwritable(&error) && !beside(path, "-wal").exists() => {
            begin(open_immutable(path)?)
        }
        begun => begun,
    }
}

/// Opens a new file, which needs no journal: it is incomplete until it is synced as a whole.
fn open_copy(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "journal_mode", "off")?;
    connection.pragma_update(None, "synchronous", "off")?;
    Ok(connection)
}

/// The newest migration of a copy, and its references to missing rows. `from`: the file that is
/// named in errors.
fn check(copy: &Path, from: &Path) -> Result<(Recorded, Vec<Violation>), CopyError> {
    let unreadable = |error| unreadable(from, error);
    let connection = open_immutable(copy).map_err(unreadable)?;
    let integrity = include_str!("backup/integrity.sql");
    let found = connection.query_row(integrity, (), |row| row.get::<_, String>(0));
    match found.map_err(unreadable)? {
        found if found == "ok" => {}
        message => return Err(CopyError::Damaged { path: from.into(), message: message.into() }),
    }
    let Some(recorded) = newest(&connection).map_err(unreadable)? else {
        return Err(CopyError::Foreign(from.into()));
    };
    let violations = violations(&connection).map_err(unreadable)?;
    Ok((recorded, violations))
}

fn violations(connection: &Connection) -> Result<Vec<Violation>, rusqlite::Error> {
    let mut statement = connection.prepare(include_str!("migrate/violations.sql"))?;
    let found = statement.query_map((), |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(Violation { table: table.into(), parent: parent.into(), rows: row.get(2)? })
    })?;
    found.collect()
}

fn require_file(path: &Path) -> Result<(), CopyError> {
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(CopyError::Folder(path.into())),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(CopyError::Missing(path.into()))
        }
        Err(error) => Err(CopyError::File { path: path.into(), error }),
    }
}

fn require_free(to: &Path, overwrites: bool) -> Result<(), CopyError> {
    match to.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => Err(CopyError::Folder(to.into())),
        Ok(_) if !overwrites => Err(CopyError::Exists(to.into())),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The error of reading a file.
fn unreadable(path: &Path, source: rusqlite::Error) -> CopyError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            CopyError::Damaged { path: path.into(), message: source.to_string().into() }
        }
        _ => CopyError::Read { path: path.into(), source },
    }
}

fn is_unwritable(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// The path with a further ending.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

fn shown(path: &Path) -> String {
    redact::address(&path.to_string_lossy()).into_owned()
}
