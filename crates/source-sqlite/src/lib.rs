//! SQLite, in the same process.
//!
//! * [`introspect`], [`declared`]: introspection of a file
//! * [`migrate`]: migrations of a file; [`backup`]: copies of it
//! * [`connection`]: opening a file; `shared_memory`: protection against other programs that
//!   truncate its shared memory
//! * `durability`: what a power failure may lose
//! * `functions`: functions that SQLite lacks; `pattern`: LIKE in linear time
//! * `interrupt`: how a run is stopped, within a call of a function, too
//! * `json`: JSON by its content; `json_change`: changes of its parts; `list`: lists, which are JSON; `text`: values as SQLite's own LIKE reads them
//! * `vector`: distances of vectors
//! * [`bind`] for parameters
//! * `stored`: values as they are kept; `epoch`: moments as numbers
//! * `changes`: detection of changes of rows; `recording`: changes of the connection that writes
//! * `event_log`: events for webhooks; `action_log`: calls of asynchronous actions
//! * `planning`: when statements are planned
//! * `exact`: sums and averages with every digit
//! * `allocations`: SQLite's own memory for values, in the budget of all answers
//! * `statement`: prepared statements and their values; `idle`: the statement cache
//! * [`cursor`]: nested loops over prepared statements
//! * [`execute`]: a request's whole run
//! * `inline`: on the thread that serves the request, for a short while
//! * `program`: compiled requests; `offload`: their runs on another thread
//! * [`raw_statement`]: statements that clients send
//! * `snapshot`: several of them over one state of the file
//! * `runtime_estimate`: the estimated runtime of programs
//! * `scheduler`: the scheduler of long runs, with a queue per runtime class
//! * `threads`: the threads for that, with their connections
//! * `writer`: changing a file
//! * [`database`]: a file read from every thread; [`options`]: of opening it

mod action_log;
mod allocations;
pub mod backup;
pub mod bind;
mod changes;
pub mod connection;
pub mod cursor;
pub mod database;
pub mod declared;
mod durability;
mod encode;
mod epoch;
pub mod error;
mod event_log;
mod exact;
pub mod execute;
mod functions;
mod idle;
mod inline;
mod integer;
mod interrupt;
pub mod introspect;
mod json;
mod json_change;
mod list;
pub mod migrate;
mod moment;
mod offload;
pub mod options;
mod pattern;
mod planning;
mod program;
pub mod raw_statement;
mod recording;
mod runtime_estimate;
mod scheduler;
#[cfg(target_os = "linux")]
mod shared_memory;
mod snapshot;
mod statement;
mod stored;
mod text;
mod threads;
pub mod transfer;
mod vector;
mod writer;

pub use action_log::SqliteActionLog;
pub use allocations::{give_back as give_back_memory, install as count_memory};
pub use changes::{SqliteChangeProbe, SqliteChangeStream, SqliteChanges};
pub use connection::Identity;
pub use database::{SqliteConnections, SqliteSource};
pub use durability::Durability;
pub use event_log::{EventLogError, SqliteEventLog};
pub use introspect::watch::{SqliteFingerprint, SqliteSchemaProbe};
pub use options::{OpenError, SqliteOptions, StoredColumn};
pub use program::{SqlitePlan, SqliteProgram};
pub use snapshot::SqliteSnapshot;

use error::is_busy;

/// Steps of SQLite's virtual machine between two checks of the interrupt.
const STEPS: i32 = 1_000;
