//! The sources that tests run on: SQLite and every wanted PostgreSQL, with an engine for each
//! database and dialect, opened once.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use engine::{Engine, OpenOptions, Options, PolicyFile, SourceAddress};
use testkit::cases::{Databases, Family, PostgresCopy, SqliteCopy};
use testkit::postgres::{
    Installation, PgBouncer, PoolMode, Server, required_installations, shared,
};

use crate::{defined, dialect};

/// Where tests run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TestSource {
    Sqlite,
    Postgres(Installation),
    /// The same through a pooler, which is on a server that nobody else uses.
    Pooled(Installation, PoolMode),
    /// A server that looks like another product: it runs the statements that are made for that, and has
    /// to give the same answers.
    Disguised(Installation, Disguise),
}

/// The product that a PostgreSQL looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Disguise {
    /// The catalog has the tables of Citus, by which all tables are on servers of their own.
    Citus,
    /// The version is that of a CockroachDB.
    CockroachDb,
}

/// A server with a pooler in front of it for each mode.
#[derive(Debug)]
struct PooledServer {
    /// Dropped before the server.
    session: PgBouncer,
    transaction: PgBouncer,
    server: Server,
}

/// The version that CockroachDB tells.
const COCKROACHDB: &str =
    "CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/12 14:33:57, go1.22.8)";

/// As Citus describes tables whose rows are all on one server, each in a colocation group of its own.
const DISTRIBUTED: &str = "SET allow_system_table_mods = on; \
    CREATE VIEW pg_catalog.pg_dist_partition AS \
    SELECT oid::regclass AS logicalrelid, 'n'::\"char\" AS partmethod, 's'::\"char\" AS repmodel, \
    oid::int4 AS colocationid, NULL::text AS partkey \
    FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p') AND oid >= 16384";

/// Sessions of the server: each pooler keeps some of each database for a second.
const POOLED_SESSIONS: &str = "max_connections=400";

/// All of them, with what was opened.
#[derive(Debug)]
pub(crate) struct Sources {
    databases: Databases,
    installations: Vec<Installation>,
    engines: Mutex<HashMap<Key, Opened>>,
}

/// A copy of a database that nobody else uses, and an engine for it.
#[derive(Debug)]
pub(crate) struct OwnEngine {
    pub(crate) engine: Arc<Engine>,
    address: SourceAddress,
    database: String,
    /// Removed in the end.
    _copy: OwnCopy,
}

#[derive(Debug)]
enum OwnCopy {
    Sqlite(#[allow(dead_code, reason = "it is there to be dropped")] SqliteCopy),
    Postgres(#[allow(dead_code, reason = "it is there to be dropped")] PostgresCopy<'static>),
}

/// The source, the database, the dialect, the policies.
type Key = (TestSource, String, String, String);
type Opened = Arc<OnceLock<Result<Arc<Engine>, String>>>;

impl fmt::Display for TestSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite => formatter.write_str("sqlite"),
            Self::Postgres(installation) => {
                write!(formatter, "postgres-{}", installation.version.major)
            }
            Self::Disguised(installation, disguise) => {
                let name = match disguise {
                    Disguise::Citus => "distributed",
                    Disguise::CockroachDb => "cockroachdb",
                };
                write!(formatter, "postgres-{}-{name}", installation.version.major)
            }
            Self::Pooled(installation, mode) => {
                write!(formatter, "postgres-{}-pgbouncer-{mode}", installation.version.major)
            }
        }
    }
}

/// The only server of this process that looks like a product.
fn disguised(installation: &Installation, disguise: Disguise) -> Result<&'static Server, String> {
    static CITUS: OnceLock<Result<Server, String>> = OnceLock::new();
    static COCKROACH: OnceLock<Result<Server, String>> = OnceLock::new();
    let started = match disguise {
        Disguise::Citus => &CITUS,
        Disguise::CockroachDb => &COCKROACH,
    };
    let started = started.get_or_init(|| {
        let server = Server::start(installation).map_err(|error| error.to_string())?;
        let done = match disguise {
            Disguise::Citus => server.execute_in_template(DISTRIBUTED),
            Disguise::CockroachDb => server.tell_version(COCKROACHDB),
        };
        done.map_err(|error| error.to_string())?;
        Ok(server)
    });
    started.as_ref().map_err(Clone::clone)
}

impl TestSource {
    pub(crate) fn family(&self) -> Family {
        match self {
            Self::Sqlite => Family::Sqlite,
            Self::Postgres(_) | Self::Pooled(..) | Self::Disguised(..) => Family::Postgres,
        }
    }
}

impl PooledServer {
    /// The only one of this process.
    fn start(installation: &Installation) -> Result<&'static Self, String> {
        static STARTED: OnceLock<Result<PooledServer, String>> = OnceLock::new();
        let started = STARTED.get_or_init(|| {
            let start = || {
                let server = Server::start_with(installation, &[POOLED_SESSIONS])?;
                let session = PgBouncer::start(&server, PoolMode::Session, 20)?;
                let transaction = PgBouncer::start(&server, PoolMode::Transaction, 20)?;
                Ok::<_, testkit::postgres::StartError>(Self { session, transaction, server })
            };
            start().map_err(|error| error.to_string())
        });
        started.as_ref().map_err(Clone::clone)
    }

    fn pooler(&self, mode: PoolMode) -> &PgBouncer {
        match mode {
            PoolMode::Session => &self.session,
            PoolMode::Transaction => &self.transaction,
        }
    }
}

impl Sources {
    /// Looks for installations and starts none.
    pub(crate) fn find() -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            databases: Databases::with_defined(&fixtures().join("databases"), defined::make)?,
            installations: required_installations()?,
            engines: Mutex::default(),
        })
    }

    /// SQLite first.
    pub(crate) fn all(&self) -> impl Iterator<Item = TestSource> {
        let postgres = self.installations.iter().cloned().map(TestSource::Postgres);
        std::iter::once(TestSource::Sqlite).chain(postgres)
    }

    /// One PostgreSQL through a pooler in each of its modes, where there is a pooler.
    pub(crate) fn pooled(&self) -> Vec<TestSource> {
        let Some(installation) = self.installations.first() else { return Vec::new() };
        if !PgBouncer::is_installed() {
            return Vec::new();
        }
        let modes = [PoolMode::Session, PoolMode::Transaction];
        modes.map(|mode| TestSource::Pooled(installation.clone(), mode)).into()
    }

    /// One PostgreSQL that looks like a product.
    pub(crate) fn disguised(&self, disguise: Disguise) -> Option<TestSource> {
        Some(TestSource::Disguised(self.installations.first()?.clone(), disguise))
    }

    /// The engine of a database in a dialect on a source.
    pub(crate) fn engine(
        &self,
        source: &TestSource,
        database: &str,
        dialect: &str,
    ) -> Result<Arc<Engine>, String> {
        self.engine_with(source, database, dialect, "")
    }

    /// The same with a policy file, if one is named.
    pub(crate) fn engine_with(
        &self,
        source: &TestSource,
        database: &str,
        dialect: &str,
        policies: &str,
    ) -> Result<Arc<Engine>, String> {
        let (named, spoken) = (database.to_owned(), dialect.to_owned());
        let key = (source.clone(), named, spoken, policies.to_owned());
        let opened = {
            let mut engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(engines.entry(key).or_default())
        };
        opened.get_or_init(|| self.open(source, database, dialect, policies)).clone()
    }

    /// The rows of hand-written SQL on a PostgreSQL; SQLite gives none.
    pub(crate) fn query(
        &self,
        source: &TestSource,
        database: &str,
        sql: &str,
    ) -> Result<Vec<Vec<Option<String>>>, String> {
        let TestSource::Postgres(installation) = source else { return Ok(Vec::new()) };
        let server = shared(installation).map_err(ToString::to_string)?;
        self.databases.postgres(server, database).map_err(|error| error.to_string())?;
        server.query(database, sql).map_err(|error| error.to_string())
    }

    /// The SQLite file of a database.
    pub(crate) fn sqlite_file(&self, database: &str) -> Result<PathBuf, String> {
        self.databases.sqlite(database).map_err(|error| error.to_string())
    }

    /// A copy of a database with an engine of its own, whose options may be others.
    pub(crate) fn open_copy(
        &self,
        source: &TestSource,
        database: &str,
        dialect: &str,
        change: impl FnOnce(&mut Options),
    ) -> Result<OwnEngine, String> {
        let (address, copy) = match source {
            TestSource::Sqlite => {
                let copy =
                    self.databases.copy_sqlite(database).map_err(|error| error.to_string())?;
                (SourceAddress::Sqlite(copy.path().to_owned()), OwnCopy::Sqlite(copy))
            }
            TestSource::Postgres(installation) => {
                let server = shared(installation).map_err(ToString::to_string)?;
                let copy = self.databases.copy_postgres(server, database);
                let copy = copy.map_err(|error| error.to_string())?;
                (SourceAddress::Postgres(copy.url()), OwnCopy::Postgres(copy))
            }
            TestSource::Disguised(installation, disguise) => {
                let copy =
                    self.databases.copy_postgres(disguised(installation, *disguise)?, database);
                let copy = copy.map_err(|error| error.to_string())?;
                (SourceAddress::Postgres(copy.url()), OwnCopy::Postgres(copy))
            }
            TestSource::Pooled(installation, mode) => {
                let pooled = PooledServer::start(installation)?;
                let copy = self.databases.copy_postgres(&pooled.server, database);
                let copy = copy.map_err(|error| error.to_string())?;
                let url = pooled.pooler(*mode).url(copy.name());
                (SourceAddress::Postgres(url), OwnCopy::Postgres(copy))
            }
        };
        let mut options = options(database, dialect)?;
        change(&mut options);
        let engine = open(&address, &options)?;
        Ok(OwnEngine { engine, address, database: database.to_owned(), _copy: copy })
    }

    /// An engine that nobody else uses.
    pub(crate) fn open(
        &self,
        source: &TestSource,
        database: &str,
        dialect: &str,
        policies: &str,
    ) -> Result<Arc<Engine>, String> {
        let address = match source {
            TestSource::Sqlite => SourceAddress::Sqlite(self.sqlite_file(database)?),
            TestSource::Postgres(installation) => {
                let server = shared(installation).map_err(ToString::to_string)?;
                let made = self.databases.postgres(server, database);
                SourceAddress::Postgres(made.map_err(|error| error.to_string())?)
            }
            TestSource::Disguised(installation, disguise) => {
                let made = self.databases.postgres(disguised(installation, *disguise)?, database);
                SourceAddress::Postgres(made.map_err(|error| error.to_string())?)
            }
            TestSource::Pooled(installation, mode) => {
                let pooled = PooledServer::start(installation)?;
                let made = self.databases.postgres(&pooled.server, database);
                made.map_err(|error| error.to_string())?;
                SourceAddress::Postgres(pooled.pooler(*mode).url(database))
            }
        };
        let options = options(database, dialect)?;
        open(&address, &Options { policies: read_policies(policies)?, ..options })
    }
}

impl OwnEngine {
    /// An engine for the same copy, for which there are no policies and no rules of `@auth`.
    pub(crate) fn open_for_administrator(&self, dialect: &str) -> Result<Arc<Engine>, String> {
        let mut options = options(&self.database, dialect)?;
        crate::defined::remove_rules(&mut options);
        open(&self.address, &options)
    }
}

/// A policy file within `fixtures/databases`; none, where no name is said.
pub(crate) fn read_policies(path: &str) -> Result<Option<Arc<PolicyFile>>, String> {
    if path.is_empty() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(fixtures().join("databases").join(path))
        .map_err(|error| format!("{path}: {error}"))?;
    let file = PolicyFile::parse(&text).map_err(|error| format!("{path}: {error}"))?;
    Ok(Some(Arc::new(file)))
}

fn options(database: &str, dialect: &str) -> Result<Options, String> {
    let parsed = dialect::parse(dialect)?;
    let tracked = match &parsed {
        dialects::Dialect::Hasura(options) => options.metadata.served(),
        _ => None,
    };
    let written = tracked.and_then(|served| served.written_queries());
    let namespaces = tracked.map_or_else(|| vec!["public".into()], |served| served.schemas());
    let mut options = Options {
        source: OpenOptions {
            namespaces,
            written,
            wide_integers: dialect.contains("bigint=string"),
            ..OpenOptions::default()
        },
        ..Options::new(parsed, engine::PoolLimits::unshared(2))
    };
    defined::set_definitions(&mut options, database)?;
    Ok(options)
}

fn open(address: &SourceAddress, options: &Options) -> Result<Arc<Engine>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(Engine::open(address, options)).map_err(|error| error.to_string())
}

/// The folder `fixtures` of the workspace.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}
