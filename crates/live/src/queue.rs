//! Queues of events, one for each listener.
//!
//! A listener whose queue is full is ended: it would miss events, and does not continue as if it had
//! not.

use std::ops::Add;
use std::sync::{Arc, OnceLock};

use tokio::sync::mpsc::{self, Receiver, Sender};

/// Events that wait for one listener.
pub(crate) const QUEUE: usize = 128;

/// The reason for the end of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenerEnd {
    /// Its queue was full.
    TooSlow,
    /// Events are not received any more.
    Lost,
    /// Another listener receives the following events.
    Moved,
}

/// Numbers of listeners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListenerCounts {
    pub listeners: u64,
    /// Those that were ended because their queues were full, so far.
    pub too_slow: u64,
    /// Executions of their subscriptions, so far.
    pub executions: u64,
}

/// The end of a queue that receives events.
#[derive(Debug)]
pub(crate) struct QueueSender<T> {
    queue: Sender<T>,
    end: Arc<OnceLock<ListenerEnd>>,
}

/// The end of a queue from which a listener takes events.
#[derive(Debug)]
pub(crate) struct QueueReceiver<T> {
    queue: Receiver<T>,
    end: Arc<OnceLock<ListenerEnd>>,
}

pub(crate) fn queue<T>() -> (QueueSender<T>, QueueReceiver<T>) {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let end = Arc::<OnceLock<ListenerEnd>>::default();
    let sender = QueueSender { queue: sender, end: Arc::clone(&end) };
    (sender, QueueReceiver { queue: receiver, end })
}

impl Add for ListenerCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            listeners: self.listeners + other.listeners,
            too_slow: self.too_slow + other.too_slow,
            executions: self.executions + other.executions,
        }
    }
}

impl<T> QueueSender<T> {
    /// Adds an event, or ends the listener; returns true if it continues.
    pub(crate) fn send(&self, event: T) -> bool {
        let is_sent = self.queue.try_send(event).is_ok();
        if !is_sent {
            self.end(ListenerEnd::TooSlow);
        }
        is_sent
    }

    pub(crate) fn end(&self, end: ListenerEnd) {
        self.end.get_or_init(|| end);
    }
}

impl<T> QueueReceiver<T> {
    /// Waits for the next event; the error is the last. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<T, ListenerEnd> {
        let event = self.queue.recv().await;
        event.ok_or_else(|| *self.end.get_or_init(|| ListenerEnd::Lost))
    }
}
