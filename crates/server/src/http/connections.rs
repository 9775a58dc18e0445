//! The connections of one thread, and which of them make room or end.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::progress::Progress;

#[derive(Debug, Default)]
pub(super) struct Connections {
    open: RefCell<BTreeMap<u64, Rc<Progress>>>,
    /// The number of the next one.
    next: Cell<u64>,
    is_stopping: Cell<bool>,
    /// Told when the last one has ended.
    none_left: Notify,
}

/// A connection among those of its thread, as long as it is there.
#[derive(Debug)]
pub(super) struct Entry {
    connections: Rc<Connections>,
    number: u64,
    pub(super) progress: Rc<Progress>,
}

impl Connections {
    pub(super) fn enter(self: &Rc<Self>) -> Entry {
        let number = self.next.get();
        self.next.set(number + 1);
        let progress = Rc::new(Progress::new());
        if self.is_stopping.get() {
            progress.stop();
        }
        self.open.borrow_mut().insert(number, Rc::clone(&progress));
        Entry { connections: Rc::clone(self), number, progress }
    }

    pub(super) fn count(&self) -> usize {
        self.open.borrow().len()
    }

    /// Gives up the connection that is worth the least; false if all are busy.
    pub(super) fn evict(&self) -> bool {
        let now = Instant::now();
        let open = self.open.borrow();
        let worths = open.values().filter_map(|progress| Some((progress.worth(now)?, progress)));
        let least = worths.min_by_key(|(worth, _)| *worth);
        if let Some((_, progress)) = least {
            progress.evict();
        }
        least.is_some()
    }

    /// Lets each end as soon as nothing is going on.
    pub(super) fn stop(&self) {
        self.is_stopping.set(true);
        for progress in self.open.borrow().values() {
            progress.stop();
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
