//! The connections of one thread: eviction and shutdown.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::timeouts::ConnectionState;

#[derive(Debug, Default)]
pub(super) struct Connections {
    open: RefCell<BTreeMap<u64, Rc<ConnectionState>>>,
    /// The number of the next connection.
    next: Cell<u64>,
    is_stopping: Cell<bool>,
    /// Notified when the last connection has ended.
    none_left: Notify,
}

/// An open connection of the thread, removed when dropped.
#[derive(Debug)]
pub(super) struct Entry {
    connections: Rc<Connections>,
    number: u64,
    pub(super) state: Rc<ConnectionState>,
}

impl Connections {
    pub(super) fn enter(self: &Rc<Self>) -> Entry {
        let number = self.next.get();
        self.next.set(number + 1);
        let state = Rc::new(ConnectionState::new());
        if self.is_stopping.get() {
            state.stop();
        }
        self.open.borrow_mut().insert(number, Rc::clone(&state));
        Entry { connections: Rc::clone(self), number, state }
    }

    pub(super) fn count(&self) -> usize {
        self.open.borrow().len()
    }

    /// Evicts the connection with the lowest priority; false if all are busy.
    pub(super) fn evict(&self) -> bool {
        let now = Instant::now();
        let open = self.open.borrow();
        let ranks = open.values().filter_map(|state| Some((state.eviction_rank(now)?, state)));
        let least = ranks.min_by_key(|(eviction_rank, _)| *eviction_rank);
        if let Some((_, state)) = least {
            state.evict();
        }
        least.is_some()
    }

    /// Closes each connection as soon as it is idle.
    pub(super) fn stop(&self) {
        self.is_stopping.set(true);
        for state in self.open.borrow().values() {
            state.stop();
        }
    }

    pub(super) async fn ended(&self) {
        while self.count() > 0 {
            self.none_left.notified().await;
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut open = self.connections.open.borrow_mut();
        open.remove(&self.number);
        if open.is_empty() {
            self.connections.none_left.notify_one();
        }
    }
}
