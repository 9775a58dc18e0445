//! Migrations of a file: one transaction, which other programs wait for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use catalog::Catalog;
use rusqlite::{Connection, ErrorCode, OptionalExtension};
use source::{AppliedMigration, MigrationAccess, Record, Recorded};

use super::connection::{Cache, OpenFile};
use super::durability::Durability;
use super::introspect::{IntrospectError, introspect};
use super::options::remedy;

/// The reason why a file was not migrated. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    #[error("cannot open {}: {source}{}", redact::address(&path.to_string_lossy()), remedy(source))]
    Open { path: PathBuf, source: rusqlite::Error },
    #[error(
        "another program has locked {} for longer than {}s; migrate again when it is done",
        redact::address(&path.to_string_lossy()), busy.as_secs_f32()
    )]
    Locked { path: PathBuf, busy: Duration },
    #[error("{} is a folder; give the path of a SQLite file", redact::address(&.0.to_string_lossy()))]
    Folder(PathBuf),
    #[error("cannot read the history of migrations: {0}")]
    History(rusqlite::Error),
    #[error("cannot read the schema: {0}")]
    Catalog(IntrospectError),
    #[error("{source}{}\n{statement}", repair(source))]
    Statement { statement: Box<str>, source: rusqlite::Error },
    #[error(
        "{rows} rows of {table} refer to rows of {parent} that are not there; change them, and \
         migrate again"
    )]
    References { table: Box<str>, parent: Box<str>, rows: i64 },
}

/// A transaction that migrates a file.
#[derive(Debug)]
pub struct SqliteMigration {
    file: OpenFile,
}

/// An index or a trigger that no migration created.
struct Dependent {
    name: String,
    table: String,
    statement: String,
}

impl SqliteMigration {
    /// Opens a file and begins a transaction. For reading, a file that is not there counts as empty;
    /// for writing, it is created with a write-ahead log.
    pub fn begin(
        path: &Path,
        access: MigrationAccess,
        busy: Duration,
    ) -> Result<Self, MigrateError> {
        if path.is_dir() {
            return Err(MigrateError::Folder(path.into()));
        }
        let failed = |source| MigrateError::Open { path: path.into(), source };
        let file = match access {
            MigrationAccess::Read if !path.exists() => {
                OpenFile::open(Path::new(":memory:"), busy, Cache::Default)
            }
            MigrationAccess::Read => OpenFile::open(path, busy, Cache::Default),
            MigrationAccess::Write => {
                if !path.exists() {
                    create(path).map_err(failed)?;
                }
                OpenFile::open_for_changes(path, busy, Durability::Full)
            }
        };
        let file = file.map_err(failed)?;
        // Tables are rebuilt: references to them stay as they are meanwhile, and are checked at the
        // end. Neither can be set in a transaction.
        let begun = || {
            file.connection.pragma_update(None, "foreign_keys", false)?;
            file.connection.pragma_update(None, "legacy_alter_table", true)?;
            file.connection.execute_batch(match access {
                MigrationAccess::Read => include_str!("migrate/begin_reading.sql"),
                MigrationAccess::Write => include_str!("migrate/begin.sql"),
            })
        };
        begun().map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => MigrateError::Locked { path: path.into(), busy },
            _ => failed(error),
        })?;
        Ok(Self { file })
    }

    /// Creates the file of definitions that need no tables, if it is not there.
    pub fn create_missing(path: &Path) -> Result<(), MigrateError> {
        if path.exists() {
            return Ok(());
        }
        create(path).map_err(|source| MigrateError::Open { path: path.into(), source })
    }

    /// The newest migration.
    pub fn newest(&self) -> Result<Option<Recorded>, MigrateError> {
        newest(&self.file.connection).map_err(MigrateError::History)
    }

    /// All applied migrations, the oldest first.
    pub fn history(&self) -> Result<Vec<AppliedMigration>, MigrateError> {
        history(&self.file.connection).map_err(MigrateError::History)
    }

    /// Returns true if an import was killed while it inserted rows.
    pub fn has_load(&self) -> Result<bool, MigrateError> {
        let query = include_str!("transfer/is_there.sql");
        let found = self.file.connection.query_row(query, [], |row| row.get(0));
        found.map_err(MigrateError::History)
    }

    /// The tables that are there.
    pub fn catalog(&self) -> Result<Catalog, MigrateError> {
        introspect(&self.file.connection).map_err(MigrateError::Catalog)
    }

    /// Whether the table of the last id is there.
    pub fn has_sequence(&self) -> Result<bool, MigrateError> {
        let query = include_str!("migrate/has_sequence.sql");
        let found = self.file.connection.query_row(query, [], |row| row.get(0));
        found.map_err(MigrateError::History)
    }

    /// The only number that a query returns.
    pub fn count(&self, query: &str) -> Result<i64, MigrateError> {
        let counted = self.file.connection.query_row(query, [], |row| row.get(0));
        counted.map_err(|source| MigrateError::Statement { statement: query.into(), source })
    }

    /// Runs the statements and records them. `own` are the names of objects of old and new tables;
    /// other indexes and triggers of a rebuilt table are created again, as the renames have left them.
    pub fn apply<'s>(
        self,
        renames: impl Iterator<Item = &'s str>,
        others: impl Iterator<Item = &'s str>,
        own: &[&str],
        moves_rows: bool,
        record: Record<'_>,
    ) -> Result<(), MigrateError> {
        let connection = &self.file.connection;
        self.run(include_str!("migrate/prepare.sql"))?;
        for statement in renames {
            self.run(statement)?;
        }
        let dependents = match moves_rows {
            true => dependents(connection, own).map_err(MigrateError::History)?,
            false => Vec::new(),
        };
        for statement in others {
            self.run(statement)?;
        }
        for Dependent { name, table, statement } in dependents {
            let is_there = |name: &str| -> Result<bool, rusqlite::Error> {
                connection
                    .query_row(include_str!("migrate/has_object.sql"), [name], |row| row.get(0))
            };
            let is_gone = is_there(&table).and_then(|table| Ok(table && !is_there(&name)?));
            if is_gone.map_err(MigrateError::History)? {
                self.run(&statement)?;
            }
        }
        if moves_rows {
            self.check_references()?;
        }
        let Record { definitions, tables, statements } = record;
        let recorded = connection
            .execute(include_str!("migrate/record.sql"), [definitions, tables, statements]);
        recorded.map_err(MigrateError::History)?;
        self.run(include_str!("migrate/commit.sql"))
    }

    fn run(&self, statement: &str) -> Result<(), MigrateError> {
        let ran = self.file.connection.execute_batch(statement);
        ran.map_err(|source| MigrateError::Statement { statement: statement.into(), source })
    }

    /// Checks the foreign keys of all rows, which were not enforced.
    fn check_references(&self) -> Result<(), MigrateError> {
        let violation = |row: &rusqlite::Row<'_>| {
            let (table, parent): (String, String) = (row.get(0)?, row.get(1)?);
            let (table, parent) = (table.into(), parent.into());
            Ok(MigrateError::References { table, parent, rows: row.get(2)? })
        };
        let query = include_str!("migrate/violations.sql");
        let found = self.file.connection.query_row(query, [], violation).optional();
        match found.map_err(MigrateError::History)? {
            Some(violation) => Err(violation),
            None => Ok(()),
        }
    }
}

/// What helps where SQLite reads all views and triggers again for a new name, and finds a broken one.
/// Only its message tells this error from others.
fn repair(error: &rusqlite::Error) -> &'static str {
    let message = error.to_string();
    match ["error in view ", "error in trigger "].iter().any(|own| message.starts_with(own)) {
        true => "; repair it or drop it, and migrate again",
        false => "",
    }
}

fn has_history(connection: &Connection) -> Result<bool, rusqlite::Error> {
    connection.query_row(include_str!("migrate/has_history.sql"), [], |row| row.get(0))
}

fn history(connection: &Connection) -> Result<Vec<AppliedMigration>, rusqlite::Error> {
    if !has_history(connection)? {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare(include_str!("migrate/history.sql"))?;
    let applied = statement.query_map([], |row| {
        Ok(AppliedMigration {
            number: row.get(0)?,
            applied_at: row.get(1)?,
            definitions: row.get(2)?,
        })
    });
    applied?.collect()
}

/// The newest migration of a file.
pub(super) fn newest(connection: &Connection) -> Result<Option<Recorded>, rusqlite::Error> {
    if !has_history(connection)? {
        return Ok(None);
    }
    let recorded = |row: &rusqlite::Row<'_>| {
        Ok(Recorded { number: row.get(0)?, definitions: row.get(1)?, tables: row.get(2)? })
    };
    connection.query_row(include_str!("migrate/newest.sql"), [], recorded).optional()
}

/// Creates an empty file with a write-ahead log.
fn create(path: &Path) -> Result<(), rusqlite::Error> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "wal")
}

fn dependents(connection: &Connection, own: &[&str]) -> Result<Vec<Dependent>, rusqlite::Error> {
    let mut statement = connection.prepare(include_str!("migrate/dependents.sql"))?;
    let rows = statement.query_map([], |row| {
        Ok(Dependent { name: row.get(0)?, table: row.get(1)?, statement: row.get(2)? })
    })?;
    let is_foreign = |found: &Dependent| !own.contains(&&*found.name);
    rows.filter(|found| found.as_ref().map_or(true, is_foreign)).collect()
}
