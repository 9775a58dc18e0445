//! An own client of Neo4j: Bolt 5.0 to 5.8, and 4.4, see <https://neo4j.com/docs/bolt/current/>.
//!
//! One buffer takes the messages of all statements of a request, one write sends it, and records
//! stay in the received bytes: values are read in place, by [`response::packed`]. A connection is
//! used by one task at a time.
//!
//! In the order of control flow:
//! - [`config`]: where to connect to, and how: from an address and the `NEO4J_*` variables;
//! - [`Cluster`], `table`: routing, and [`Bookmarks`] of earlier transactions. No cluster is
//!   available for tests; it is tested with a cluster's documented answers;
//! - `startup`, `handshake`, `hello`: from an address to a session, and which server that is
//!   ([`ServerVersion`]);
//! - [`Connection`]: the session, and in which state its messages leave it;
//! - [`Batch`]: messages that are composed and sent together, with the parameters of their
//!   [`Transaction`];
//! - `outbox`, [`Pack`]: the messages as they are sent, and the values in them;
//! - `round`: sends composed messages, and reads the answers;
//! - `receive`, `message`: the bytes received, cut into messages; [`Records`]: an index over them,
//!   and [`Summary`]: the counters of a statement;
//! - [`WireError`]: errors, and which of them are transient.
//!
//! Invariant: a connection whose answers were not read to their end is not clean
//! ([`Connection::is_clean`]), and is used again only after a [`Connection::reset`].

mod batch;
mod bookmarks;
mod cluster;
pub mod config;
mod connection;
mod error;
mod handshake;
mod hello;
mod message;
mod outbox;
mod pack;
mod receive;
mod records;
mod round;
#[cfg(test)]
pub(crate) mod script;
mod startup;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod transaction;
mod version;

pub use batch::Batch;
pub use bookmarks::Bookmarks;
pub use cluster::Cluster;
pub use config::{Config, Endpoint};
pub use connection::Connection;
pub use error::{DatabaseError, ErrorClass, WireError};
pub use pack::Pack;
pub use records::Records;
pub use summary::{Counters, Summary};
pub use transaction::{Scope, Transaction};
pub use version::ServerVersion;
