//! Pool of WebSockets to a subgraph, over all threads: subscriptions with equal headers share one,
//! up to a number of operations.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::mpsc::{self, Sender, UnboundedReceiver, UnboundedSender};

use super::super::deduplication::Key;
use super::source_event::{OpenError, SourceEvent};

/// The WebSockets to a subgraph. The lock is held for a look-up only.
#[derive(Debug, Default)]
pub(super) struct Sockets(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    sockets: Vec<Entry>,
    last_socket: u64,
    last_operation: u64,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    /// Protocol and endpoint.
    server: Arc<str>,
    headers: Key,
    /// Number of operations, with those that are still to begin.
    operations: usize,
    commands: UnboundedSender<Command>,
}

/// A WebSocket as its task knows it.
#[derive(Debug)]
pub(super) struct SocketTask {
    sockets: Arc<Sockets>,
    pub(super) commands: UnboundedReceiver<Command>,
    number: u64,
}

/// Properties of a WebSocket that an operation needs.
#[derive(Clone, Debug)]
pub(super) struct SocketRequest {
    /// Protocol and endpoint.
    pub(super) server: Arc<str>,
    pub(super) headers: Key,
    /// Maximum number of operations.
    pub(super) most_operations: usize,
}

/// Command to the task of a WebSocket.
#[derive(Debug)]
pub(super) enum Command {
    Begin { id: u64, body: Bytes, events: Sender<OperationEvent> },
    End { id: u64 },
}

/// An event of an operation; after an error there is no other.
pub(super) type OperationEvent = Result<Step, OpenError>;

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The operation was sent.
    Begun,
    Event(SourceEvent),
}

impl Sockets {
    /// Number of open WebSockets.
    pub(super) fn count(&self) -> usize {
        self.lock().sockets.len()
    }

    /// Finds a WebSocket with room for one more operation, or adds one, whose task the caller has to
    /// start. Returns the id of the operation.
    pub(super) fn acquire(
        self: &Arc<Self>,
        request: SocketRequest,
    ) -> (u64, UnboundedSender<Command>, Option<SocketTask>) {
        let SocketRequest { server, headers, most_operations } = request;
        let mut open = self.lock();
        open.last_operation += 1;
        let id = open.last_operation;
        let has_room = |entry: &&mut Entry| {
            entry.operations < most_operations && entry.server == server && entry.headers == headers
        };
        if let Some(entry) = open.sockets.iter_mut().find(has_room) {
            entry.operations += 1;
            return (id, entry.commands.clone(), None);
        }
        open.last_socket += 1;
        let number = open.last_socket;
        let (commands, receiver) = mpsc::unbounded_channel();
        open.sockets.push(Entry {
            number,
            server,
            headers,
            operations: 1,
            commands: commands.clone(),
        });
        let task = SocketTask { sockets: Arc::clone(self), commands: receiver, number };
        (id, commands, Some(task))
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SocketTask {
    /// Releases an operation. Returns true if it was the last: the WebSocket is no longer in the
    /// pool then.
    pub(super) fn release(&self) -> bool {
        let mut open = self.sockets.lock();
        let Some(place) = open.sockets.iter().position(|entry| entry.number == self.number) else {
            return true;
        };
        let entry = &mut open.sockets[place];
        entry.operations = entry.operations.saturating_sub(1);
        let is_last = entry.operations == 0;
        if is_last {
            open.sockets.swap_remove(place);
        }
        is_last
    }

    /// Removes the WebSocket from the pool, and returns the operations that were still to begin.
    pub(super) fn retire(&mut self) -> Vec<Sender<OperationEvent>> {
        let mut open = self.sockets.lock();
        open.sockets.retain(|entry| entry.number != self.number);
        drop(open);
        self.commands.close();
        let mut waiting = Vec::new();
        while let Ok(command) = self.commands.try_recv() {
            match command {
                Command::Begin { events, .. } => waiting.push(events),
                Command::End { .. } => {}
            }
        }
        waiting
    }
}

/// The pool must not lead to a WebSocket whose task was dropped.
impl Drop for SocketTask {
    fn drop(&mut self) {
        self.retire();
    }
}
