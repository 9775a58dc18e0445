//! The reasons why a database cannot be opened.

use super::introspect::IntrospectError;
use super::wire::WireError;

/// The reason why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot connect to PostgreSQL: {0}")]
    Connect(WireError),
    #[error("cannot read the schema of the database: {0}")]
    Catalog(IntrospectError),
}
