//! Deduplication (single flight) of identical queries in flight: the first request sends the query,
//! and the others wait for its response. If the first is cancelled, one of the others sends it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use tokio::sync::Notify;

use super::ask::{Answer, AskError};

/// Headers that differ in every request and do not change the response.
const OF_ONE_REQUEST: [&str; 3] = ["traceparent", "tracestate", "x-request-id"];

/// Queries in flight to a subgraph, over all threads. The lock is held for a look-up only.
#[derive(Debug, Default)]
pub(super) struct Flights(Mutex<HashMap<Key, Arc<Flight>, ahash::RandomState>>);

/// Parts of a request that must be equal for a shared response.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A query in flight.
#[derive(Debug, Default)]
struct Flight {
    outcome: OnceLock<Result<Answer, AskError>>,
    has_ended: AtomicBool,
    end: Notify,
}

/// Role of a request for a query.
pub(super) enum Part<'f> {
    /// It sends the query and publishes the outcome.
    Lead(Lead<'f>),
    /// Another request sent the query; this is its outcome.
    Followed(Result<Answer, AskError>),
}

/// The request that sends the query for all waiting ones. If it is dropped one of these sends the
/// query again.
pub(super) struct Lead<'f> {
    flights: &'f Flights,
    key: Key,
    flight: Arc<Flight>,
}

impl Key {
    pub(super) fn new(body: &Bytes, headers: &HeaderMap) -> Self {
        let of_answer = |name: &&HeaderName| !OF_ONE_REQUEST.contains(&name.as_str());
        let headers = headers.iter().filter(|(name, _)| of_answer(name));
        let mut headers: Vec<_> =
            headers.map(|(name, value)| (name.clone(), value.clone())).collect();
        // A stable sort: several values of one name stay in their order.
        headers.sort_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
        Self { body: body.clone(), headers }
    }
}

impl Flights {
    /// Waits for the outcome of an identical query in flight, or begins one.
    pub(super) async fn join(&self, key: Key) -> Part<'_> {
        loop {
            let flight = match self.lock().entry(key.clone()) {
                Entry::Occupied(known) => Arc::clone(known.get()),
                Entry::Vacant(free) => {
                    let flight = Arc::clone(free.insert(Arc::default()));
                    return Part::Lead(Lead { flights: self, key, flight });
                }
            };
            // Registered before the look at the outcome, so that no notification is lost.
            let end = flight.end.notified();
            if !flight.has_ended.load(Ordering::Acquire) {
                end.await;
            }
            if let Some(outcome) = flight.outcome.get() {
                return Part::Followed(outcome.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Flight>, ahash::RandomState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lead<'_> {
    /// Publishes the outcome to the waiting requests, unless it concerns the sender alone.
    pub(super) fn tell(self, outcome: &Result<Answer, AskError>) {
        match outcome {
            // The sender's own deadline or memory limit was exceeded.
            Err(AskError::Timeout | AskError::MemoryExhausted) => {}
            Ok(_)
            | Err(
                AskError::Unavailable(_)
                | AskError::TooLarge { .. }
                | AskError::Status(_)
                | AskError::Broken(_)
                | AskError::Closed(_)
                | AskError::NotGraphQl(_)
                | AskError::BreakerOpen { .. }
                | AskError::Overloaded,
            ) => drop(self.flight.outcome.set(outcome.clone())),
        }
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.key);
        self.flight.has_ended.store(true, Ordering::Release);
        self.flight.end.notify_waiters();
    }
}
