//! Executions that requests with equal keys share: the first one executes, the others wait for its
//! answer.

use std::sync::Arc;

use ::live::{CohortKey, Watched};
use tokio::sync::watch;

use super::AnswerCache;
use super::SharedAnswers;
use super::answer::CachedAnswer;

/// An execution whose answer is to be kept.
#[derive(Debug)]
pub(crate) struct Flight {
    watched: Arc<Watched>,
    end: watch::Sender<Option<FlightEnd>>,
}

/// The end of an execution, as requests see it that wait for it.
#[derive(Clone, Debug)]
pub(crate) enum FlightEnd {
    Answer(Arc<CachedAnswer>),
    /// The answer has errors, or is too large: each request has one of its own.
    NotShared,
    /// The client of the request has left: another one executes it.
    Abandoned,
}

/// The duty to execute a request for all that wait.
#[derive(Debug)]
pub(crate) struct Leading {
    cache: Arc<AnswerCache>,
    key: CohortKey,
    flight: Arc<Flight>,
}

impl Flight {
    pub(super) fn new(watched: Watched) -> Self {
        Self { watched: Arc::new(watched), end: watch::Sender::new(None) }
    }

    /// Returns true until a change may have concerned the answer: later requests must not have it.
    pub(super) fn is_current(&self) -> bool {
        self.watched.is_current()
    }

    /// Waits for the end. Cancel safe.
    pub(crate) async fn wait(&self) -> FlightEnd {
        let mut end = self.end.subscribe();
        match end.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(end)) => end.clone(),
            Ok(None) | Err(_) => FlightEnd::Abandoned,
        }
    }
}

impl Leading {
    pub(super) fn new(cache: Arc<AnswerCache>, key: CohortKey, flight: Arc<Flight>) -> Self {
        Self { cache, key, flight }
    }

    pub(super) fn parts(&self) -> (&AnswerCache, &CohortKey, &Arc<Watched>) {
        (&self.cache, &self.key, &self.flight.watched)
    }

    /// The store that servers share, if the answer may be put there: no change has concerned it.
    pub(crate) fn shared_store(&self) -> Option<&SharedAnswers> {
        self.cache.shared().filter(|_| self.flight.is_current())
    }

    /// Ends the execution.
    pub(crate) fn end(self, end: FlightEnd) {
        self.flight.end.send_replace(Some(end));
    }
}

impl Drop for Leading {
    fn drop(&mut self) {
        self.cache.end_flight(&self.key, &self.flight);
        self.flight.end.send_if_modified(|end| {
            let is_abandoned = end.is_none();
            if is_abandoned {
                *end = Some(FlightEnd::Abandoned);
            }
            is_abandoned
        });
    }
}
