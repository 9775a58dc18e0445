//! A database of a case's own, of either kind.

use std::sync::atomic::{AtomicU32, Ordering};

use catalog::{Catalog, EntityId, FieldId};
use ir::{Hop, HopDirection};
use response::{Failure, MemoryBudget, MemoryReservation, Sink};
use source::{CompileError, ExecuteParams, Observed, PoolLimits, Session, Variables};
use sources::{Address, Connections, OpenOptions, Source};
use tempfile::TempDir;
use testkit::postgres::{Server, installations, shared};

use super::shape::shape;

/// Tables, and a catalog of them.
pub(crate) struct Database {
    pub(crate) catalog: Catalog,
    source: Source,
    connections: Connections,
    place: Place,
}

enum Place {
    Sqlite(TempDir),
    Postgres(&'static Server, String),
}

const FILE: &str = "t.db";

impl Database {
    /// An SQLite file, and a PostgreSQL database if that is installed.
    pub(crate) async fn all(schema: &str) -> Vec<Self> {
        let mut all = vec![Self::sqlite(schema).await];
        match installations().into_iter().next() {
            Some(installation) => {
                let server = shared(&installation);
                let server = server.unwrap_or_else(|error| panic!("{installation}: {error}"));
                all.push(Self::postgres(server, schema).await);
            }
            None => println!("not run: PostgreSQL is not installed"),
        }
        all
    }

    async fn sqlite(schema: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let schema = schema.replace("{key}", "integer primary key");
        rusqlite::Connection::open(&path).unwrap().execute_batch(&schema).unwrap();
        Self::open(Address::Sqlite(path), Place::Sqlite(folder)).await
    }

    async fn postgres(server: &'static Server, schema: &str) -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let database = format!("requests_{}", COUNTER.fetch_add(1, Ordering::Relaxed));
        server.create_database(&database).unwrap();
        server.execute(&database, &schema.replace("{key}", "serial primary key")).unwrap();
        let address = Address::Postgres(server.url(&database));
        Self::open(address, Place::Postgres(server, database)).await
    }

    async fn open(address: Address, place: Place) -> Self {
        let options =
            OpenOptions { namespaces: vec!["public".to_owned()], ..OpenOptions::default() };
        let (source, catalog) = Source::open(&address, &options).await.unwrap();
        let connections = source.connections(PoolLimits::unshared(2), &MemoryBudget::new(u64::MAX));
        Self { catalog, source, connections, place }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self.place {
            Place::Sqlite(_) => "SQLite",
            Place::Postgres(..) => "PostgreSQL",
        }
    }

    pub(crate) fn entity(&self, name: &str) -> EntityId {
        self.catalog.entities().find(|entity| &*entity.name == name).unwrap().id
    }

    /// By `entity.field`.
    pub(crate) fn field(&self, name: &str) -> FieldId {
        let (entity, field) = name.split_once('.').unwrap();
        let mut fields = self.catalog.fields_of(self.entity(entity));
        fields.find(|other| &*other.name == field).unwrap().id
    }

    /// From the row that refers by a field to the one that it refers to.
    pub(crate) fn to(&self, field: &str) -> Hop {
        self.hop(field, HopDirection::Forward)
    }

    /// From a row to those that refer to it by a field.
    pub(crate) fn from(&self, field: &str) -> Hop {
        self.hop(field, HopDirection::Backward)
    }

    /// The same by several fields of an entity, parted by commas.
    fn hop(&self, fields: &str, direction: HopDirection) -> Hop {
        let (entity, names) = fields.split_once('.').unwrap();
        let fields = names.split(',').map(|name| self.field(&format!("{entity}.{name}")));
        let fields: Vec<FieldId> = fields.collect();
        let found = self.catalog.relationships().find(|one| one.from_fields == fields);
        Hop { relationship: found.unwrap().id, direction }
    }

    /// The rows of a query of one column, one after the other.
    pub(crate) fn query(&self, sql: &str) -> String {
        let values: Vec<String> = match &self.place {
            Place::Sqlite(folder) => {
                let connection = rusqlite::Connection::open(folder.path().join(FILE)).unwrap();
                let mut statement = connection.prepare(sql).unwrap();
                let value = |row: &rusqlite::Row<'_>| row.get::<_, Option<String>>(0);
                let values = statement.query_map((), value).unwrap();
                let text = |value: rusqlite::Result<Option<String>>| {
                    value.unwrap().unwrap_or_else(|| "null".to_owned())
                };
                values.map(text).collect()
            }
            Place::Postgres(server, database) => {
                let rows = server.query(database, sql).unwrap();
                let text = |row: Vec<Option<String>>| {
                    let value = row.into_iter().next().flatten();
                    value.unwrap_or_else(|| "null".to_owned())
                };
                rows.into_iter().map(text).collect()
            }
        };
        values.join(" ")
    }

    /// The reason why a request is not compiled.
    pub(crate) fn refusal(&self, request: &ir::Request) -> CompileError {
        let shape = shape(&self.catalog, request);
        self.source.compile(&self.catalog, request, shape).unwrap_err()
    }

    /// The answer, with its errors in lines below.
    pub(crate) async fn run(&self, request: &ir::Request) -> String {
        let shape = shape(&self.catalog, request);
        let plan = self.source.compile(&self.catalog, request, shape).unwrap();
        for level in plan.levels() {
            println!("{}", level.text);
        }
        let session = Session::default();
        let params = ExecuteParams {
            variables: Variables::of(&[]),
            session: &session,
            freshness: source::Freshness::Newest,
            echoes: &[],
            cost: 1,
            time_limit: None,
            recorders: None,
        };
        let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::default());
        let observed = &mut Observed::default();
        let written = match self.connections.answer(&plan, params, sink, observed).await {
            Ok(written) => written,
            Err(error) => return error.to_string(),
        };
        let mut text = String::from_utf8(written.data).unwrap();
        for error in written.errors {
            let failure = match error.failure {
                Failure::Source(error) => format!("{:?}: {}", error.kind, error.message),
                other => format!("{other:?}"),
            };
            text.push_str(&format!("\n{:?}: {failure}", error.path));
        }
        text
    }
}
