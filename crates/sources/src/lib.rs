//! The registry of sources: everything that holds one of several drivers, and dispatches to it.
//!
//! * [`address`], [`open`]: addresses, and options of opening a source
//! * [`opened`]: an opened source, which compiles requests
//! * [`plan`]: compiled requests
//! * [`connections`]: the connections of one thread; [`snapshot`]: plans that see one state
//! * [`watch`]: changes of a source's schema; [`changes`]: changes of its rows; [`triggers`]: triggers
//!   that report them
//! * [`migrate`]: migrations of a source that has tables; [`backup`]: copies of its database
//! * [`action_log`]: calls of asynchronous actions
//! * [`event_log`]: events for webhooks
//! * [`raw_statement`]: statements of SQL that clients send
//! * [`transfer`]: loads and reads in bulk of such a source

pub mod action_log;
pub mod address;
pub mod backup;
pub mod changes;
pub mod connections;
pub mod event_log;
pub mod migrate;
pub mod open;
pub mod opened;
pub mod plan;
pub mod raw_statement;
pub mod snapshot;
pub mod transfer;
pub mod triggers;
pub mod watch;

pub use action_log::{ActionLog, ActionLogError};
pub use address::{Address, AddressError};
pub use changes::{ChangeProbe, ChangeStream, Changes};
pub use connections::Connections;
pub use event_log::{EventLog, EventLogError};
pub use migrate::{MigrateError, Migrator, Planned};
pub use open::{
    Defaults, DirectUrl, Durability, Extensions, FunctionName, Lag, OpenError, OpenOptions,
    ReadOptions, ReadStatus, ReplicaOptions, ReplicaStatus, Rights, StoredColumn, WithoutReplica,
};
pub use opened::Source;
pub use plan::Plan;
pub use raw_statement::{RawStatementError, RawStatements};
pub use snapshot::Snapshot;
pub use source_postgres::PostgresChannels as Channels;
pub use source_sqlite::{
    count_memory as count_memory_of_sqlite, give_back_memory as give_back_memory_of_sqlite,
};
pub use watch::SchemaWatch;
