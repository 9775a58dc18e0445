//! What all threads know of a subgraph.

use std::sync::atomic::Ordering;

use tokio::time::Instant;

use super::budget::Budget;
use super::circuit::{BreakerState, Circuit};
use super::settings::Settings;
use super::statistics::{Counts, Statistics};

/// What all threads know of a subgraph. Whoever reloads settings may keep it.
#[derive(Debug)]
pub struct Shared {
    pub(super) circuit: Option<Circuit>,
    pub(super) budget: Budget,
    pub(super) counts: Counts,
}

impl Shared {
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let now = Instant::now();
        Self {
            circuit: settings.breaker.map(|breaker| Circuit::new(breaker, now)),
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

    /// Whether a request may be sent again.
    pub(super) fn may_retry(&self) -> bool {
        self.budget.take(self.counts.requests.load(Ordering::Relaxed), Instant::now())
    }
}
