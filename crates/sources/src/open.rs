//! Options of opening a source, and the errors of opening it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use catalog::WrittenQueries;
use source::Timeouts;
use source_neo4j::wire::WireError as BoltError;
use source_postgres::PostgresOptions;
use source_postgres::introspect::IntrospectError;
pub use source_postgres::{
    Defaults, Extensions, FunctionName, Lag, ReadOptions, ReadStatus, ReplicaOptions,
    ReplicaStatus, Rights, WithoutReplica,
};
use source_sqlite::SqliteOptions;
pub use source_sqlite::{Durability, StoredColumn};

use crate::address::Address;

/// Options of opening a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The namespaces to read, in this order; ignored by sources without them.
    pub namespaces: Vec<String>,
    /// Whether objects of extensions are read; ignored by sources without them.
    pub extensions: Extensions,
    /// Whether only objects that the rights of roles allow are offered; ignored by sources without
    /// them.
    pub rights: Rights,
    /// Whether defaults of columns are read; SQLite's always are.
    pub defaults: Defaults,
    /// A function that the server calls itself, from text to text; only for PostgreSQL.
    pub called: Option<FunctionName>,
    /// Queries of the schema's author, which become functions; ignored by sources without SQL.
    pub written: Option<Arc<WrittenQueries>>,
    /// Whether INTEGER columns of SQLite, which hold 64 bits, count as such.
    pub wide_integers: bool,
    /// Scalars of columns of SQLite whose declarations do not name them.
    pub stored_as: Vec<StoredColumn>,
    /// When a transaction of a SQLite file counts as committed.
    pub durability: Durability,
    pub timeouts: Timeouts,
    /// The address of the PostgreSQL server itself, if the source's leads to a pooler.
    pub direct: Option<DirectUrl>,
    /// Reads from replicas; only for PostgreSQL.
    pub reads: Option<Arc<ReadOptions>>,
}

/// The address of a server behind a pooler, which may have a password.
#[derive(Clone, PartialEq, Eq)]
pub struct DirectUrl(pub Box<str>);

/// Addresses must not reach a log.
impl fmt::Debug for DirectUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DirectUrl").finish_non_exhaustive()
    }
}

/// The reason why a source cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Sqlite(#[from] source_sqlite::OpenError),
    #[error(transparent)]
    Postgres(#[from] source_postgres::OpenError),
    #[error(
        "cannot connect to Neo4j: {0}; start Neo4j there, or correct the address, the user and the password"
    )]
    Neo4j(BoltError),
}

impl OpenError {
    /// The namespaces that the source does not have, if that is why it was not opened.
    #[must_use]
    pub fn unknown_namespaces(&self) -> &[String] {
        match self {
            Self::Postgres(source_postgres::OpenError::Catalog(
                IntrospectError::UnknownNamespace { unknown, .. },
            )) => unknown,
            Self::Postgres(_) | Self::Sqlite(_) | Self::Neo4j(_) => &[],
        }
    }
}

impl OpenOptions {
    /// The address of the server itself, for sessions that outlive a transaction.
    #[must_use]
    pub fn direct_address<'a>(&self, address: &'a Address) -> Cow<'a, Address> {
        match (&self.direct, address) {
            (Some(DirectUrl(url)), Address::Postgres(_)) => {
                Cow::Owned(Address::Postgres(url.to_string()))
            }
            _ => Cow::Borrowed(address),
        }
    }

    pub(crate) fn postgres(&self) -> PostgresOptions<'_> {
        let Self { namespaces, extensions, rights, defaults, called, written, timeouts, .. } = self;
        let (extensions, rights, timeouts) = (*extensions, *rights, *timeouts);
        let (defaults, called, written) = (*defaults, called.as_ref(), written.as_deref());
        let (direct, reads) =
            (self.direct.as_ref().map(|DirectUrl(url)| &**url), self.reads.as_deref());
        PostgresOptions {
            namespaces,
            extensions,
            rights,
            defaults,
            called,
            written,
            timeouts,
            direct,
            reads,
        }
    }

    pub(crate) fn sqlite(&self) -> SqliteOptions<'_> {
        let Self { wide_integers, stored_as, durability, timeouts, written, .. } = self;
        let (wide_integers, durability, timeouts) = (*wide_integers, *durability, *timeouts);
        let written = written.as_deref();
        SqliteOptions { wide_integers, stored_as, durability, timeouts, written }
    }
}
