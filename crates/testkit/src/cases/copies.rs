//! Copies of databases, for cases with changes: each has a private one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::databases::{DatabaseError, Databases};
use crate::postgres::Server;

/// A SQLite file that dropping it removes.
#[derive(Debug)]
pub struct SqliteCopy {
    file: PathBuf,
}

/// A database on a server; dropping it removes the database and closes its connections.
#[derive(Debug)]
pub struct PostgresCopy<'s> {
    server: &'s Server,
    name: String,
}

/// Suffixes of SQLite's files beside a database.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

impl SqliteCopy {
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.file
    }
}

impl PostgresCopy<'_> {
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }
}

impl Databases {
    /// A copy of a SQLite file.
    pub fn copy_sqlite(&self, name: &str) -> Result<SqliteCopy, DatabaseError> {
        // The file itself is never written, so a copy of it is whole.
        let made = self.sqlite(name)?;
        let file = made.with_file_name(format!("{name}-{}.db", next()));
        fs::copy(&made, &file).map_err(|error| fail(name, error.to_string()))?;
        Ok(SqliteCopy { file })
    }

    /// A copy of a database on a server.
    pub fn copy_postgres<'s>(
        &self,
        server: &'s Server,
        name: &str,
    ) -> Result<PostgresCopy<'s>, DatabaseError> {
        let template = self.postgres_template(server, name)?;
        let copy = format!("{name}_{}", next());
        let made = server.copy_database(&template, &copy);
        made.map_err(|error| fail(name, error.to_string()))?;
        Ok(PostgresCopy { server, name: copy })
    }
}

impl Drop for SqliteCopy {
    fn drop(&mut self) {
        // Left-over files are removed with the folder.
        drop(fs::remove_file(&self.file));
        for ending in BESIDE {
            let mut name = self.file.clone().into_os_string();
            name.push(ending);
            drop(fs::remove_file(PathBuf::from(name)));
        }
    }
}

impl Drop for PostgresCopy<'_> {
    fn drop(&mut self) {
        // A left-over database is removed with the server.
        drop(self.server.drop_database(&self.name));
    }
}

fn next() -> usize {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

fn fail(name: &str, problem: String) -> DatabaseError {
    DatabaseError { name: name.to_owned(), problem }
}
