//! Metrics of fetches: the requests of query plans to subgraphs.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use gateway::execute::{ExecutionStatistics, FetchOutcome};
use prometheus_client::metrics::MetricType;

use super::encode::{Writer, count_of};

/// Counts of one thread.
#[derive(Debug, Default)]
pub(super) struct FetchCounts {
    sent: AtomicU64,
    /// All entities were cached.
    known: AtomicU64,
    /// There were no entities to fetch.
    nothing: AtomicU64,
    /// A fetch that it depends on failed.
    missed: AtomicU64,
    /// Requested representations.
    requested: AtomicU64,
    /// Representations from the entity cache.
    reused: AtomicU64,
    /// Representations that are equal to another one.
    equal: AtomicU64,
}

impl FetchCounts {
    /// Counts the fetches of one request.
    pub(super) fn count(&self, observed: &ExecutionStatistics) {
        for seen in &observed.fetches {
            let counter = match seen.outcome {
                FetchOutcome::Sent => &self.sent,
                FetchOutcome::Reused => &self.known,
                FetchOutcome::Nothing => &self.nothing,
                FetchOutcome::Planned => &self.missed,
            };
            counter.fetch_add(1, Ordering::Relaxed);
            let add = |count: &AtomicU64, number: usize| {
                if number > 0 {
                    count.fetch_add(number as u64, Ordering::Relaxed);
                }
            };
            add(&self.requested, seen.unique.saturating_sub(seen.reused));
            add(&self.reused, seen.reused);
            add(&self.equal, seen.made.saturating_sub(seen.unique));
        }
    }
}

/// Writes the sums of all threads.
pub(super) fn encode<'c>(
    counts: impl Iterator<Item = &'c FetchCounts>,
    writer: &mut Writer<'_, '_>,
) -> fmt::Result {
    let counts: Vec<&FetchCounts> = counts.collect();
    let sum = |of: fn(&FetchCounts) -> &AtomicU64| -> u64 {
        counts.iter().map(|counts| of(counts).load(Ordering::Relaxed)).sum()
    };
    let help = "Fetches of query plans, by outcome";
    let mut family = writer.begin("thalweg_fetches", help, MetricType::Counter)?;
    count_of(&mut family, &[("outcome", "sent")], sum(|counts| &counts.sent))?;
    count_of(&mut family, &[("outcome", "known")], sum(|counts| &counts.known))?;
    count_of(&mut family, &[("outcome", "nothing")], sum(|counts| &counts.nothing))?;
    count_of(&mut family, &[("outcome", "missed")], sum(|counts| &counts.missed))?;
    let help = "Representations in fetches, by outcome";
    let mut family = writer.begin("thalweg_representations", help, MetricType::Counter)?;
    count_of(&mut family, &[("outcome", "sent")], sum(|counts| &counts.requested))?;
    count_of(&mut family, &[("outcome", "known")], sum(|counts| &counts.reused))?;
    count_of(&mut family, &[("outcome", "equal")], sum(|counts| &counts.equal))
}
