//! Options of opening a database.

use catalog::WrittenQueries;
use source::Timeouts;

use super::read_options::ReadOptions;

/// Options of a PostgreSQL database.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostgresOptions<'o> {
    /// The schemas to read, in this order.
    pub namespaces: &'o [String],
    /// Whether objects of extensions are read.
    pub extensions: Extensions,
    /// Whether the rights of roles restrict the schema.
    pub rights: Rights,
    /// Whether defaults of columns are read.
    pub defaults: Defaults,
    /// A function that the server calls itself, from text to text. Its schema need not be read, and no
    /// client can call it.
    pub called: Option<&'o FunctionName>,
    /// Queries of the schema's author, which become functions.
    pub written: Option<&'o WrittenQueries>,
    pub timeouts: Timeouts,
    /// The address of the server itself, if the source's leads to a pooler.
    pub direct: Option<&'o str>,
    /// Reads from replicas.
    pub reads: Option<&'o ReadOptions>,
}

/// The name of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionName {
    pub namespace: Box<str>,
    pub name: Box<str>,
}

/// Whether tables, views and functions of extensions are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extensions {
    #[default]
    LeftOut,
    Listed,
}

/// Whether values of columns that inserts omit are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Defaults {
    /// It is known which columns have one.
    #[default]
    LeftOut,
    Read,
}

/// Whether the rights of roles restrict the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rights {
    /// Everything is offered; a request that may not is refused when it runs.
    #[default]
    Ignored,
    /// Operations that neither the user of the connection nor a role that it can become may do are
    /// not offered.
    Respected,
}
