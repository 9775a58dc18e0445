//! Connections that are being made, by tasks that know nothing of the pool.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::super::reach::Unreached;
use super::super::wire::Connection;

/// What the tasks have come to, until somebody looks.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    arrived: Mutex<Vec<Arrival>>,
    notify: Notify,
}

/// None if the task ended without having tried.
pub(super) type Arrival = Option<Result<Connection, Unreached>>;

/// Arrives when it is dropped, however that comes.
#[derive(Debug)]
pub(super) struct Making {
    arrivals: Arc<Arrivals>,
    made: Arrival,
}

impl Making {
    pub(super) fn end(mut self, made: Result<Connection, Unreached>) {
        self.made = Some(made);
    }
}

impl Arrivals {
    pub(super) fn make(self: &Arc<Self>) -> Making {
        Making { arrivals: Arc::clone(self), made: None }
    }

    /// What has arrived since the last look.
    pub(super) fn take(&self) -> Vec<Arrival> {
        std::mem::take(&mut *self.lock())
    }

    /// Waits until there is something to look at. One of those who wait is woken.
    pub(super) async fn wait(&self) {
        self.notify.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arrival>> {
        // It is whole at any time, even if a thread died while it held it.
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        self.arrivals.lock().push(self.made.take());
        self.arrivals.notify.notify_one();
    }
}
