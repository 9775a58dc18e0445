//! Statistics of an execution, for metrics, traces and `explain`.

use std::time::Instant;

use super::FetchCaching;
use crate::plan::Plan;

/// Statistics of the fetches of a plan.
#[derive(Clone, Debug, Default)]
pub struct ExecutionStatistics {
    /// In the order of the plan.
    pub fetches: Vec<FetchStatistics>,
    is_timed: bool,
}

/// Statistics of one fetch.
#[derive(Clone, Debug, Default)]
pub struct FetchStatistics {
    pub outcome: FetchOutcome,
    /// Whether it waited for another fetch whose response may contain its data.
    pub has_waited: bool,
    /// Number of objects it needs data of.
    pub made: usize,
    /// Number of distinct representations.
    pub unique: usize,
    /// Number of representations that were found in earlier responses.
    pub reused: usize,
    /// Number of requests: more than one if the representations were split into batches.
    pub requests: usize,
    pub sent_bytes: usize,
    pub received_bytes: usize,
    /// Number of errors in its responses.
    pub errors: usize,
    /// What its responses have in common, once there is one.
    pub caching: Option<FetchCaching>,
    /// Start and end, if times are recorded.
    pub times: Option<(Instant, Instant)>,
}

/// Outcome of a fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FetchOutcome {
    /// It never became ready.
    #[default]
    Planned,
    /// There were no objects to fetch.
    Nothing,
    /// Earlier responses contained all its data.
    Reused,
    Sent,
}

impl FetchCaching {
    /// What two responses have in common.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            fresh: self.fresh.zip(other.fresh).map(|(one, other)| one.min(other)),
            is_private: self.is_private || other.is_private,
        }
    }
}

impl ExecutionStatistics {
    /// What all responses of the execution have in common; `None` if there were none.
    #[must_use]
    pub fn caching(&self) -> Option<FetchCaching> {
        self.fetches.iter().filter_map(|fetch| fetch.caching).reduce(FetchCaching::and)
    }

    /// Creates statistics that record times.
    #[must_use]
    pub fn timed() -> Self {
        Self { fetches: Vec::new(), is_timed: true }
    }

    /// Number of requests sent.
    #[must_use]
    pub fn sent(&self) -> usize {
        self.fetches.iter().map(|statistics| statistics.requests).sum()
    }

    pub(super) fn begin(&mut self, plan: &Plan) {
        self.fetches.clear();
        self.fetches.resize(plan.fetches.len(), FetchStatistics::default());
    }

    pub(super) fn send(&mut self, fetch: usize, bytes: usize) {
        let now = self.is_timed.then(Instant::now);
        let Some(statistics) = self.fetches.get_mut(fetch) else { return };
        statistics.outcome = FetchOutcome::Sent;
        statistics.requests += 1;
        statistics.sent_bytes += bytes;
        statistics.times = statistics.times.or(now.map(|now| (now, now)));
    }

    pub(super) fn receive(
        &mut self,
        fetch: usize,
        bytes: usize,
        errors: usize,
        caching: FetchCaching,
    ) {
        let now = self.is_timed.then(Instant::now);
        let Some(statistics) = self.fetches.get_mut(fetch) else { return };
        statistics.received_bytes += bytes;
        statistics.errors += errors;
        statistics.caching = Some(match statistics.caching {
            Some(earlier) => earlier.and(caching),
            None => caching,
        });
        if let (Some((_, end)), Some(now)) = (&mut statistics.times, now) {
            *end = now;
        }
    }
}
