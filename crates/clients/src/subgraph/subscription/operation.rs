//! Operation over a WebSocket.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc::{self, Receiver, UnboundedSender};
use tokio::task::spawn_local;

use super::super::deduplication::Key;
use super::super::request::SubgraphError;
use super::opener::SourceOpener;
use super::socket;
use super::socket_pool::{Command, OperationEvent, SocketRequest, Step};
use super::source_event::{OpenError, SourceEvent};

/// Events of an operation that wait for its task.
const QUEUE: usize = 16;

/// An operation over a WebSocket. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Operation {
    id: u64,
    commands: UnboundedSender<Command>,
    events: Receiver<OperationEvent>,
}

impl Operation {
    /// Begins an operation, over a WebSocket that is open or is opened for it.
    pub(super) async fn begin(opener: &SourceOpener) -> Result<Self, OpenError> {
        let request = SocketRequest {
            server: Arc::clone(&opener.server),
            headers: Key::new(&Bytes::new(), &opener.headers),
            most_operations: opener.settings.most_operations,
        };
        let (id, commands, new) = opener.sockets.acquire(request);
        if let Some(task) = new {
            spawn_local(socket::run(task, opener.clone()));
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
