//! Databases of cases: created once, shared by all cases of a run.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::postgres::{ClientError, Server};

/// Made of the project's sample, which is a crate, not of files.
const SAMPLE: &str = "shop";

/// Attempts to move the rows of a new file into the file itself.
const CHECKPOINTS: usize = 500;

/// Rows of one INSERT.
const ROWS: usize = 500;

/// The databases on servers, which several runs in one process share: by the server's folder and
/// the name.
static ON_SERVERS: Mutex<Option<HashMap<(PathBuf, String), Made>>> = Mutex::new(None);

/// The files of databases that are made of type definitions.
const DEFINITIONS: [(&str, DefinitionsKind); 2] =
    [("schema.graphql", DefinitionsKind::Dgraph), ("datamodel.prisma", DefinitionsKind::Prisma)];

/// The databases of one run; dropping it removes the SQLite files.
#[derive(Debug)]
pub struct Databases {
    /// `fixtures/databases`.
    fixtures: PathBuf,
    /// Makes the databases of type definitions.
    make_defined: Option<MakeDefined>,
    /// The folder of SQLite files.
    folder: PathBuf,
    made: Mutex<HashMap<String, Made>>,
}

type Made = Arc<OnceLock<Result<(), DatabaseError>>>;

/// A function that makes the tables and rows of a database of type definitions, through the API.
pub type MakeDefined = fn(&DefinedDatabase<'_>) -> Result<(), String>;

/// A database of type definitions that is still empty.
#[derive(Clone, Copy, Debug)]
pub struct DefinedDatabase<'d> {
    /// The folder's name.
    pub name: &'d str,
    pub kind: DefinitionsKind,
    /// The text of the definitions.
    pub definitions: &'d str,
    /// The text of `data.graphql`, a mutation that adds the rows.
    pub rows: Option<&'d str>,
    /// A path or a URL.
    pub address: &'d str,
}

/// The system whose definitions make a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionsKind {
    Dgraph,
    Prisma,
}

/// A database could not be created. All cases that use it report the error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("database {name}: {problem}")]
pub struct DatabaseError {
    pub name: String,
    pub problem: String,
}

impl Databases {
    /// Databases are created on demand.
    pub fn new(fixtures: &Path) -> io::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("thalweg-cases-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // Left by an earlier process of the same number that was killed.
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder)?;
        let fixtures = fixtures.to_owned();
        Ok(Self { fixtures, make_defined: None, folder, made: Mutex::default() })
    }

    /// Databases of which those with type definitions are made by a function.
    pub fn with_defined(fixtures: &Path, make: MakeDefined) -> io::Result<Self> {
        let mut databases = Self::new(fixtures)?;
        databases.make_defined = Some(make);
        Ok(databases)
    }

    /// The SQLite file of a database.
    pub fn sqlite(&self, name: &str) -> Result<PathBuf, DatabaseError> {
        let file = self.folder.join(format!("{name}.db"));
        let made = {
            let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(name.to_owned()).or_default())
        };
        once(&made, name, || {
            if self.make_by_definitions(name, &file.display().to_string())? {
                return checkpoint(&file);
            }
            let connection =
                rusqlite::Connection::open(&file).map_err(|error| error.to_string())?;
            // The file lives as long as the process.
            let sql = ["PRAGMA synchronous = OFF; BEGIN;", &self.sql(name, "sqlite")?, ";COMMIT;"];
            connection.execute_batch(&sql.concat()).map_err(|error| error.to_string())
        })?;
        Ok(file)
    }

    /// The address of a database on a server.
    pub fn postgres(&self, server: &Server, name: &str) -> Result<String, DatabaseError> {
        self.make_postgres(server, name, name)?;
        Ok(server.url(name))
    }

    /// The name of a database on a server without connections to it: only then it can be copied.
    pub(super) fn postgres_template(
        &self,
        server: &Server,
        name: &str,
    ) -> Result<String, DatabaseError> {
        let template = format!("{name}_template");
        self.make_postgres(server, name, &template)?;
        Ok(template)
    }

    fn make_postgres(
        &self,
        server: &Server,
        name: &str,
        database: &str,
    ) -> Result<(), DatabaseError> {
        let made = {
            let mut all = ON_SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (server.socket_folder().to_owned(), database.to_owned());
            Arc::clone(all.get_or_insert_default().entry(key).or_default())
        };
        once(&made, name, || {
            let text = |error: ClientError| error.to_string();
            server.create_database(database).map_err(text)?;
            if !self.make_by_definitions(name, &server.url(database))? {
                server.execute(database, &self.sql(name, "postgres")?).map_err(text)?;
            }
            server.execute(database, "ANALYZE").map_err(text)
        })
    }

    /// Makes a database if it is one of type definitions; false if it is not.
    fn make_by_definitions(&self, name: &str, address: &str) -> Result<bool, String> {
        let folder = self.fixtures.join(name);
        let mut known = DEFINITIONS.iter().map(|(name, kind)| (folder.join(name), *kind));
        let Some((file, kind)) = known.find(|(file, _)| file.exists()) else { return Ok(false) };
        let Some(make) = self.make_defined else {
            return Err("databases of type definitions are not supported here".into());
        };
        let read = |file: &Path| {
            let text = fs::read_to_string(file);
            text.map_err(|error| format!("{}: {error}", file.display()))
        };
        let definitions = read(&file)?;
        let rows = folder.join("data.graphql");
        let rows = rows.exists().then(|| read(&rows)).transpose()?;
        let rows = rows.as_deref();
        make(&DefinedDatabase { name, kind, definitions: &definitions, rows, address })?;
        Ok(true)
    }

    fn sql(&self, name: &str, family: &str) -> Result<String, String> {
        if name == SAMPLE {
            return Ok(match family {
                "sqlite" => sample_script(sample::SQLITE_SCHEMA),
                _ => sample_script(sample::POSTGRES_SCHEMA),
            });
        }
        let file = self.fixtures.join(name).join(format!("{family}.sql"));
        fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
    }
}

impl Drop for Databases {
    fn drop(&mut self) {
        // Left-over files are in the folder for temporary files.
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// Creates a database unless it exists. The list of databases is not locked: they are created
/// concurrently.
fn once(
    made: &Made,
    name: &str,
    make: impl FnOnce() -> Result<(), String>,
) -> Result<(), DatabaseError> {
    let fail = |problem| DatabaseError { name: name.to_owned(), problem };
    made.get_or_init(|| make().map_err(fail)).clone()
}

/// One of the sample's schemas, and its rows as INSERT statements that both databases read.
#[must_use]
pub fn sample_script(schema: &str) -> String {
    let mut sql = schema.to_owned();
    for table in sample::tables() {
        for rows in table.rows.chunks(ROWS) {
            let columns = table.columns.join(", ");
            // Writing to a string cannot fail.
            let _ = write!(sql, ";\nINSERT INTO {} ({columns}) VALUES ", table.name);
            for (index, row) in rows.iter().enumerate() {
                sql.push_str(if index > 0 { ",(" } else { "(" });
                for (index, cell) in row.iter().enumerate() {
                    if index > 0 {
                        sql.push(',');
                    }
                    match cell.text() {
                        Some(text) => {
                            let _ = write!(sql, "'{}'", text.replace('\'', "''"));
                        }
                        None => sql.push_str("NULL"),
                    }
                }
                sql.push(')');
            }
        }
    }
    sql.push(';');
    sql
}

/// Moves all rows from the log of a file into the file, so that a copy of it has them. Connections
/// that are being closed delay it.
fn checkpoint(file: &Path) -> Result<(), String> {
    let connection = rusqlite::Connection::open(file).map_err(|error| error.to_string())?;
    for _ in 0..CHECKPOINTS {
        let is_busy: bool = connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(|error| error.to_string())?;
        if !is_busy {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(format!("{}: its log is in use", file.display()))
}
