//! Options of opening a database.

use source::Timeouts;

/// Options of a PostgreSQL database.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostgresOptions<'o> {
    /// The schemas to read, in this order.
    pub namespaces: &'o [String],
    /// Whether objects of extensions are read.
    pub extensions: Extensions,
    /// Whether the rights of roles decide what is offered.
    pub rights: Rights,
    pub timeouts: Timeouts,
}

/// What becomes of the tables, views and functions of extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extensions {
    #[default]
    LeftOut,
    Listed,
}

/// Whether the rights of roles decide what of a database is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rights {
    /// Everything is offered; a request that may not is refused when it runs.
    #[default]
    Ignored,
    /// What no role may that the user of the connection is or can become is not offered.
    Respected,
}
