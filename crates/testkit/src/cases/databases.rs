//! Databases of cases: created once, shared by all cases of a run.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::postgres::{ClientError, Server};

/// Made of the project's sample, which is a crate, not of files.
const SAMPLE: &str = "shop";

/// Rows of one INSERT.
const ROWS: usize = 500;

/// The databases on servers, which several runs in one process share: by the server's folder and
/// the name.
static ON_SERVERS: Mutex<Option<HashMap<(PathBuf, String), Made>>> = Mutex::new(None);

/// The databases of one run; dropping it removes the SQLite files.
#[derive(Debug)]
pub struct Databases {
    /// `fixtures/databases`.
    fixtures: PathBuf,
    /// The folder of SQLite files.
    folder: PathBuf,
    made: Mutex<HashMap<String, Made>>,
}

type Made = Arc<OnceLock<Result<(), DatabaseError>>>;

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
        Ok(Self { fixtures: fixtures.to_owned(), folder, made: Mutex::default() })
    }

    /// The SQLite file of a database.
    pub fn sqlite(&self, name: &str) -> Result<PathBuf, DatabaseError> {
        let file = self.folder.join(format!("{name}.db"));
        let made = {
            let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(name.to_owned()).or_default())
        };
        once(&made, name, || {
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
            server.execute(database, &self.sql(name, "postgres")?).map_err(text)?;
            server.execute(database, "ANALYZE").map_err(text)
        })
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
