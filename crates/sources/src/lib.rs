//! Sources: where the data is, and how it is read.
//!
//! * [`relational`]: from the request tree to SQL statements, for every SQL database
//! * [`postgres`], [`sqlite`]: introspect, compile, execute
//! * [`source`](mod@source): a source as the engine sees it, whichever it is
//! * [`operand`]: the values of a request's variables
//! * [`error`]: what can go wrong

pub mod error;
pub mod opaque;
pub mod operand;
pub mod postgres;
pub mod relational;
pub mod source;
pub mod sqlite;

pub use error::{SourceError, SourceErrorKind};
pub use operand::Variables;
pub use postgres::introspect::Extensions;
pub use source::{
    Address, AddressError, Connections, ExecuteError, OpenError, OpenOptions, Plan, Program,
    Source, Timeouts,
};
