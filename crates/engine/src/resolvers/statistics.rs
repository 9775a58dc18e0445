//! Figures of requests to other servers: for metrics by field, and for the report of an operation.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clients::egress::{Counts, EgressError, EgressResponse, Outcome, Statistics};
use http_resolvers::HttpResolver;

/// Counters by field and host. They are kept when the API is made again.
#[derive(Clone, Debug, Default)]
pub struct ResolverStatistics(Arc<Mutex<BTreeMap<Labels, Arc<Counts>>>>);

/// A field and the host of its requests.
type Labels = (Box<str>, Box<str>);

/// The requests of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldStatistics {
    /// Such as `Query.film`.
    pub field: String,
    pub host: Box<str>,
    pub statistics: Statistics,
}

/// The requests of one operation, in the order of their ends.
#[derive(Debug, Default)]
pub struct Calls {
    ended: RefCell<Vec<CallStatistics>>,
    /// The number of requests that began.
    begun: Cell<u32>,
}

/// One request.
#[derive(Clone, Debug)]
pub struct CallStatistics {
    pub resolver: Arc<HttpResolver>,
    /// Its index among the requests of the operation.
    pub number: u32,
    pub started: Instant,
    pub ended: Instant,
    pub outcome: Outcome,
    /// The status of the response, if there is one.
    pub status: Option<u16>,
    pub sent_bytes: usize,
    pub received_bytes: usize,
    /// The number of objects of a batch; otherwise 1.
    pub objects: usize,
}

/// A request in progress; it is recorded when it is dropped.
#[derive(Debug)]
pub(crate) struct RunningCall<'a> {
    calls: &'a Calls,
    counts: &'a Counts,
    seen: CallStatistics,
}

impl ResolverStatistics {
    /// The counters of a resolver.
    pub(crate) fn counts(&self, resolver: &HttpResolver) -> Arc<Counts> {
        let labels = (resolver.name().into(), resolver.url.host().into());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(labels).or_default())
    }
}

impl Calls {
    /// Copies the figures of the requests that have ended.
    #[must_use]
    pub fn ended(&self) -> Vec<CallStatistics> {
        self.ended.borrow().clone()
    }

    /// The index of the next request.
    pub(crate) fn next_number(&self) -> u32 {
        let number = self.begun.get();
        self.begun.set(number.saturating_add(1));
        number
    }
}

impl<'a> RunningCall<'a> {
    pub(crate) fn begin(
        calls: &'a Calls,
        counts: &'a Counts,
        resolver: &Arc<HttpResolver>,
        number: u32,
        (sent_bytes, objects): (usize, usize),
    ) -> Self {
        let now = Instant::now();
        let seen = CallStatistics {
            resolver: Arc::clone(resolver),
            number,
            started: now,
            ended: now,
            outcome: Outcome::Abandoned,
            status: None,
            sent_bytes,
            received_bytes: 0,
            objects,
        };
        Self { calls, counts, seen }
    }

    /// Ends the request with its response.
    pub(crate) fn end(mut self, response: &Result<EgressResponse, EgressError>) {
        self.seen.outcome = Outcome::of(response);
        match response {
            Ok(response) => {
                self.seen.status = Some(response.status);
                self.seen.received_bytes = response.body.len();
            }
            Err(EgressError::Redirect(status)) => self.seen.status = Some(*status),
            Err(_) => {}
        }
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        let Self { calls, counts, seen } = self;
        seen.ended = Instant::now();
        let time = seen.ended.saturating_duration_since(seen.started);
        counts.record(seen.outcome, time, (seen.sent_bytes, seen.received_bytes));
        calls.ended.borrow_mut().push(seen.clone());
    }
}
