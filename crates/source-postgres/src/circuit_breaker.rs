//! The circuit breaker of new sessions, shared by the pools of all threads.
//!
//! While it is closed, each request connects by itself. A failure opens it: then one request at a time
//! tries again, and all others fail at once with the last error. So a stopped server gets no storm of
//! connections, and one that drops every packet delays only the requests that try.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::wire::{Connection, WireError};

/// Between a failure and the next try: as long as the failed one took, within these.
const REST: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// The state of the circuit breaker of one server.
#[derive(Debug, Default)]
pub struct CircuitBreaker {
    /// Read at each request, and so outside of the lock.
    is_out: AtomicBool,
    outage: Mutex<Option<Outage>>,
}

/// The error of a failed attempt to connect, for all requests that waited for it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Unreached {
    pub(super) message: Arc<str>,
    /// The SQLSTATE, if the server refused.
    pub(super) code: Option<Arc<str>>,
}

/// The circuit breaker's decision about a request that needs a session.
pub(super) enum Decision {
    /// To connect: nothing is known against it.
    Open,
    /// Half-open: this request tries to connect, for all of them.
    Try(Try),
    /// Open: another request tries to connect; wait for its result, with a timeout.
    Await(Awaited),
    /// To give up: it was tried a moment ago.
    Closed(Unreached),
}

/// The attempt of one request to connect. It ends when this is dropped.
pub(super) struct Try {
    breaker: Arc<CircuitBreaker>,
    started: Instant,
    last: Unreached,
    /// Dropping it wakes the waiting requests.
    _ending: watch::Sender<()>,
}

pub(super) struct Awaited {
    pub(super) started: Instant,
    pub(super) ending: watch::Receiver<()>,
    pub(super) last: Unreached,
}

#[derive(Debug)]
struct Outage {
    since: Instant,
    last: Unreached,
    next_try: Instant,
    trying: Option<(Instant, watch::Receiver<()>)>,
}

impl Unreached {
    /// Whether the server is reachable, and has reached its limit of sessions.
    pub(super) fn is_full(&self) -> bool {
        self.code.as_deref().is_some_and(|code| code.starts_with("53"))
    }
}

impl From<&WireError> for Unreached {
    fn from(error: &WireError) -> Self {
        let code = match error {
            WireError::Database { error, .. } | WireError::Authentication(error) => {
                Some(error.code.as_str())
            }
            WireError::Closed { reason } => reason.as_ref().map(|error| error.code.as_str()),
            _ => None,
        };
        Self { message: error.to_string().into(), code: code.map(Into::into) }
    }
}

impl CircuitBreaker {
    /// Whether existing sessions may be unreachable, too.
    pub(super) fn is_out(&self) -> bool {
        self.is_out.load(Ordering::Relaxed)
    }

    pub(super) fn decide(self: &Arc<Self>) -> Decision {
        let mut outage = self.lock();
        let Some(outage) = outage.as_mut() else { return Decision::Open };
        let now = Instant::now();
        match &outage.trying {
            Some((started, ending)) => Decision::Await(Awaited {
                started: *started,
                ending: ending.clone(),
                last: outage.last.clone(),
            }),
            None if now < outage.next_try => Decision::Closed(outage.last.clone()),
            None => {
                let (sender, receiver) = watch::channel(());
                outage.trying = Some((now, receiver));
                Decision::Try(Try {
                    breaker: Arc::clone(self),
                    started: now,
                    last: outage.last.clone(),
                    _ending: sender,
                })
            }
        }
    }

    /// Records the result of connecting.
    pub(super) fn learn(
        &self,
        started: Instant,
        connected: Result<Connection, WireError>,
    ) -> Result<Connection, Unreached> {
        match connected {
            Ok(connection) => {
                self.end_outage();
                Ok(connection)
            }
            Err(error) => {
                let unreached = Unreached::from(&error);
                self.fail(started, &unreached);
                Err(unreached)
            }
        }
    }

    /// Records a failure of something that connecting depends on.
    pub(super) fn fail(&self, started: Instant, last: &Unreached) {
        let mut outage = self.lock();
        let now = Instant::now();
        let next_try = now + (now - started).clamp(REST[0], REST[1]);
        match outage.as_mut() {
            Some(outage) => {
                outage.last = last.clone();
                outage.next_try = next_try;
            }
            None => {
                tracing::warn!(error = &*last.message, "PostgreSQL gives no sessions");
                *outage = Some(Outage { since: now, last: last.clone(), next_try, trying: None });
            }
        }
        self.is_out.store(!last.is_full(), Ordering::Relaxed);
    }

    fn end_outage(&self) {
        if let Some(outage) = self.lock().take() {
            self.is_out.store(false, Ordering::Relaxed);
            let seconds = outage.since.elapsed().as_secs_f32();
            tracing::info!(seconds, "PostgreSQL gives sessions again");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Outage>> {
        // It is whole at any time, even if a thread died while it held it.
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Try {
    /// The error of the last attempt.
    pub(super) fn last(&self) -> Unreached {
        self.last.clone()
    }

    pub(super) fn learn(
        self,
        connected: Result<Connection, WireError>,
    ) -> Result<Connection, Unreached> {
        self.breaker.learn(self.started, connected)
    }
}

impl Drop for Try {
    fn drop(&mut self) {
        if let Some(outage) = self.breaker.lock().as_mut() {
            outage.trying = None;
        }
    }
}
