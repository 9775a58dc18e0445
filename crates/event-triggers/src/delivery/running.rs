//! The events whose requests are running.

use std::cell::RefCell;
use std::collections::HashMap;

use sources::event_log::Queue;

use super::event::Event;

/// Ids with their triggers.
#[derive(Debug, Default)]
pub(super) struct Running(RefCell<HashMap<(Queue, String), String>>);

impl Running {
    pub(super) fn begin(&self, event: &Event) {
        let id = (event.queue(), event.id().to_owned());
        self.0.borrow_mut().insert(id, event.trigger().to_owned());
    }

    pub(super) fn end(&self, event: &Event) {
        self.0.borrow_mut().remove(&(event.queue(), event.id().to_owned()));
    }

    pub(super) fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// The number of requests of a trigger.
    pub(super) fn of_trigger(&self, name: &str) -> usize {
        self.0.borrow().values().filter(|trigger| **trigger == name).count()
    }

    /// The ids of each queue that has some.
    pub(super) fn ids(&self) -> Vec<(Queue, Vec<String>)> {
        let running = self.0.borrow();
        let queues = [Queue::Rows, Queue::Cron, Queue::OneOff].into_iter().map(|queue| {
            let ids = running.keys().filter(|(of, _)| *of == queue).map(|(_, id)| id.clone());
            (queue, ids.collect::<Vec<_>>())
        });
        queues.filter(|(_, ids)| !ids.is_empty()).collect()
    }
}
