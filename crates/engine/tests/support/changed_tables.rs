//! Databases of type definitions, one of each kind, whose tables a test may change before they are
//! served.

use std::path::PathBuf;
use std::process;
use std::rc::Rc;
use std::sync::Arc;

use dialects::{Dialect, dgraph};
use engine::{Allowed, Engine, OpenOptions, Options, PoolLimits, SourceAddress, Worker};
use graphql::Request;
use serde_json::Value;
use source::{MigrationAccess, Timeouts};
use sources::Migrator;
use sources::migrate::PUBLIC;
use testkit::postgres::{Server, required_installations, shared};

/// Type definitions, and a change of their tables.
#[derive(Clone, Copy)]
pub(crate) struct Definitions {
    /// The beginning of the names of the databases.
    pub(crate) name: &'static str,
    pub(crate) types: &'static str,
    /// Changes the tables before they are served.
    pub(crate) change: fn(&Database),
}

/// A database with the tables of type definitions.
pub(crate) struct Database {
    pub(crate) name: &'static str,
    pub(crate) worker: Option<Rc<Worker>>,
    pub(crate) file: Option<PathBuf>,
    pub(crate) server: Option<(&'static Server, String)>,
}

impl Database {
    /// A database of each kind.
    pub(crate) async fn all(definitions: Definitions, test: &str) -> Vec<Self> {
        let mut all = vec![Self::sqlite(definitions, test).await];
        for installation in required_installations().unwrap().iter().take(1) {
            let server = shared(installation).unwrap();
            let name = format!("{}_{test}_{}", definitions.name, process::id());
            server.create_database(&name).unwrap();
            let address = SourceAddress::Postgres(server.socket_url(&name));
            let server = Some((server, name));
            let mut postgres = Self { name: "PostgreSQL", worker: None, file: None, server };
            postgres.open(definitions, &address).await;
            all.push(postgres);
        }
        all
    }

    pub(crate) async fn sqlite(definitions: Definitions, test: &str) -> Self {
        let file = format!("thalweg-{}-{test}-{}.db", definitions.name, process::id());
        let file = std::env::temp_dir().join(file);
        let address = SourceAddress::Sqlite(file.clone());
        let mut sqlite = Self { name: "SQLite", worker: None, file: Some(file), server: None };
        sqlite.open(definitions, &address).await;
        sqlite
    }

    async fn open(
        &mut self,
        Definitions { types, change, .. }: Definitions,
        address: &SourceAddress,
    ) {
        let model = dgraph::definitions::read(types).unwrap();
        let stored = dgraph::stored::stored(&model);
        let migrator =
            Migrator::begin(address, PUBLIC, MigrationAccess::Write, Timeouts::default())
                .await
                .unwrap();
        let planned = migrator.plan(&stored.model).await.unwrap();
        migrator.apply(&planned, types).await.unwrap();
        change(self);
        let dialect = dgraph::Options {
            model: Arc::new(model),
            places: Arc::new(planned.plan.places),
            ..dgraph::Options::default()
        };
        let options = Options {
            source: OpenOptions { namespaces: vec![PUBLIC.into()], ..OpenOptions::default() },
            ..Options::new(Dialect::Dgraph(dialect), PoolLimits::unshared(1))
        };
        let engine = Engine::open(address, &options).await.unwrap();
        self.worker = Some(Rc::new(Worker::new(engine)));
    }

    /// Executes statements as another program does, without functions of Thalweg.
    pub(crate) fn execute(&self, sql: &str) {
        if let Some(file) = &self.file {
            rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
        }
        if let Some((server, name)) = &self.server {
            server.execute(name, sql).unwrap();
        }
    }

    /// The answer of a query.
    pub(crate) async fn answer(&self, query: &str, variables: Value) -> Value {
        let variables = serde_json::from_value(variables).unwrap();
        let request = Request { query: query.to_owned(), variables, ..Request::default() };
        let answered = self.worker.as_ref().unwrap().execute(&request, Allowed::All).await;
        serde_json::from_slice(&answered.body).unwrap()
    }
}

/// Drops the indexes of a table of SQLite that are tables of their own, and the triggers that
/// maintain them.
pub(crate) fn drop_virtual_indexes(file: &PathBuf, table: &str) {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut names = connection
        .prepare(
            "SELECT 'DROP TRIGGER \"' || name || '\";' FROM sqlite_schema
             WHERE type = 'trigger' AND tbl_name = ?1 AND name <> 'thalweg_' || ?1 || '_key'
             UNION ALL SELECT 'DROP TABLE \"' || name || '\";' FROM sqlite_schema
             WHERE sql LIKE 'CREATE VIRTUAL TABLE \"thalweg_' || ?1 || '%'",
        )
        .unwrap();
    let names = names.query_map([table], |row| row.get::<_, String>(0)).unwrap();
    let statements: Vec<String> = names.map(Result::unwrap).collect();
    assert!(statements.len() > 3, "{statements:?}");
    connection.execute_batch(&statements.concat()).unwrap();
}

/// The numbers of rows in ascending order, by their ids or codes.
pub(crate) fn numbers_of(rows: &[Value]) -> Vec<usize> {
    let number = |row: &Value| {
        let text = row["id"].as_str().unwrap();
        match text.strip_prefix("0x") {
            Some(digits) => usize::from_str_radix(digits, 16).unwrap(),
            None => text.parse().unwrap(),
        }
    };
    let mut numbers: Vec<usize> = rows.iter().map(number).collect();
    numbers.sort_unstable();
    numbers
}

impl Drop for Database {
    fn drop(&mut self) {
        let Some(file) = &self.file else { return };
        for ending in ["", "-wal", "-shm"] {
            let mut name = file.as_os_str().to_owned();
            name.push(ending);
            std::fs::remove_file(PathBuf::from(name)).ok();
        }
    }
}
