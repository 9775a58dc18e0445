//! Connections that are being opened, or closed, by background tasks that do not access the pool.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::super::circuit_breaker::Unreached;
use super::super::wire::Connection;

/// Results of background tasks, until the pool takes them.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    arrived: Mutex<Vec<Arrival>>,
    notify: Notify,
}

/// The result of a background task.
#[derive(Debug)]
pub(super) enum Arrival {
    /// The result of connecting; none if the task ended before it tried.
    Made(Option<Result<Box<Connection>, Unreached>>),
    /// An abandoned connection is closed.
    Departed,
}

/// Arrives when it is dropped, however that comes.
#[derive(Debug)]
pub(super) struct Making {
    arrivals: Arc<Arrivals>,
    made: Option<Result<Connection, Unreached>>,
}

/// Reports that an abandoned connection is closed.
#[derive(Debug)]
pub(in super::super) struct Departure(Arc<Arrivals>);

impl Making {
    pub(super) fn end(mut self, made: Result<Connection, Unreached>) {
        self.made = Some(made);
    }
}

impl Arrivals {
    pub(super) fn make(self: &Arc<Self>) -> Making {
        Making { arrivals: Arc::clone(self), made: None }
    }

    pub(super) fn depart(self: &Arc<Self>) -> Departure {
        Departure(Arc::clone(self))
    }

    /// Takes the results since the last call.
    pub(super) fn take(&self) -> Vec<Arrival> {
        std::mem::take(&mut *self.lock())
    }

    /// Waits for a result. One of the waiting tasks is woken.
    pub(super) async fn wait(&self) {
        self.notify.notified().await;
    }

    fn arrive(&self, arrival: Arrival) {
        self.lock().push(arrival);
        self.notify.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arrival>> {
        // It is whole at any time, even if a thread died while it held it.
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        let made = self.made.take().map(|made| made.map(Box::new));
        self.arrivals.arrive(Arrival::Made(made));
    }
}

impl Drop for Departure {
    fn drop(&mut self) {
        self.0.arrive(Arrival::Departed);
    }
}
