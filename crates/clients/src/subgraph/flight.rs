//! Equal queries that are under way are sent once: by whoever came first, and if nobody waits there
//! any more, by the next.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use tokio::sync::Notify;

use super::ask::{Answer, AskError};

/// Headers that are different in every request and change no answer.
const OF_ONE_REQUEST: [&str; 3] = ["traceparent", "tracestate", "x-request-id"];

/// The queries of a thread that are under way.
#[derive(Default)]
pub(super) struct Flights(RefCell<HashMap<Key, Rc<Flight>, ahash::RandomState>>);

/// What must be equal for an answer to be the same.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A query that is under way.
#[derive(Default)]
struct Flight {
    outcome: RefCell<Option<Result<Answer, AskError>>>,
    has_ended: Cell<bool>,
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
    flight: Rc<Flight>,
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
            let flight = self.0.borrow().get(&key).cloned();
            let Some(flight) = flight else {
                let flight = Rc::new(Flight::default());
                self.0.borrow_mut().insert(key.clone(), Rc::clone(&flight));
                return Part::Lead(Lead { flights: self, key, flight });
            };
            let end = flight.end.notified();
            if !flight.has_ended.get() {
                end.await;
            }
            let outcome = flight.outcome.borrow().clone();
            if let Some(outcome) = outcome {
                return Part::Followed(outcome);
            }
        }
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
                | AskError::BreakerOpen { .. },
            ) => *self.flight.outcome.borrow_mut() = Some(outcome.clone()),
        }
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        self.flights.0.borrow_mut().remove(&self.key);
        self.flight.has_ended.set(true);
        self.flight.end.notify_waiters();
    }
}
