//! Subscriptions of the server itself, whose responses webhooks receive.
//!
//! A change records the events of its rows in the log of events, within its transaction, once for each
//! subscription to the rows. The response to an event is made when it is delivered.

use std::sync::Arc;

use bytes::Bytes;
use source::EventRecorders;
use tokio::sync::Semaphore;

/// The subscriptions of an engine.
#[derive(Debug)]
pub(crate) struct WebhookSubscriptions {
    pub(crate) recorders: Arc<EventRecorders>,
    pub(crate) subscriptions: Vec<CheckedSubscription>,
    /// Responses that are made at the same time: the others wait. Those of clients have slots of their
    /// own, so that neither wait for the others.
    pub(crate) slots: Semaphore,
}

/// A subscription to rows.
#[derive(Debug)]
pub(crate) struct CheckedSubscription {
    pub(crate) name: Box<str>,
    pub(crate) query: Arc<str>,
    /// The response to an event that no condition permits.
    pub(crate) none: Box<[u8]>,
}

/// The response to a recorded event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedResponse {
    Wanted(Bytes),
    /// No condition of the subscription permits the event.
    NotWanted,
    /// The source does not answer, or it fails: the same may succeed later.
    Later(String),
    /// No repetition would change it.
    Failed(String),
}
