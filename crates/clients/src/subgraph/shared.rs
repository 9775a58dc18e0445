//! State of a subgraph that all threads share: circuit breaker, bulkhead, retry budget, counters.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::ask::AskError;
use super::budget::Budget;
use super::bulkhead::{Bulkhead, Full, Permit};
use super::circuit::{BreakerState, Circuit};
use super::flight::Flights;
use super::settings::Settings;
use super::statistics::{Counts, ErrorKind, Statistics};

/// State of a subgraph that all threads share. It can outlive a reload of the settings.
#[derive(Debug)]
pub struct Shared {
    pub(super) circuit: Option<Circuit>,
    pub(super) bulkhead: Option<Bulkhead>,
    /// Identical queries in flight.
    pub(super) flights: Flights,
    pub(super) budget: Budget,
    pub(super) counts: Counts,
    is_remote: bool,
}

impl Shared {
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let now = Instant::now();
        let circuit = settings.breaker.map(|breaker| Circuit::new(breaker, now));
        Self { circuit, is_remote: true, ..Self::in_process(settings.most_requests) }
    }

    /// Creates the state of a subgraph in this process, which is executed between
    /// [`Shared::begin`], [`Shared::enter`] and [`Shared::end`] without a client.
    #[must_use]
    pub fn in_process(most_requests: Option<NonZeroU32>) -> Self {
        Self {
            circuit: None,
            bulkhead: most_requests.map(|most| Bulkhead::new(most.get())),
            flights: Flights::default(),
            budget: Budget::new(Instant::now()),
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
    pub async fn enter(&self, deadline: Instant) -> Result<Option<Permit<'_>>, AskError> {
        let Some(bulkhead) = &self.bulkhead else { return Ok(None) };
        if let Some(place) = bulkhead.try_enter() {
            return Ok(Some(place));
        }
        // Boxed, so that the future of a request that does not wait stays small.
        match Box::pin(timeout_at(deadline, bulkhead.enter())).await {
            Ok(Ok(place)) => Ok(Some(place)),
            Ok(Err(Full)) => Err(AskError::Overloaded),
            Err(_) => Err(AskError::Timeout),
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
        self.circuit.as_ref().map(|circuit| circuit.state(Instant::now()))
    }

    /// Number of requests in flight, and of those that wait for a slot; `None` without a bulkhead.
    #[must_use]
    pub fn load(&self) -> Option<(u32, u32)> {
        self.bulkhead.as_ref().map(Bulkhead::load)
    }

    /// Whether the retry budget allows a retry.
    pub(super) fn may_retry(&self) -> bool {
        self.budget.take(self.counts.requests.load(Ordering::Relaxed), Instant::now())
    }
}
