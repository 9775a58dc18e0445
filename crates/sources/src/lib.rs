//! Sources: where the data is, and how it is read.
//!
//! * [`relational`]: from the request tree to SQL statements, for every SQL database
//! * [`postgres`], [`sqlite`]: introspect, compile, execute
//! * [`neo4j`]: the same for a graph
//! * [`source`](mod@source): a source as the engine sees it, whichever it is
//! * [`operand`]: the values of a request's variables
//! * [`session`]: who asks
//! * [`observed`]: what the statements of one request took
//! * [`statistics`]: what the connections of all threads do
//! * [`watch`]: whether a source's schema has changed
//! * [`offload`]: long work that is not done on serving threads
//! * `wire`: what the clients of databases over a network have in common
//! * [`error`]: what can go wrong

pub mod error;
pub mod neo4j;
pub mod observed;
pub mod offload;
pub mod opaque;
pub mod operand;
pub mod postgres;
pub mod relational;
pub mod session;
pub mod source;
pub mod sqlite;
pub mod statistics;
pub mod streamed;
pub mod watch;
mod wire;

pub use ir::Claims;
pub use error::{Details, SourceError, SourceErrorKind};
pub use observed::{Observed, ReadForm, Round};
pub use operand::Variables;
pub use postgres::introspect::{Extensions, Rights};
pub use relational::escape_ends;
pub use session::{NameSet, Session, Settings};
pub use source::{
    Address, AddressError, Asked, Connections, ExecuteError, Most, OpenError, OpenOptions, Plan,
    Program, Source, StoredColumn, Timeouts,
};
pub use sql::PlanFigures;
pub use statistics::Statistics;
pub use streamed::{Compile, Delivery, Executed, Part, ProgramForm, Rest, Sizes, Streamed};
pub use watch::SchemaWatch;
