//! Subscriptions: live queries of one source, and its events ([`crate::events`]).
//!
//! A live query is lowered, authorized and compiled as a query is. Its cohort is executed on the
//! thread of its first subscriber, whenever the crate [`live`](::live) marks it as dirty:
//! `worker/subscribe.rs`, with `worker/streams.rs` for streams of rows (`stream`). `bus` is a broker over which servers relay changes of rows, `last_sent`
//! the response that was sent last.

mod bus;
mod last_sent;
pub(crate) mod stream;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, Request};
use live::{Cohort, EventListeners, FeedClaim, Hub, Listeners, LiveQuery};
use response::MemoryReservation;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Receiver;

pub use bus::BrokerBus;
pub use last_sent::LastSent;
pub use live::{Counts, FeedKind, FeedOptions, ListenerCounts, RunningFeed};
pub use source::changes::Relay;
pub use source::message_bus::MessageBus;
pub use stream::StreamResponses;
pub(crate) use stream::{Batch, StreamExecution};

use crate::caller::Caller;
use crate::events::{EventExecution, EventPlace};
use crate::live_directive::LiveDirective;
use crate::topics::TopicAuthorization;

/// Subscriptions that are executed at the same time: the others wait, so that requests of clients find
/// connections.
const MOST_AT_ONCE: usize = 8;

/// The subscriptions of an engine.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) hub: Arc<Hub>,
    pub(crate) options: FeedOptions,
    pub(crate) slots: Semaphore,
    pub(crate) listeners: Arc<Listeners>,
    pub(crate) events: Arc<EventListeners>,
    /// Authorizes subscriptions to notifications, if a function does.
    pub(crate) topics: Option<TopicAuthorization>,
}

/// A subscription that has begun.
#[derive(Debug)]
pub struct Begun {
    pub responses: Responses,
    /// The work for it that a task has to do, by `Worker::drive`; `None` if another task does it
    /// already.
    pub driver: Option<Driver>,
}

/// The responses of a subscription.
#[derive(Debug)]
pub enum Responses {
    Live(LiveQuery),
    Events(EventResponses),
    Rows(StreamResponses),
}

/// The responses of a subscription to events.
#[derive(Debug)]
pub struct EventResponses {
    execution: EventReceiver,
    pub(crate) place: EventPlace,
    /// Executions by former engines, whose responses come first.
    former: VecDeque<EventReceiver>,
}

/// The responses of one execution.
#[derive(Debug)]
struct EventReceiver {
    receiver: Receiver<Bytes>,
    /// True at the end if another execution continues the subscription.
    is_moved: Arc<AtomicBool>,
}

/// The work of a subscription.
#[derive(Debug)]
pub struct Driver(pub(crate) Work);

#[derive(Debug)]
pub(crate) enum Work {
    Live(Box<LiveWork>),
    Events(Box<EventExecution>),
    /// That of the engine of a further source.
    Further {
        number: usize,
        driver: Box<Driver>,
    },
}

/// The execution of a cohort, and the feed of all cohorts.
#[derive(Debug)]
pub(crate) struct LiveWork {
    pub(crate) hub: Arc<Hub>,
    pub(crate) execution: Option<Execution>,
    /// If there is one, this work follows the changes of the source, for all cohorts.
    pub(crate) feed: Option<FeedClaim>,
}

#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) cohort: Arc<Cohort>,
    pub(crate) request: Request,
    pub(crate) caller: Caller,
    /// The directive by which the request is a live query, if it is no subscription.
    pub(crate) directive: Option<LiveDirective>,
    /// The stream of rows, if the request is one.
    pub(crate) stream: Option<StreamExecution>,
    /// Time between two executions if nothing tells of changes: of calls of asynchronous actions.
    pub(crate) polled: Option<Duration>,
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
    pub(crate) fn new(options: FeedOptions, topics: Option<TopicAuthorization>) -> Self {
        let slots = Semaphore::new(MOST_AT_ONCE);
        let (listeners, events) = (Arc::default(), Arc::default());
        Self { hub: Arc::default(), options, slots, listeners, events, topics }
    }
}

impl Responses {
    /// Waits for the next response. Of a live query it is the newest one, if several were published
    /// since the last call. `None`: the subscription has ended. Cancel safe.
    pub async fn next(&mut self) -> Option<Bytes> {
        match self {
            Self::Live(query) => query.next().await,
            Self::Events(responses) => responses.next().await,
            Self::Rows(responses) => responses.next().await,
        }
    }
}

impl EventResponses {
    pub(crate) fn new(
        receiver: Receiver<Bytes>,
        place: EventPlace,
        is_moved: Arc<AtomicBool>,
    ) -> Self {
        Self { execution: EventReceiver { receiver, is_moved }, place, former: VecDeque::new() }
    }

    /// Waits for the next response; `None` at the end. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        while let Some(former) = self.former.front_mut() {
            if let Some(response) = former.receiver.recv().await {
                return Some(response);
            }
            if !former.is_moved.load(Ordering::Relaxed) {
                return None;
            }
            self.former.pop_front();
        }
        self.execution.receiver.recv().await
    }

    /// Continues with another execution after the events of this one.
    pub(crate) fn continue_with(&mut self, following: Self) {
        let Self { execution, place, former: _ } = following;
        self.place = place;
        self.former.push_back(std::mem::replace(&mut self.execution, execution));
    }
}

/// Ends the subscriptions of a cohort that is executed no longer: also if the task is dropped.
impl Drop for LiveWork {
    fn drop(&mut self) {
        if let Some(Execution { cohort, .. }) = &self.execution {
            self.hub.end(cohort);
        }
    }
}

/// The error of a subscription or a live query that came as a plain request.
pub(crate) fn without_stream(kind: OperationKind) -> GraphQLError {
    let what = match kind {
        OperationKind::Subscription => "A subscription",
        OperationKind::Query | OperationKind::Mutation => "A query with \"@live\"",
    };
    let message = format!(
        "{what} has many responses: send it over a WebSocket with the subprotocol \
         `graphql-transport-ws`, or with the header `Accept: text/event-stream`."
    );
    GraphQLError::new(ErrorCode::BadUserInput, message)
}
