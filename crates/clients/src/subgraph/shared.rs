//! What all threads know of a subgraph.

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

/// What all threads know of a subgraph. Whoever reloads settings may keep it.
#[derive(Debug)]
pub struct Shared {
    pub(super) circuit: Option<Circuit>,
    pub(super) bulkhead: Option<Bulkhead>,
    /// Equal queries that are under way.
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

    /// Of a subgraph in the gateway's process, which is asked by [`Shared::begin`], [`Shared::enter`]
    /// and [`Shared::end`] instead of a client.
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

    /// Whether the subgraph is asked over HTTP.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        self.is_remote
    }

    /// Counts a request that begins.
    pub fn begin(&self) {
        Counts::add(&self.counts.requests, 1);
    }

    /// A place among the requests to the subgraph; none without a bulkhead.
    pub async fn enter(&self, deadline: Instant) -> Result<Option<Permit<'_>>, AskError> {
        let Some(bulkhead) = &self.bulkhead else { return Ok(None) };
        if let Some(place) = bulkhead.try_enter() {
            return Ok(Some(place));
        }
        // The future of a request that does not wait stays small.
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

    /// What happened until now.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.counts.read()
    }

    /// Whether the subgraph is asked; none without a breaker.
    #[must_use]
    pub fn breaker(&self) -> Option<BreakerState> {
        self.circuit.as_ref().map(|circuit| circuit.state(Instant::now()))
    }

    /// The number of requests that are under way, and of those that wait until there are fewer; none
    /// without a bulkhead.
    #[must_use]
    pub fn load(&self) -> Option<(u32, u32)> {
        self.bulkhead.as_ref().map(Bulkhead::load)
    }

    /// Whether a request may be sent again.
    pub(super) fn may_retry(&self) -> bool {
        self.budget.take(self.counts.requests.load(Ordering::Relaxed), Instant::now())
    }
}
