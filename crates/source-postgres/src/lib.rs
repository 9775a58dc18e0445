//! PostgreSQL, over its own protocol.
//!
//! * [`introspect`]: introspection of a database
//! * [`migrate`]: migrations of a database
//! * [`wire`], [`pool`]: connections; [`circuit_breaker`]: the attempts to make new ones
//! * [`bind`] for parameters, `text` for values as texts, `files` for files of requests
//! * `settings`: settings of a session in front of its statements
//! * [`execute`]: a request's whole run, in as few rounds as possible
//! * `compile`: requests as programs, and other forms of these
//! * `split_join`: programs that read to-one rows by statements of their own, as long as that pays
//! * `joined`: programs that read two levels by one statement, as long as that pays
//! * `batch`: one execution for several requests of a session that differ in variables
//! * `sharing`: short reads of many requests over few connections; `runtime_estimate`: the choice
//!   of short reads; `abandoned`: statements of requests that are gone
//! * `answer`: the rows of a request, and the whole answer made of them
//! * `stream`, `portions`: answers that are sent while they are made; `length`: which these are
//! * `snapshot`: several programs in one transaction
//! * `changes`: detection of changes of rows
//! * `channels`: notifications
//! * `event_log`: events for webhooks; `action_log`: calls of asynchronous actions
//! * [`raw_statement`]: statements that clients send
//! * [`replicas`]: standbys that answer reads; `read_options`: which there are
//! * `direct`: the address of the server itself, beside that of a pooler
//! * `pooler`: detection of a connection pooler in front of the server
//! * [`database`]: a database read from every thread
//! * [`cursor`]: the rows of all levels, found by their parents' keys

mod action_log;
mod answer;
mod batch;
pub mod bind;
mod changes;
mod channels;
pub mod circuit_breaker;
mod compile;
pub mod cursor;
pub mod database;
mod direct;
pub mod error;
mod event_log;
pub mod execute;
mod files;
mod identity;
pub mod introspect;
mod joined;
mod length;
pub mod migrate;
pub mod open_error;
mod options;
mod own;
pub mod pool;
mod pooler;
mod portions;
mod product;
pub mod raw_statement;
mod read;
mod read_options;
pub mod replicas;
mod runtime_estimate;
mod settings;
mod sharing;
mod snapshot;
mod split_join;
mod stream;
mod text;
mod texts;
pub mod transfer;
pub mod wire;

pub use action_log::PostgresActionLog;
pub use batch::Answers;
pub use changes::{
    PostgresChangeProbe, PostgresChangeStream, PostgresChanges, PostgresTriggers, TriggerError,
};
pub use channels::{PostgresChannelSession, PostgresChannels};
pub use database::{PostgresConnections, PostgresSource};
pub use event_log::{EventLogError, PostgresEventLog};
pub use execute::{PostgresPlan, PostgresProgram};
pub use introspect::watch::{PostgresFingerprint, PostgresSchemaProbe};
pub use open_error::OpenError;
pub use options::{Defaults, Extensions, FunctionName, PostgresOptions, Rights};
pub use product::{Lacking, Product, RequireError, TooOld};
pub use read_options::{ReadOptions, ReplicaOptions, WithoutReplica};
pub use replicas::{Lag, ReadStatus, ReplicaStatus};
pub use snapshot::PostgresSnapshot;
