//! Temporary databases of both kinds.

use std::fs;

use clap::ValueEnum;
use rusqlite::Connection;
use tempfile::TempDir;
use testkit::postgres;

use super::failure::SizeError;
use crate::race::suite::Source;

/// A kind of relational database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Family {
    Sqlite,
    Postgres,
}

/// A place for databases; everything is removed in the end.
#[derive(Debug)]
pub(crate) enum Place {
    Sqlite(TempDir),
    Postgres(postgres::Server),
}

impl Family {
    pub(crate) const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub(crate) fn name(self) -> &'static str {
        Source::from(self).title()
    }
}

impl From<Family> for Source {
    fn from(family: Family) -> Self {
        match family {
            Family::Sqlite => Self::Sqlite,
            Family::Postgres => Self::Postgres,
        }
    }
}

impl Place {
    pub(crate) fn new(family: Family) -> Result<Self, SizeError> {
        match family {
            Family::Sqlite => Ok(Self::Sqlite(tempfile::tempdir()?)),
            Family::Postgres => {
                // The distribution's comes first: it is what most machines have.
                let installations = postgres::installations();
                let installation = installations.first().ok_or(SizeError::NoPostgres)?;
                Ok(Self::Postgres(postgres::Server::start(installation)?))
            }
        }
    }

    pub(crate) fn family(&self) -> Family {
        match self {
            Self::Sqlite(_) => Family::Sqlite,
            Self::Postgres(_) => Family::Postgres,
        }
    }

    /// The name and version of the database.
    pub(super) fn version(&self) -> String {
        match self {
            Self::Sqlite(_) => format!("SQLite {}", rusqlite::version()),
            Self::Postgres(server) => format!("PostgreSQL {}", server.installation().version),
        }
    }

    /// Makes a database and runs the scripts in it, and gives its address.
    pub(crate) fn create(
        &self,
        name: &str,
        scripts: impl Iterator<Item = String>,
    ) -> Result<String, SizeError> {
        match self {
            Self::Sqlite(folder) => {
                let file = folder.path().join(name);
                let connection = Connection::open(&file)?;
                connection.execute_batch("BEGIN")?;
                for script in scripts {
                    connection.execute_batch(&script)?;
                }
                connection.execute_batch("COMMIT; ANALYZE")?;
                Ok(format!("sqlite:{}", file.display()))
            }
            Self::Postgres(server) => {
                server.create_database(name)?;
                for script in scripts {
                    server.execute(name, &script)?;
                }
                server.execute(name, "ANALYZE")?;
                Ok(server.url(name))
            }
        }
    }

    /// Lets the server log what it is asked in a database, so that it can be counted.
    pub(super) fn log_statements(&self, name: &str) -> Result<(), SizeError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(server) => {
                let setting = format!("ALTER DATABASE {name} SET log_statement = 'all'");
                Ok(server.execute(name, &setting)?)
            }
        }
    }

    /// The number of statements that the database has logged; `None` where there is no log.
    pub(super) fn logged_statements(&self) -> Result<Option<usize>, SizeError> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(server) => {
                let log = fs::read(server.socket_folder().join("log"))?;
                Ok(Some(statements(&String::from_utf8_lossy(&log))))
            }
        }
    }
}

/// The lines that tell of a statement, in the simple or the extended protocol.
fn statements(log: &str) -> usize {
    let tells = |line: &&str| line.contains("LOG:  statement: ") || line.contains("LOG:  execute ");
    log.lines().filter(tells).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_both_protocols_are_counted() {
        let log = "2026-01-01 00:00:00.000 UTC [7] LOG:  statement: BEGIN\n\
                   2026-01-01 00:00:00.000 UTC [7] LOG:  execute <unnamed>: SELECT\n\t1\n\
                   2026-01-01 00:00:00.000 UTC [7] LOG:  database system is ready\n";
        assert_eq!(statements(log), 2);
    }
}
