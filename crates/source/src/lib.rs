//! The vocabulary that all sources share: parameters and results of drivers. It knows no driver.
//!
//! * [`connections`]: the interface of a driver
//! * [`plan`]: compiled requests, and the parameters of their execution
//! * [`operand`], [`opaque`]: the values of a request's variables
//! * [`geo`]: conditions on places of the earth
//! * [`session`]: settings and claims of a session
//! * [`freshness`]: how new the state must be that a read sees
//! * [`limits`]: timeouts, and limits of connection pools
//! * [`streamed`]: answers that are sent while they are made
//! * [`offload`]: long work on the blocking pool
//! * [`observed`], [`statistics`]: figures of one request, and of the connections of all threads
//! * [`changes`]: detection of changes of rows; [`notifications`]: channels of notifications
//! * [`events`]: events of nodes and rows; [`event_recording`]: events that changes record
//! * [`event_log`]: logs of events for webhooks; [`action_log`]: logs of asynchronous actions
//! * [`raw_statement`]: statements of SQL that clients send, and their results
//! * [`watch`]: detection of schema changes; [`migration`]: the history of migrations
//! * [`wire`]: sockets, TLS and buffers of clients of databases over a network
//! * [`error`]: the errors of sources

pub mod action_log;
pub mod changes;
pub mod connections;
pub mod error;
pub mod event_log;
pub mod event_recording;
pub mod events;
pub mod freshness;
pub mod geo;
pub mod limits;
pub mod message_bus;
pub mod migration;
mod new_id;
pub mod notifications;
pub mod observed;
pub mod offload;
pub mod opaque;
pub mod operand;
pub mod plan;
pub mod raw_statement;
mod resolved;
pub mod session;
pub mod statistics;
pub mod streamed;
pub mod watch;
pub mod wire;

pub use connections::{Connections, Snapshot};
pub use error::{CompileError, Details, ExecuteError, SourceError, SourceErrorKind};
pub use event_recording::{EventRecorder, EventRecorders};
pub use events::{CommittedEvent, CommittedEvents, NodeEvent, RowEvent};
pub use freshness::{ChangePosition, Freshness, LogPosition};
pub use ir::Claims;
pub use limits::{PoolLimits, Timeouts};
pub use migration::{
    AppliedMigration, ColumnDetails, ExtensionState, MigrationAccess, Record, Recorded,
};
pub use new_id::cuid as new_cuid;
pub use observed::{Bounding, Observed, ReadForm, Round};
pub use operand::Variables;
pub use plan::{ExecuteParams, Plan};
pub use session::{NameSet, Session, Settings};
pub use sql::PlanFigures;
pub use statistics::Statistics;
pub use streamed::{Delivery, Executed, Part, Rest, Sizes, Streamed};
pub use watch::{SchemaProbe, SchemaWatch};
