//! Subscriptions: live queries of one source.
//!
//! A subscription is lowered, authorized and compiled as a query is. Its cohort is executed on the
//! thread of its first subscriber, whenever the crate [`live`](::live) marks it as dirty:
//! `worker/subscribe.rs`.

use std::sync::Arc;

use bytes::Bytes;
use graphql::{ErrorCode, GraphQLError, Request};
use live::{Cohort, Hub};
use response::MemoryReservation;
use tokio::sync::Semaphore;

pub use live::{Counts, FeedKind, FeedOptions, LiveQuery};

use crate::caller::Caller;

/// Live queries that are executed at the same time: the others wait, so that requests of clients find
/// connections.
const MOST_AT_ONCE: usize = 8;

/// The live queries of an engine.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) hub: Arc<Hub>,
    pub(crate) options: FeedOptions,
    pub(crate) slots: Semaphore,
}

/// A subscription that has begun.
#[derive(Debug)]
pub struct Begun {
    pub query: LiveQuery,
    /// The work for it that a task has to do, by `Worker::drive`; `None` if another task does it
    /// already.
    pub driver: Option<Driver>,
}

/// The execution of a cohort, and the feed of all cohorts.
#[derive(Debug)]
pub struct Driver {
    pub(crate) hub: Arc<Hub>,
    pub(crate) execution: Option<Execution>,
    /// True if this driver follows the changes of the source, for all cohorts.
    pub(crate) needs_feed: bool,
}

#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) cohort: Arc<Cohort>,
    pub(crate) request: Request,
    pub(crate) caller: Caller,
}

/// A response, with the memory that is reserved for it.
struct Reserved {
    body: Vec<u8>,
    _held: MemoryReservation,
}

impl AsRef<[u8]> for Reserved {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// The bytes of a response, whose memory stays reserved as long as they are used.
pub(crate) fn reserved(body: Vec<u8>, held: MemoryReservation) -> Bytes {
    Bytes::from_owner(Reserved { body, _held: held })
}

impl Live {
    pub(crate) fn new(options: FeedOptions) -> Self {
        Self { hub: Arc::default(), options, slots: Semaphore::new(MOST_AT_ONCE) }
    }
}

/// Ends the subscriptions of a cohort that is executed no longer: also if the task is dropped.
impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(Execution { cohort, .. }) = &self.execution {
            self.hub.end(cohort);
        }
    }
}

/// The error of a subscription that came as a plain request.
pub(crate) fn without_stream() -> GraphQLError {
    GraphQLError::new(
        ErrorCode::BadUserInput,
        "A subscription has many responses: send it over a WebSocket with the subprotocol \
         `graphql-transport-ws`, or with the header `Accept: text/event-stream`.",
    )
}
