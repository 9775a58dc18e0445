//! State of a subgraph that all threads share: circuit breaker, bulkhead, retry budget, counters.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::bulkhead::{Bulkhead, BulkheadFull, Permit};
use super::circuit_breaker::{BreakerState, CircuitBreaker};
use super::deduplication::InFlightQueries;
use super::request::SubgraphError;
use super::retry_budget::RetryBudget;
use super::settings::Settings;
use super::statistics::{Counts, ErrorKind, Statistics};

/// State of a subgraph that all threads share. It can outlive a reload of the settings.
#[derive(Debug)]
pub struct Shared {
    pub(super) circuit_breaker: Option<CircuitBreaker>,
    pub(super) bulkhead: Option<Bulkhead>,
    /// Identical queries in flight.
    pub(super) in_flight: InFlightQueries,
    pub(super) retry_budget: RetryBudget,
    pub(super) counts: Counts,
    is_remote: bool,
}

impl Shared {
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let now = Instant::now();
        let circuit_breaker = settings.breaker.map(|breaker| CircuitBreaker::new(breaker, now));
        Self { circuit_breaker, is_remote: true, ..Self::in_process(settings.most_requests) }
    }

    /// Creates the state of a subgraph in this process, which is executed between
    /// [`Shared::begin`], [`Shared::acquire`] and [`Shared::end`] without a client.
    #[must_use]
    pub fn in_process(most_requests: Option<NonZeroU32>) -> Self {
        Self {
            circuit_breaker: None,
            bulkhead: most_requests.map(|most| Bulkhead::new(most.get())),
            in_flight: InFlightQueries::default(),
            retry_budget: RetryBudget::new(Instant::now()),
            counts: Counts::default(),
            is_remote: false,
        }
    }

    /// Whether the subgraph is reached over HTTP.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        self.is_remote
    }

    /// Counts the start of a request.
    pub fn begin(&self) {
        Counts::add(&self.counts.requests, 1);
    }

    /// Waits for a slot of the bulkhead; `None` without a bulkhead.
    pub async fn acquire(&self, deadline: Instant) -> Result<Option<Permit<'_>>, SubgraphError> {
        let Some(bulkhead) = &self.bulkhead else { return Ok(None) };
        if let Some(permit) = bulkhead.try_acquire() {
            return Ok(Some(permit));
        }
        // Boxed, so that the future of a request that does not wait stays small.
        match Box::pin(timeout_at(deadline, bulkhead.acquire())).await {
            Ok(Ok(permit)) => Ok(Some(permit)),
            Ok(Err(BulkheadFull)) => Err(SubgraphError::Overloaded),
            Err(_) => Err(SubgraphError::Timeout),
        }
    }

    /// Counts the outcome of a request.
    pub fn end(&self, time: Duration, error: Option<ErrorKind>) {
        self.counts.took(time);
        if let Some(kind) = error {
            self.counts.error(kind);
        }
    }

    /// Returns a snapshot of the counters.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.counts.read()
    }

    /// State of the circuit breaker; `None` without one.
    #[must_use]
    pub fn breaker(&self) -> Option<BreakerState> {
        self.circuit_breaker.as_ref().map(|circuit_breaker| circuit_breaker.state(Instant::now()))
    }

    /// Number of requests in flight, and of those that wait for a slot; `None` without a bulkhead.
    #[must_use]
    pub fn load(&self) -> Option<(u32, u32)> {
        self.bulkhead.as_ref().map(Bulkhead::load)
    }

    /// Counts a retry.
    pub fn count_retry(&self) {
        Counts::add(&self.counts.retries, 1);
    }

    /// Whether the retry budget allows a retry.
    pub fn may_retry(&self) -> bool {
        self.retry_budget.take(self.counts.requests.load(Ordering::Relaxed), Instant::now())
    }
}
