//! The worker of the newest generation on a thread.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::{ApiWorker, MemoryBudget};
use tokio::sync::watch;

use crate::generation::Generation;

/// The worker of the newest generation on this thread.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    newest: Rc<RefCell<(Rc<ApiWorker>, watch::Receiver<Generation>)>>,
    memory: Arc<MemoryBudget>,
    pub(crate) time_limit: Duration,
}

impl Current {
    pub(crate) fn new(
        mut generations: watch::Receiver<Generation>,
        memory: Arc<MemoryBudget>,
        time_limit: Duration,
    ) -> Self {
        let api = generations.borrow_and_update().api();
        let worker = api.worker(Arc::clone(&memory), Default::default(), time_limit);
        let newest = Rc::new(RefCell::new((Rc::new(worker), generations)));
        Self { newest, memory, time_limit }
    }

    /// The worker for a new request: after a reload, none gets the previous one.
    pub(crate) fn get(&self) -> Rc<ApiWorker> {
        let mut newest = self.newest.borrow_mut();
        if !newest.1.has_changed().unwrap_or(false) {
            return Rc::clone(&newest.0);
        }
        let api = newest.1.borrow_and_update().api();
        let worker = api.worker(Arc::clone(&self.memory), Default::default(), self.time_limit);
        let worker = Rc::new(worker);
        let before = std::mem::replace(&mut newest.0, Rc::clone(&worker));
        drop(newest);
        // The previous worker lives until its last request ends.
        drop(before);
        worker
    }

    /// Reports the generations that follow the present one.
    pub(crate) fn following(&self) -> watch::Receiver<Generation> {
        self.newest.borrow().1.clone()
    }
}
