//! Readiness of the data source, for load balancers that probe every few seconds.
//!
//! One task of the process probes the database for all threads, on a connection that no request
//! waits for, and caches the result for a second.

use std::time::{Duration, Instant};

use engine::{Api, ApiWorker};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

/// Lifetime of a cached result.
const FRESH: Duration = Duration::from_secs(1);

/// Time limit for the database to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Time for the task to start and to send its result.
const GRACE: Duration = Duration::from_millis(500);

/// Time without probes after which the connection is closed.
const IDLE: Duration = Duration::from_secs(60);

/// The channel between probes and the task.
#[derive(Debug, Default)]
pub(super) struct Readiness {
    requested: Notify,
    found: watch::Sender<Option<Found>>,
}

/// The result of a probe.
#[derive(Clone, Copy, Debug)]
struct Found {
    at: Instant,
    state: State,
}

/// State of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Reachable,
    Unreachable,
    /// It does not answer in time.
    Silent,
}

impl Readiness {
    /// The current state of the database; takes a few seconds at most.
    pub(super) async fn state(&self) -> State {
        let is_fresh =
            |found: &Option<Found>| found.is_some_and(|found| found.at.elapsed() < FRESH);
        let mut found = self.found.subscribe();
        if !is_fresh(&found.borrow()) {
            self.requested.notify_one();
        }
        match timeout(PATIENCE + GRACE, found.wait_for(is_fresh)).await {
            Ok(Ok(found)) => found.map_or(State::Silent, |found| found.state),
            Ok(Err(_)) | Err(_) => State::Silent,
        }
    }

    /// Probes the database of the newest API whenever a result is requested.
    pub(super) async fn run(&self, newest: impl Fn() -> Api) {
        let mut probe: Option<(Api, ApiWorker)> = None;
        loop {
            if timeout(IDLE, self.requested.notified()).await.is_err() {
                probe = None;
                continue;
            }
            let api = newest();
            let is_known = |probe: &(Api, ApiWorker)| probe.0.is(&api);
            let (_, worker) = match probe.take_if(|probe| is_known(probe)) {
                Some(known) => probe.insert(known),
                None => probe.insert((api.clone(), api.probing())),
            };
            let state = match timeout(PATIENCE, worker.probe()).await {
                Ok(Ok(())) => State::Reachable,
                Ok(Err(error)) => {
                    tracing::debug!(%error, "the data source is not ready");
                    State::Unreachable
                }
                Err(_) => State::Silent,
            };
            let found = Found { at: Instant::now(), state };
            log_change(self.found.borrow().map(|found| found.state), state);
            self.found.send_replace(Some(found));
        }
    }
}

fn log_change(before: Option<State>, now: State) {
    let was_ready = before.is_none_or(|before| before == State::Reachable);
    match (was_ready, now == State::Reachable) {
        (true, false) => tracing::warn!(state = ?now, "not ready: the data source is unavailable"),
        (false, true) => tracing::info!("ready again"),
        (true, true) | (false, false) => {}
    }
}
