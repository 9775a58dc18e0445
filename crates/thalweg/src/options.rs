//! Options of an API.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use dialects::hasura::metadata::{MetadataError, MetadataSetting, ServedSource};
use dialects::{DIALECTS, Dialect, find_dialect, hasura};
use engine::session::Mapping;
use engine::{PoolLimits, SourceAddress, SourceAddressError};
use hasura_metadata::forms::read_text;

/// Connections of all threads by default, as those of the server.
const CONNECTIONS: usize = 20;

/// Connections of a thread that short reads of PostgreSQL share by default, as those of the server.
const SHARED_CONNECTIONS: usize = 2;

/// The schema of PostgreSQL that is served by default.
const SCHEMA: &str = "public";

/// Memory of the answers that are made or not yet dropped, by default.
const ANSWERS: u64 = 256 << 20;

/// Options of an API: database, dialect, resources.
#[derive(Clone, Debug)]
pub struct Options {
    /// The database.
    pub source: SourceAddress,
    /// The dialect with its options, policies, limits, caches and connections of each thread.
    pub engine: engine::Options,
    /// The number of threads that execute requests.
    pub threads: NonZeroUsize,
    /// Time limit of a request and of a statement.
    pub timeout: Duration,
    /// The most bytes of all answers that are made or not yet dropped.
    pub answers: u64,
    /// How claims become a role and settings of PostgreSQL. The dialect `hasura` has no such mapping: its
    /// claims are session variables.
    pub mapping: Mapping,
    /// Whether metadata of Hasura may have triggers and asynchronous actions, which the library does
    /// not deliver.
    pub triggers: Triggers,
}

/// Event triggers, cron triggers and asynchronous actions of Hasura's metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Triggers {
    /// Metadata that has some is refused.
    #[default]
    Refused,
    /// A server of the same database delivers them: `thalweg serve`.
    DeliveredElsewhere,
}

/// Options cannot be those of an API.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// The text is no address of a database.
    #[error(transparent)]
    Source(#[from] SourceAddressError),
    /// No dialect has this name.
    #[error("`{0}` is no dialect; there are {names}", names = names())]
    Dialect(Box<str>),
    /// The metadata cannot be read.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
}

fn names() -> String {
    DIALECTS.iter().map(|(name, ..)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Options {
    /// A source by its address (`postgres://…`, `neo4j://…`, the path of a SQLite file) in a dialect with
    /// its default options, by the limits of the server.
    ///
    /// # Errors
    ///
    /// The address is mistyped, or no dialect has the name.
    pub fn new(source: &str, dialect: &str) -> Result<Self, OptionsError> {
        let address = SourceAddress::parse(source)?;
        let name = find_dialect(dialect).ok_or_else(|| OptionsError::Dialect(dialect.into()))?;
        Ok(Self::of(address, name.dialect()))
    }

    /// A source in the dialect `hasura` with the metadata of a running or former Hasura: JSON or YAML in
    /// one text, as `hasura metadata export -o json` writes it.
    ///
    /// # Errors
    ///
    /// The address is mistyped, or the metadata cannot be read.
    pub fn with_hasura_metadata(source: &str, metadata: &str) -> Result<Self, OptionsError> {
        let address = SourceAddress::parse(source)?;
        let served = ServedSource::choose(read_text("metadata", metadata), None)?;
        let metadata = MetadataSetting::Read(served);
        let dialect = Dialect::Hasura(hasura::Options { metadata, ..hasura::Options::default() });
        Ok(Self::of(address, dialect))
    }

    /// A source in a dialect. The schemas of PostgreSQL are those of Hasura's metadata, or `public`;
    /// [`EngineOptions::source`](engine::Options) names others.
    #[must_use]
    pub fn of(source: SourceAddress, dialect: Dialect) -> Self {
        let threads = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let connections = (CONNECTIONS / threads).max(1);
        let mapping = match dialect {
            Dialect::PostGraphile(_) | Dialect::Phrag(_) | Dialect::Dgraph(_) => Mapping::default(),
            // Claims of these name no role of the database.
            Dialect::Neo4j(_) | Dialect::Hasura(_) | Dialect::Prisma(_) => {
                Mapping { role: Vec::new(), ..Mapping::default() }
            }
        };
        let pool = PoolLimits::sharing(connections, SHARED_CONNECTIONS);
        let (namespaces, written) = match &dialect {
            Dialect::Hasura(hasura::Options {
                metadata: MetadataSetting::Read(served), ..
            }) => (served.schemas(), served.written_queries()),
            // The metadata in the database says which they are.
            Dialect::Hasura(hasura::Options {
                metadata: MetadataSetting::Stored { .. }, ..
            }) => (Vec::new(), None),
            Dialect::PostGraphile(_)
            | Dialect::Phrag(_)
            | Dialect::Neo4j(_)
            | Dialect::Dgraph(_)
            | Dialect::Hasura(_)
            | Dialect::Prisma(_) => (vec![SCHEMA.to_owned()], None),
        };
        let mut engine = engine::Options::new(dialect, pool);
        engine.source.namespaces = namespaces;
        engine.source.written = written;
        Self {
            source,
            engine,
            threads,
            timeout: Duration::from_secs(30),
            answers: ANSWERS,
            mapping,
            triggers: Triggers::default(),
        }
    }
}
