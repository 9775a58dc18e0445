//! The single connection mode of GraphQL over server-sent events:
//! <https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md#single-connection-mode>.
//!
//! PUT reserves a stream and returns its token, GET opens the stream, and each POST adds an operation
//! to it, which DELETE ends. The requests may arrive at different threads: an operation goes to the
//! stream's thread through its [`reservation`](super::reservations).
//!
//! * `requests`: these four requests
//! * `driver`: executes the operations of an open stream
//! * `frame`: the events of a stream

mod driver;
mod frame;
mod requests;

pub(super) use self::requests::{answer, is_addressed};
