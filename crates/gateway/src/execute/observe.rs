//! What is to be seen of an execution: for metrics, traces, and people who ask why.

use std::time::Instant;

use crate::plan::Plan;

/// What is seen of the requests of a plan.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// In the order of the plan.
    pub fetches: Vec<FetchSeen>,
    is_timed: bool,
}

/// What became of one request of a plan.
#[derive(Clone, Debug, Default)]
pub struct FetchSeen {
    pub fate: Fate,
    /// Whether another request was waited for, which might have said it.
    pub has_waited: bool,
    /// How many objects were asked for, or are found in earlier answers.
    pub made: usize,
    /// How many different representations they had.
    pub unique: usize,
    /// How many of these earlier requests had been answered.
    pub reused: usize,
    /// How many requests were sent: more than one, if there are very many representations.
    pub requests: usize,
    pub sent_bytes: usize,
    pub received_bytes: usize,
    /// How many errors its answers brought.
    pub errors: usize,
    /// When it was sent and answered, where times are wanted.
    pub times: Option<(Instant, Instant)>,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// What it needs never came.
    #[default]
    Planned,
    /// There was nothing to ask.
    Nothing,
    /// Earlier requests had been answered all of it.
    Reused,
    Sent,
}

impl Observed {
    /// Times are taken only where somebody wants them.
    #[must_use]
    pub fn timed() -> Self {
        Self { fetches: Vec::new(), is_timed: true }
    }

    /// How many requests were sent.
    #[must_use]
    pub fn sent(&self) -> usize {
        self.fetches.iter().map(|seen| seen.requests).sum()
    }

    pub(super) fn begin(&mut self, plan: &Plan) {
        self.fetches.clear();
        self.fetches.resize(plan.fetches.len(), FetchSeen::default());
    }

    pub(super) fn send(&mut self, fetch: usize, bytes: usize) {
        let now = self.is_timed.then(Instant::now);
        let Some(seen) = self.fetches.get_mut(fetch) else { return };
        seen.fate = Fate::Sent;
        seen.requests += 1;
        seen.sent_bytes += bytes;
        seen.times = seen.times.or(now.map(|now| (now, now)));
    }

    pub(super) fn receive(&mut self, fetch: usize, bytes: usize, errors: usize) {
        let now = self.is_timed.then(Instant::now);
        let Some(seen) = self.fetches.get_mut(fetch) else { return };
        seen.received_bytes += bytes;
        seen.errors += errors;
        if let (Some((_, end)), Some(now)) = (&mut seen.times, now) {
            *end = now;
        }
    }
}
