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

use super::request::{SubgraphError, SubgraphResponse};

/// Headers that differ in every request and do not change the response.
const PER_REQUEST_HEADERS: [&str; 3] = ["traceparent", "tracestate", "x-request-id"];

/// Queries in flight to a subgraph, over all threads. The lock is held for a look-up only.
#[derive(Debug, Default)]
pub(super) struct InFlightQueries(Mutex<HashMap<Key, Arc<InFlightQuery>, ahash::RandomState>>);

/// Parts of a request that must be equal for a shared response.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A query in flight.
#[derive(Debug, Default)]
struct InFlightQuery {
    outcome: OnceLock<Result<SubgraphResponse, SubgraphError>>,
    has_ended: AtomicBool,
    end: Notify,
}

/// Role of a request for a query.
pub(super) enum Role<'f> {
    /// It sends the query and publishes the outcome.
    Leader(Leader<'f>),
    /// Another request sent the query; this is its outcome.
    Follower(Result<SubgraphResponse, SubgraphError>),
}

/// The request that sends the query for all waiting ones. If it is dropped one of these sends the
/// query again.
pub(super) struct Leader<'f> {
    queries: &'f InFlightQueries,
    key: Key,
    query: Arc<InFlightQuery>,
}

/// Returns true if a header differs in every request.
pub(super) fn is_per_request(name: &HeaderName) -> bool {
    PER_REQUEST_HEADERS.contains(&name.as_str())
}

impl Key {
    pub(crate) fn new(body: &Bytes, headers: &HeaderMap) -> Self {
        let headers = headers.iter().filter(|(name, _)| !is_per_request(name));
        let mut headers: Vec<_> =
            headers.map(|(name, value)| (name.clone(), value.clone())).collect();
        // A stable sort: several values of one name stay in their order.
        headers.sort_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
        Self { body: body.clone(), headers }
    }
}

impl InFlightQueries {
    /// Waits for the outcome of an identical query in flight, or begins one.
    pub(super) async fn join(&self, key: Key) -> Role<'_> {
        loop {
            let query = match self.lock().entry(key.clone()) {
                Entry::Occupied(known) => Arc::clone(known.get()),
                Entry::Vacant(free) => {
                    let query = Arc::clone(free.insert(Arc::default()));
                    return Role::Leader(Leader { queries: self, key, query });
                }
            };
            // Registered before the look at the outcome, so that no notification is lost.
            let end = query.end.notified();
            if !query.has_ended.load(Ordering::Acquire) {
                end.await;
            }
            if let Some(outcome) = query.outcome.get() {
                return Role::Follower(outcome.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<InFlightQuery>, ahash::RandomState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Leader<'_> {
    /// Publishes the outcome to the waiting requests, unless it concerns the sender alone.
    pub(super) fn publish(self, outcome: &Result<SubgraphResponse, SubgraphError>) {
        match outcome {
            // The sender's own deadline or memory limit was exceeded.
            Err(SubgraphError::Timeout | SubgraphError::MemoryExhausted) => {}
            Ok(_)
            | Err(
                SubgraphError::Unavailable(_)
                | SubgraphError::TooLarge { .. }
                | SubgraphError::Status(_)
                | SubgraphError::Broken(_)
                | SubgraphError::Closed(_)
                | SubgraphError::NotGraphQl(_)
                | SubgraphError::BreakerOpen { .. }
                | SubgraphError::Overloaded,
            ) => drop(self.query.outcome.set(outcome.clone())),
        }
    }
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        self.queries.lock().remove(&self.key);
        self.query.has_ended.store(true, Ordering::Release);
        self.query.end.notify_waiters();
    }
}
