//! What all threads know of a subgraph.

use std::sync::atomic::Ordering;

use tokio::time::Instant;

use super::budget::Budget;
use super::bulkhead::Bulkhead;
use super::circuit::{BreakerState, Circuit};
use super::flight::Flights;
use super::settings::Settings;
use super::statistics::{Counts, Statistics};

/// What all threads know of a subgraph. Whoever reloads settings may keep it.
#[derive(Debug)]
pub struct Shared {
    pub(super) circuit: Option<Circuit>,
    pub(super) bulkhead: Option<Bulkhead>,
    /// Equal queries that are under way.
    pub(super) flights: Flights,
    pub(super) budget: Budget,
    pub(super) counts: Counts,
}

impl Shared {
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let now = Instant::now();
        Self {
            circuit: settings.breaker.map(|breaker| Circuit::new(breaker, now)),
            bulkhead: settings.most_requests.map(|most| Bulkhead::new(most.get())),
            flights: Flights::default(),
            budget: Budget::new(now),
            counts: Counts::default(),
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
