//! Databases of a test: the league as it is, or after some SQL, on SQLite and PostgreSQL.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dialects::Dialect;
use engine::{
    CacheField, CacheOptions, Engine, OpenOptions, Options, PolicyFile, SourceAddress, Worker,
};
use testkit::postgres::{Server, required_installations, shared};

use crate::dialect;

/// Where databases are made.
pub(crate) enum Place {
    Sqlite,
    Postgres(&'static Server),
}

/// A database, and the file that is removed with it.
pub(crate) struct Database {
    address: SourceAddress,
    file: Option<PathBuf>,
}

/// SQLite, and one PostgreSQL: the versions of it are compared by other tests.
pub(crate) fn places() -> Vec<Place> {
    let postgres = required_installations().unwrap().into_iter().take(1);
    let postgres = postgres.map(|installation| {
        // A server lives as long as the process.
        let installation = Box::leak(Box::new(installation));
        Place::Postgres(shared(installation).unwrap())
    });
    std::iter::once(Place::Sqlite).chain(postgres).collect()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "sqlite",
            Self::Postgres(_) => "postgres",
        })
    }
}

impl Place {
    /// A new database with the league, and what some SQL makes of it.
    pub(crate) fn database(&self, name: &str, sql: &str) -> Database {
        let league = |family: &str| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/databases");
            fs::read_to_string(folder.join(format!("league/{family}.sql"))).unwrap()
        };
        let league = match self {
            Self::Sqlite => league("sqlite"),
            Self::Postgres(_) => league("postgres"),
        };
        self.empty_database(name, &[&league, ";", sql].concat())
    }

    /// A new database with what some SQL makes.
    pub(crate) fn empty_database(&self, name: &str, sql: &str) -> Database {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("policies_{name}_{}_{number}", std::process::id());
        match self {
            Self::Sqlite => {
                let file = std::env::temp_dir().join(format!("{name}.db"));
                drop(fs::remove_file(&file));
                let connection = rusqlite::Connection::open(&file).unwrap();
                let text = ["PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;", sql];
                connection.execute_batch(&text.concat()).unwrap();
                Database { address: SourceAddress::Sqlite(file.clone()), file: Some(file) }
            }
            Self::Postgres(server) => {
                server.create_database(&name).unwrap();
                let text = ["SET session_replication_role = replica;", sql];
                server.execute(&name, &text.concat()).unwrap();
                Database { address: SourceAddress::Postgres(server.url(&name)), file: None }
            }
        }
    }
}

impl Database {
    /// The file of one of SQLite.
    pub(crate) fn path(&self) -> &Path {
        self.file.as_deref().unwrap()
    }

    /// The address of one of PostgreSQL.
    pub(crate) fn url(&self) -> String {
        match &self.address {
            SourceAddress::Postgres(url) => url.clone(),
            _ => String::new(),
        }
    }

    pub(crate) async fn worker(&self, dialect: &str, policies: Option<&str>) -> Worker {
        let policies = policies.map(|text| Arc::new(PolicyFile::parse(text).unwrap()));
        self.open(dialect::parse(dialect).unwrap(), policies, CacheOptions::default()).await
    }

    /// The same without policies, in a dialect that need not be written.
    pub(crate) async fn worker_of(&self, dialect: Dialect) -> Worker {
        self.open(dialect, None, CacheOptions::default()).await
    }

    /// The same with a cache of all answers.
    pub(crate) async fn cached_worker_of(&self, dialect: Dialect) -> Worker {
        let all = CacheField { name: "*".into(), ttl: Duration::from_secs(600) };
        let fields = [all].into();
        let cache = CacheOptions { bytes: 64 << 20, fields, ..CacheOptions::default() };
        self.open(dialect, None, cache).await
    }

    async fn open(
        &self,
        dialect: Dialect,
        policies: Option<Arc<PolicyFile>>,
        cache: CacheOptions,
    ) -> Worker {
        let options = Options {
            source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
            policies,
            cache,
            ..Options::new(dialect, engine::PoolLimits::unshared(2))
        };
        Worker::new(Engine::open(&self.address, &options).await.unwrap())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            drop(fs::remove_file(file));
        }
    }
}
