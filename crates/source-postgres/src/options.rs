//! Options of opening a database, and the errors of opening it.

use source::Timeouts;

use super::introspect::{Extensions, IntrospectError, Rights};
use super::wire::WireError;

/// Options of a PostgreSQL database.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostgresOptions<'o> {
    /// The schemas to read, in this order.
    pub namespaces: &'o [String],
    /// Whether objects of extensions are read.
    pub extensions: Extensions,
    /// Whether the rights of roles restrict the schema.
    pub rights: Rights,
    pub timeouts: Timeouts,
}

/// The reason why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot connect to PostgreSQL: {0}")]
    Connect(WireError),
    #[error("cannot read the schema of the database: {0}")]
    Catalog(IntrospectError),
}
