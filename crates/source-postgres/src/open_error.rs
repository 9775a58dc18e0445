//! The reasons why a database cannot be opened.

use super::introspect::IntrospectError;
use super::product::Lacking;
use super::wire::WireError;

/// The reason why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot connect to PostgreSQL: {}{}", .0, .0.remedy())]
    Connect(WireError),
    #[error("cannot read the schema of the database: {0}")]
    Catalog(IntrospectError),
    #[error("`--read-url`: {0}")]
    ReplicaAddress(WireError),
    #[error("`--read-url` {name}: {reason}")]
    Replica { name: Box<str>, reason: Box<str> },
    #[error("`--direct-url`: {0}")]
    Direct(Box<str>),
    #[error(transparent)]
    Lacking(#[from] Lacking),
    /// The positions of servers are needed for replicas.
    #[error("cannot read the state of the primary: {0}")]
    Primary(Box<str>),
}
