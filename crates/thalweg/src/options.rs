//! Options of an API.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use dialects::hasura::metadata::{MetadataError, MetadataSetting, ServedSource};
use dialects::{DIALECTS, Dialect, DialectName, find_dialect, hasura};
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
    /// The dialect has no API without type definitions.
    #[error(
        "`{0}` needs type definitions: give the dialect with them to `Options::of`, and set \
         `engine.schema_first`"
    )]
    Definitions(Box<str>),
    /// The metadata cannot be read.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
}

fn names() -> String {
    DIALECTS.iter().map(|(name, ..)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The dialect with its default options, which are those of a server without type definitions; `None` if
/// it needs some.
fn without_definitions(name: DialectName) -> Option<Dialect> {
    let mut dialect = name.dialect();
    match &mut dialect {
        Dialect::Dgraph(_) => return None,
        Dialect::Neo4j(options) => options.is_introspected = true,
        Dialect::Prisma(options) => options.is_introspected = true,
        Dialect::PostGraphile(_) | Dialect::Phrag(_) | Dialect::Hasura(_) => {}
    }
    Some(dialect)
}

impl Options {
    /// A source by its address (`postgres://…`, `neo4j://…`, the path of a SQLite file) in a dialect with
    /// its default options, by the limits of the server. The definitions of `neo4j` and `prisma` are made
    /// of what the database has.
    ///
    /// # Errors
    ///
    /// The address is mistyped, no dialect has the name, or it is `dgraph`, which needs type definitions.
    pub fn new(source: &str, dialect: &str) -> Result<Self, OptionsError> {
        let address = SourceAddress::parse(source)?;
        let name = find_dialect(dialect).ok_or_else(|| OptionsError::Dialect(dialect.into()))?;
        let known = without_definitions(name);
        let dialect = known.ok_or_else(|| OptionsError::Definitions(dialect.into()))?;
        Ok(Self::of(address, dialect))
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
