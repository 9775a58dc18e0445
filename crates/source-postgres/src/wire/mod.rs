//! A thin PostgreSQL client for the hot path: the extended protocol of
//! <https://www.postgresql.org/docs/current/protocol.html>, pipelined, results in text format.
//!
//! One buffer takes the messages of all statements of a request, one write sends it, and rows stay
//! in the received bytes. A connection is used by one task at a time, or by several whose requests
//! are pipelined ([`Batches`]).
//!
//! In the order of control flow:
//! - [`config`]: where to connect to, and how: from a URL and the `PG*` variables;
//! - `tls`, `certificate`: how the stream is encrypted;
//! - `startup`, `authenticate`: from a stream to a session; `silent`: which hosts come last;
//! - [`Connection`]: the session and its cancel token (`cancel`);
//! - `pooled`: detection of a pooler by a session; `pooler`: its state, for all sessions;
//! - [`Pipeline`]: statements sent together, answers read together;
//! - `portal`: a statement whose rows are read in portions;
//! - [`Statement`] and the cache of prepared statements (`prepared`);
//! - `round`: sends composed messages, and reads the answers;
//! - [`Batches`]: the same for several requests, each answered to its own Sync;
//! - `receive`: the bytes received, cut into messages; [`Rows`]: an index over them;
//! - `drain`: reads and discards outstanding answers before a connection is closed;
//! - [`Replication`]: a session in replication mode;
//! - `simple`: the same connection as a `tokio_postgres::Client`, for uses without performance
//!   needs.
//!
//! Invariant: a connection whose round was not read to its end is not clean, and is never used
//! again ([`Connection::is_clean`]).

mod authenticate;
mod batches;
mod cancel;
mod certificate;
pub mod config;
mod connection;
mod drain;
mod error;
mod message;
mod pgpool;
mod pipeline;
mod pooled;
mod pooler;
mod portal;
mod prepared;
mod receive;
mod replication;
mod round;
mod rows;
mod sessions;
mod silent;
mod simple;
mod startup;
mod statement;
mod tls;

pub use batches::{Answered, Batches};
pub use cancel::CancelToken;
pub use config::Config;
pub use connection::Connection;
pub(super) use drain::Drain;
pub use error::{DatabaseError, WireError};
pub(super) use pgpool::{is_relayed, leads_to_pgpool};
pub use pipeline::{Pipeline, Transaction};
pub use replication::Replication;
pub use rows::{Row, Rows};
pub use simple::{connect_notified, connect_simple};
pub use statement::{Parameter, Statement};
