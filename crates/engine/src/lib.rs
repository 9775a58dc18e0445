//! The straight line from a request to its answer.
//!
//! * [`engine`]: one API over one source, shared by all threads
//! * [`worker`]: what one thread needs to answer: connections
//! * [`response`]: what goes back to the client

pub mod engine;
pub mod response;
pub mod worker;

pub use engine::{Engine, OpenError, Options, SourceAddress};
pub use response::{Kind, Response};
pub use worker::Worker;
