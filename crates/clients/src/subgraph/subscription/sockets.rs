//! Pool of WebSockets to a subgraph, over all threads: subscriptions with equal headers share one,
//! up to a number of operations.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedReceiver, UnboundedSender};
use tokio::task::spawn_local;

use super::super::deduplication::Key;
use super::super::request::SubgraphError;
use super::socket;
use super::source::{OpenError, SourceEvent, SourceOpener};

/// Events of an operation that wait for its task.
const QUEUE: usize = 16;

/// The WebSockets to a subgraph. The lock is held for a look-up only.
#[derive(Debug, Default)]
pub(in super::super) struct Sockets(Mutex<Open>);

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
    pub(super) opener: SourceOpener,
    pub(super) commands: UnboundedReceiver<Command>,
    number: u64,
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

/// An operation over a WebSocket. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Operation {
    id: u64,
    commands: UnboundedSender<Command>,
    events: Receiver<OperationEvent>,
}

impl Sockets {
    /// Number of open WebSockets.
    pub(in super::super) fn count(&self) -> usize {
        self.lock().sockets.len()
    }

    /// Finds a WebSocket with room for one more operation, or adds one, whose task the caller has to
    /// start. Returns the id of the operation.
    fn acquire(
        &self,
        opener: &SourceOpener,
    ) -> (u64, UnboundedSender<Command>, Option<SocketTask>) {
        let headers = Key::new(&Bytes::new(), &opener.headers);
        let mut open = self.lock();
        open.last_operation += 1;
        let id = open.last_operation;
        let most = opener.settings.most_operations;
        let has_room = |entry: &&mut Entry| {
            entry.operations < most && entry.server == opener.server && entry.headers == headers
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
            server: Arc::clone(&opener.server),
            headers,
            operations: 1,
            commands: commands.clone(),
        });
        let task = SocketTask { opener: opener.clone(), commands: receiver, number };
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
        let mut open = self.opener.shared.sockets.lock();
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
        let mut open = self.opener.shared.sockets.lock();
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

impl Operation {
    /// Begins an operation, over a WebSocket that is open or is opened for it.
    pub(super) async fn begin(opener: &SourceOpener) -> Result<Self, OpenError> {
        let (id, commands, new) = opener.shared.sockets.acquire(opener);
        if let Some(task) = new {
            spawn_local(socket::run(task));
        }
        let (sender, events) = mpsc::channel(QUEUE);
        let begin = Command::Begin { id, body: opener.body.clone(), events: sender };
        // A task that has just ended is noticed by the next line.
        let _ = commands.send(begin);
        let mut operation = Self { id, commands, events };
        match operation.events.recv().await {
            Some(Ok(_)) => Ok(operation),
            Some(Err(error)) => Err(error),
            None => Err(stopped().into()),
        }
    }

    /// Waits for the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<SourceEvent, SubgraphError> {
        loop {
            match self.events.recv().await {
                Some(Ok(Step::Event(event))) => return Ok(event),
                Some(Ok(Step::Begun)) => {}
                Some(Err(OpenError::Refused(response))) => {
                    return Ok(SourceEvent::Errors(response));
                }
                Some(Err(OpenError::Failed(error))) => return Err(error),
                None => return Err(stopped()),
            }
        }
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        // The task may have ended.
        let _ = self.commands.send(Command::End { id: self.id });
    }
}

fn stopped() -> SubgraphError {
    SubgraphError::Closed("the task of its WebSocket was stopped".into())
}
