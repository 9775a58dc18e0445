//! Databases of a test, and their rows as texts.

use std::path::PathBuf;

use rusqlite::Connection;
use source::{MigrationAccess, Timeouts};
use sources::{Address, MigrateError, Migrator, Planned};
use storage::model::Model;
use tempfile::TempDir;
use testkit::postgres::{Server, required_installations, shared};

/// A database of one test.
pub(crate) enum TestDatabase {
    Sqlite { path: PathBuf, _folder: TempDir },
    Postgres { server: &'static Server, name: String },
}

/// An empty file.
pub(crate) fn sqlite() -> TestDatabase {
    let folder = tempfile::tempdir().unwrap();
    TestDatabase::Sqlite { path: folder.path().join("test.db"), _folder: folder }
}

/// An empty database of each kind.
pub(crate) fn databases(name: &str) -> Vec<TestDatabase> {
    let postgres = required_installations().unwrap().into_iter().map(|installation| {
        let server = shared(&installation).unwrap();
        let name = format!("migrations_{name}");
        server.create_database(&name).unwrap();
        TestDatabase::Postgres { server, name }
    });
    std::iter::once(sqlite()).chain(postgres).collect()
}

/// Runs a future on a runtime of its own.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future)
}

impl TestDatabase {
    pub(crate) fn address(&self) -> Address {
        match self {
            Self::Sqlite { path, .. } => Address::Sqlite(path.clone()),
            Self::Postgres { server, name } => Address::Postgres(server.url(name)),
        }
    }

    pub(crate) async fn begin(&self, access: MigrationAccess) -> Migrator {
        Migrator::begin(&self.address(), "public", access, Timeouts::default()).await.unwrap()
    }

    pub(crate) async fn plan(&self, model: &Model) -> Planned {
        self.begin(MigrationAccess::Read).await.plan(model).await.unwrap()
    }

    /// Applies a migration, whatever its checks have found.
    pub(crate) async fn try_migrate(&self, model: &Model) -> Result<Planned, MigrateError> {
        let migrator = self.begin(MigrationAccess::Write).await;
        let planned = migrator.plan(model).await?;
        migrator.apply(&planned, "type definitions").await?;
        Ok(planned)
    }

    /// Applies a migration whose checks find nothing.
    pub(crate) async fn migrate(&self, model: &Model) {
        let planned = self.try_migrate(model).await.unwrap();
        assert_eq!((planned.drift, planned.found), (Vec::new(), Vec::new()));
    }

    pub(crate) fn execute(&self, sql: &str) {
        self.try_execute(sql).unwrap();
    }

    pub(crate) fn fails(&self, sql: &str) -> bool {
        self.try_execute(sql).is_err()
    }

    fn try_execute(&self, sql: &str) -> Result<(), String> {
        match self {
            Self::Sqlite { path, .. } => {
                let connection = Connection::open(path).unwrap();
                connection.execute_batch(sql).map_err(|error| error.to_string())
            }
            Self::Postgres { server, name } => {
                server.execute(name, sql).map_err(|error| error.to_string())
            }
        }
    }

    /// The rows of a query, a text for each.
    pub(crate) fn query(&self, sql: &str) -> Vec<String> {
        let text = |values: Vec<Option<String>>| {
            let values: Vec<String> =
                values.into_iter().map(|value| value.unwrap_or("null".into())).collect();
            values.join("|")
        };
        match self {
            Self::Sqlite { path, .. } => {
                let connection = Connection::open(path).unwrap();
                let mut statement = connection.prepare(sql).unwrap();
                let columns = statement.column_count();
                let row = |row: &rusqlite::Row<'_>| {
                    let value = |index| {
                        row.get_ref(index).map(|value| match value {
                            rusqlite::types::ValueRef::Null => None,
                            rusqlite::types::ValueRef::Integer(number) => Some(number.to_string()),
                            rusqlite::types::ValueRef::Real(number) => Some(number.to_string()),
                            rusqlite::types::ValueRef::Text(text)
                            | rusqlite::types::ValueRef::Blob(text) => {
                                Some(String::from_utf8_lossy(text).into_owned())
                            }
                        })
                    };
                    (0..columns).map(value).collect::<Result<Vec<_>, _>>()
                };
                let rows: Result<Vec<_>, _> = statement.query_map([], row).unwrap().collect();
                rows.unwrap().into_iter().map(text).collect()
            }
            Self::Postgres { server, name } => {
                server.query(name, sql).unwrap().into_iter().map(text).collect()
            }
        }
    }
}
