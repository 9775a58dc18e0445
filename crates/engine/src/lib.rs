//! The straight line from a request to its answer.
//!
//! | stage | function | made |
//! |---|---|---|
//! | parse, validate | [`prepare`]: `document` | once a document |
//! | coerce | `graphql::coerce_variable_values` | each request |
//! | lower, authorize, compile | [`prepare`]: `plan` | once a document, variable structure and combination of rules |
//! | bind, execute, write | `sources::Connections::execute` | each request |
//! | respond | [`respond`] | each request |
//!
//! * [`policies`]: permissions of roles by policy files, for the authorizer of the crate `access`
//! * `withhold`: refused parts of a request, as errors of its answer
//! * [`session`]: who asks: from a token to what the source is told
//! * [`engine`]: one API over one source, shared by all threads
//! * [`gateway`]: federation gateway: one API over several subgraphs
//! * [`api`]: one of the two, as the server knows it
//! * [`known_rows`]: rows that the API is made from
//! * [`graph`]: what is in a graph, of which an API is made without type definitions, and what
//!   definitions want of it
//! * [`worker`]: what one thread needs to answer: connections
//! * [`documents`]: documents with their plans
//! * [`prepare`]: everything that is made once and cached
//! * `footprint`: how many bytes plans keep
//! * [`cost`]: what an operation is estimated to cost
//! * [`respond`]: answers and errors as JSON
//! * [`tell`]: what clients are told of the errors of a source
//! * `throttle`: how often the log has the same
//! * [`federated_trace`]: what routers are told of the fields of a subgraph that they asked for
//! * [`batch_limits`]: limits for all requests of a batch together
//! * [`report`]: what happened to a request
//! * [`explain`]: the same road, shown instead of gone

pub mod api;
pub mod batch_limits;
pub mod cache;
pub mod cost;
pub mod documents;
pub mod engine;
pub mod explain;
pub mod federated_trace;
mod footprint;
pub mod gateway;
pub mod graph;
pub mod known_rows;
pub mod patterns;
pub mod policies;
pub mod prepare;
pub mod report;
pub mod respond;
pub mod rest;
#[cfg(test)]
mod restrictions;
pub mod session;

pub mod tell;
mod throttle;
mod withhold;
pub mod worker;

pub use api::{Api, ApiWorker};
pub use cost::CostLimits;
pub use engine::{Engine, Limits, OpenError, Options};
pub use explain::Explained;
pub use gateway::Caller;
pub use known_rows::KnownRowsError;
pub use patterns::PatternLimits;
pub use policies::{PolicyFile, PolicyProblem, PolicyProblems, RowError, RowName};
pub use report::{Report, Stages};
pub use respond::{Kind, Response};
pub use response::{MemoryBudget, MemoryReservation, NoMemory, SentPiece};
pub use rest::{BrokenOff, Rest};
pub use source::{Claims, PlanFigures, PoolLimits, Session, Sizes, Timeouts};
pub use sources::{
    Address as SourceAddress, Extensions, OpenOptions, Rights, SchemaWatch, StoredColumn,
};
pub use tell::{ErrorOptions, ExtendedError};
pub use throttle::log_untold;
pub use worker::{Allowed, Delivery, Worker};
