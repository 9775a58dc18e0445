//! Equal queries that are under way are sent once: by whoever came first, and if nobody waits there
//! any more, by the next.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use tokio::sync::Notify;

use super::ask::{Answer, AskError};

/// Headers that are different in every request and change no answer.
const OF_ONE_REQUEST: [&str; 3] = ["traceparent", "tracestate", "x-request-id"];

/// The queries to a subgraph that are under way, of all threads. The lock is held for a look-up.
#[derive(Debug, Default)]
pub(super) struct Flights(Mutex<HashMap<Key, Arc<Flight>, ahash::RandomState>>);

/// What must be equal for an answer to be the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A query that is under way.
#[derive(Debug, Default)]
struct Flight {
    outcome: OnceLock<Result<Answer, AskError>>,
    has_ended: AtomicBool,
    end: Notify,
}

/// What is to be done about a query.
pub(super) enum Part<'f> {
    /// It is to be sent, and the outcome told.
    Lead(Lead<'f>),
    /// Somebody else has sent it; this is what came.
    Followed(Result<Answer, AskError>),
}

/// The others wait for this one; if it is dropped one of them sends the query again.
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
        // Several values of one name stay in their order.
        headers.sort_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
        Self { body: body.clone(), headers }
    }
}

impl Flights {
    /// Waits for the answer of an equal query, or begins one.
    pub(super) async fn join(&self, key: Key) -> Part<'_> {
        loop {
            let flight = match self.lock().entry(key.clone()) {
                Entry::Occupied(known) => Arc::clone(known.get()),
                Entry::Vacant(free) => {
                    let flight = Arc::clone(free.insert(Arc::default()));
                    return Part::Lead(Lead { flights: self, key, flight });
                }
            };
            // From here on it is woken, whether it waits already or not.
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
    /// Tells those who wait, unless the outcome only concerns who has sent it.
    pub(super) fn tell(self, outcome: &Result<Answer, AskError>) {
        match outcome {
            // Its own time or its own memory was too little.
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
