//! Whether requests would be answered now: asked by those who share them out, every few seconds.
//!
//! One task of the process asks the database for all threads, on a connection that no request
//! waits for, and what it found holds for a second.

use std::time::{Duration, Instant};

use engine::{Api, ApiWorker};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::service::Generation;

/// As long as an answer of the database counts as new.
const FRESH: Duration = Duration::from_secs(1);

/// The database has to show a sign of life within this time.
const PATIENCE: Duration = Duration::from_secs(2);

/// For the task to begin and to tell what it found.
const GRACE: Duration = Duration::from_millis(500);

/// Without questions for so long the connection is closed.
const IDLE: Duration = Duration::from_secs(60);

/// What probes and the task tell each other.
#[derive(Debug, Default)]
pub(super) struct Readiness {
    asked: Notify,
    found: watch::Sender<Option<Found>>,
}

/// What the database answered.
#[derive(Clone, Copy, Debug)]
struct Found {
    at: Instant,
    state: State,
}

/// How the database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Reachable,
    Unreachable,
    /// It neither answered nor refused.
    Silent,
}

impl Readiness {
    /// How the database is just now; it takes a few seconds at the most.
    pub(super) async fn state(&self) -> State {
        let is_fresh =
            |found: &Option<Found>| found.is_some_and(|found| found.at.elapsed() < FRESH);
        let mut found = self.found.subscribe();
        if !is_fresh(&found.borrow()) {
            self.asked.notify_one();
        }
        match timeout(PATIENCE + GRACE, found.wait_for(is_fresh)).await {
            Ok(Ok(found)) => found.map_or(State::Silent, |found| found.state),
            Ok(Err(_)) | Err(_) => State::Silent,
        }
    }

    /// Asks the database of the newest generation whenever somebody wants to know.
    pub(super) async fn ask(&self, generations: watch::Receiver<Generation>) {
        let mut probe: Option<(Api, ApiWorker)> = None;
        loop {
            if timeout(IDLE, self.asked.notified()).await.is_err() {
                probe = None;
                continue;
            }
            let api = generations.borrow().api.clone();
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
        (true, false) => tracing::warn!(state = ?now, "not ready: the data source is not there"),
        (false, true) => tracing::info!("ready again"),
        (true, true) | (false, false) => {}
    }
}
