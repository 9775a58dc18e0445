//! A PostgreSQL database and a SQLite file with the same tables.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use event_triggers::Definitions;
use hasura_metadata::read_text;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use source::Timeouts;
use sources::event_log::InstallPlan;
use sources::{Address, EventLog};
use tempfile::TempDir;
use testkit::postgres::{Server, required_installations, shared};

/// Nothing here takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A database of its own.
pub(crate) enum Database {
    Postgres { server: &'static Server, name: String },
    Sqlite { path: PathBuf, _folder: TempDir },
}

const TABLES: &str = "create table album (id integer primary key, title text, sales integer);
create table track (id integer primary key, name text);";

/// One of each kind, with these tables as well.
pub(crate) fn each(sql: &str) -> Vec<Database> {
    let mut databases = postgres(sql);
    databases.push(sqlite(sql));
    databases
}

/// The first PostgreSQL that is installed.
pub(crate) fn postgres(sql: &str) -> Vec<Database> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let installed = required_installations().unwrap();
    let databases = installed.iter().take(1).map(|installation| {
        let server = shared(installation).unwrap_or_else(|error| panic!("{error}"));
        let name = format!("events{}", COUNT.fetch_add(1, Ordering::Relaxed));
        server.create_database(&name).unwrap();
        let database = Database::Postgres { server, name };
        database.execute(TABLES);
        database.execute(sql);
        database
    });
    databases.collect()
}

pub(crate) fn sqlite(sql: &str) -> Database {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    let database = Database::Sqlite { path, _folder: folder };
    database.execute(TABLES);
    database.execute(sql);
    database
}

impl Database {
    pub(crate) fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres { .. })
    }

    /// Statements for this kind of database: `log.` is where the log is.
    fn localized(&self, sql: &str) -> String {
        if sql.contains("hdb_catalog") {
            return sql.to_owned();
        }
        let sql = sql.replace("log.", "\u{1}");
        match self {
            Self::Postgres { .. } => ["cron", "scheduled", "event_log_cleanups"]
                .into_iter()
                .fold(sql, |sql, name| {
                    sql.replace(&["\u{1}", name].concat(), &format!("hdb_catalog.hdb_{name}"))
                })
                .replace('\u{1}', "hdb_catalog."),
            Self::Sqlite { .. } => sql.replace('\u{1}', "thalweg_"),
        }
    }

    pub(crate) fn execute(&self, sql: &str) {
        let sql = &*self.localized(sql);
        match self {
            Self::Postgres { server, name } => server.execute(name, sql).unwrap(),
            Self::Sqlite { path, .. } => connect(path).execute_batch(sql).unwrap(),
        }
    }

    /// Rows whose values are texts.
    pub(crate) fn query(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        let sql = &*self.localized(sql);
        match self {
            Self::Postgres { server, name } => server.query(name, sql).unwrap(),
            Self::Sqlite { path, .. } => {
                let connection = connect(path);
                let mut statement = connection.prepare(sql).unwrap();
                let columns = statement.column_count();
                let rows = statement.query_map([], |row| {
                    let values = (0..columns).map(|idx| match row.get_ref_unwrap(idx) {
                        ValueRef::Null => None,
                        ValueRef::Integer(value) => Some(value.to_string()),
                        ValueRef::Real(value) => Some(value.to_string()),
                        ValueRef::Text(text) => Some(String::from_utf8(text.to_vec()).unwrap()),
                        ValueRef::Blob(_) => panic!("bytes"),
                    });
                    Ok(values.collect())
                });
                rows.unwrap().collect::<Result<_, _>>().unwrap()
            }
        }
    }

    /// The only value that a query returns.
    pub(crate) fn value(&self, sql: &str) -> String {
        self.query(sql).remove(0).remove(0).unwrap_or_default()
    }

    pub(crate) fn address(&self) -> Address {
        match self {
            Self::Postgres { server, name } => Address::Postgres(server.url(name)),
            Self::Sqlite { path, .. } => Address::Sqlite(path.clone()),
        }
    }

    pub(crate) fn log(&self) -> EventLog {
        EventLog::new(&self.address(), Timeouts::default()).unwrap()
    }

    /// Installs what is missing, and returns the plan.
    pub(crate) async fn install(&self, definitions: &Definitions) -> InstallPlan {
        let log = self.log();
        let plan = log.plan(definitions.row_triggers()).await.unwrap();
        assert_eq!(plan.problems, Vec::<String>::new());
        log.install(&plan).await.unwrap();
        plan
    }
}

fn connect(path: &PathBuf) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(PATIENCE).unwrap();
    connection.pragma_update(None, "foreign_keys", true).unwrap();
    connection
}

/// Definitions of event triggers of `album` and of cron triggers, in YAML.
pub(crate) fn definitions(triggers: &str, cron: &str) -> Definitions {
    let text = format!(
        "version: 3
sources:
  - name: default
    kind: postgres
    configuration: {{ connection_info: {{ database_url: a }} }}
    tables:
      - table: {{ schema: public, name: album }}
        event_triggers: {triggers}
cron_triggers: {cron}
"
    );
    let reading = read_text("metadata.yaml", &text);
    let errors: Vec<_> = reading.errors().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let metadata = reading.metadata.unwrap();
    let tables = &metadata.sources[0].0.tables;
    Definitions::read(tables, &metadata.cron_triggers, &|name| {
        (name == "SECRET").then(|| "s3cret".to_owned())
    })
    .unwrap()
}

/// An event trigger with a definition, and further keys.
pub(crate) fn trigger(name: &str, webhook: &str, definition: &str, keys: &str) -> String {
    format!(
        "{{ name: {name}, webhook: '{webhook}', definition: {definition},
            retry_conf: {{ num_retries: 2, interval_sec: 1, timeout_sec: 1 }}{keys} }}"
    )
}

/// All changes with all columns.
pub(crate) const ALL: &str =
    "{ insert: { columns: '*' }, update: { columns: '*' }, delete: { columns: '*' } }";

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        tokio::time::timeout(3 * PATIENCE, future).await.expect("it takes too long")
    })
}
