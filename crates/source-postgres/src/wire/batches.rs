//! Several requests on one connection: each is a batch of statements with a Sync of its own, and the
//! batches are answered in the order in which they were composed.
//!
//! An error ends its batch only: the server skips everything up to the batch's own Sync. Where it
//! leaves a transaction open, a ROLLBACK is sent behind the outstanding batches, and the batches
//! between fail because of it, too; their callers send them again.

use std::collections::VecDeque;
use std::pin::pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWriteExt;

use super::connection::{Connection, Expected, State};
use super::error::WireError;
use super::message::Kind;
use super::pipeline::Pipeline;
use super::receive::Frame;
use super::round::{Failed, is_committed, unexpected};
use super::rows::{Rows, require_tag};

/// The unanswered batches of a connection. `T` identifies the caller of a batch.
#[derive(Debug)]
pub struct Batches<T> {
    queue: VecDeque<Batch<T>>,
    /// Progress of the first batch's answer.
    progress: Progress,
    /// The position at which the answer of the first batch starts.
    start: usize,
    is_flushed: bool,
    is_rolling_back: bool,
    /// Empty lists, to be used again.
    spare: Vec<Vec<Expected>>,
}

/// A batch that came to its end.
#[derive(Debug)]
pub struct Answered<T> {
    pub of: T,
    pub result: Result<Vec<Rows>, WireError>,
}

#[derive(Debug)]
struct Batch<T> {
    of: Caller<T>,
    expected: Vec<Expected>,
}

#[derive(Debug)]
enum Caller<T> {
    Request(T),
    /// The caller is gone.
    Gone,
    /// A ROLLBACK of the batches themselves.
    Rollback,
}

#[derive(Debug, Default)]
struct Progress {
    /// Number of expected answers received.
    answered: usize,
    /// Number of executions among them.
    executions: usize,
    /// One for each execution that has rows or is at its end.
    results: Vec<Rows>,
    failed: Option<Failed>,
    /// The end of its transaction undid it, without an error.
    is_undone: bool,
}

impl Progress {
    /// The rows of the execution that is answered now.
    fn rows(&mut self) -> &mut Rows {
        self.results.resize_with(self.executions + 1, Rows::default);
        &mut self.results[self.executions]
    }
}

impl<T> Batches<T> {
    /// For a connection that was not used by others.
    pub fn begin(connection: &mut Connection) -> Self {
        drop(connection.pipeline());
        connection.receiver.start_round();
        Self {
            queue: VecDeque::new(),
            progress: Progress::default(),
            start: 0,
            is_flushed: true,
            is_rolling_back: false,
            spare: Vec::new(),
        }
    }

    /// Whether everything is answered.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// The caller of the batch that is answered next.
    pub fn first(&self) -> Option<&T> {
        match &self.queue.front()?.of {
            Caller::Request(of) => Some(of),
            Caller::Gone | Caller::Rollback => None,
        }
    }

    /// Takes the callers, all but the first.
    pub fn others(&mut self) -> impl Iterator<Item = T> {
        self.queue.iter_mut().skip(1).filter_map(Batch::take)
    }

    /// Takes all callers.
    pub fn all(&mut self) -> impl Iterator<Item = T> {
        self.queue.iter_mut().filter_map(Batch::take)
    }

    /// Composes a batch behind the others. [`Batches::poll`] sends it.
    pub fn push(
        &mut self,
        connection: &mut Connection,
        of: T,
        compose: impl FnOnce(&mut Pipeline<'_>) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        self.push_batch(connection, Caller::Request(of), compose)
    }

    /// Sends composed messages, and reads what has arrived. Ready with the error that ends the
    /// session for all.
    pub fn poll(
        &mut self,
        connection: &mut Connection,
        context: &mut Context<'_>,
        answered: &mut Vec<Answered<T>>,
    ) -> Poll<WireError> {
        let error = std::task::ready!(self.poll_messages(connection, context, answered));
        match &error {
            WireError::Closed { .. } | WireError::Io(_) => connection.lose(),
            error => connection.learn_from(error),
        }
        Poll::Ready(error)
    }

    fn poll_messages(
        &mut self,
        connection: &mut Connection,
        context: &mut Context<'_>,
        answered: &mut Vec<Answered<T>>,
    ) -> Poll<WireError> {
        loop {
            if let Err(error) = self.poll_write(connection, context) {
                return Poll::Ready(error);
            }
            match connection.receiver.poll_read(&mut connection.socket, context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(0)) => return Poll::Ready(WireError::Closed { reason: None }),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(error),
            }
            if let Err(error) = self.read(connection, answered) {
                return Poll::Ready(error);
            }
        }
    }

    /// Returns the connection to exclusive use.
    pub fn end(&mut self, connection: &mut Connection) {
        if self.queue.is_empty() && connection.state == State::Sent && connection.out.is_empty() {
            connection.state = State::Idle;
            connection.receiver.end_round();
        }
    }

    fn push_batch(
        &mut self,
        connection: &mut Connection,
        of: Caller<T>,
        compose: impl FnOnce(&mut Pipeline<'_>) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        let (bytes, state) = (connection.out.len(), connection.state);
        connection.expected = self.spare.pop().unwrap_or_default();
        let composed = compose(&mut Pipeline::behind(connection));
        if let Err(error) = composed {
            connection.rewind(bytes, 0);
            connection.state = state;
            return Err(error);
        }
        connection.compose_sync();
        connection.state = State::Sent;
        let expected = std::mem::take(&mut connection.expected);
        self.queue.push_back(Batch { of, expected });
        self.is_flushed = false;
        Ok(())
    }

    /// Writes as much as the socket takes.
    fn poll_write(
        &mut self,
        connection: &mut Connection,
        context: &mut Context<'_>,
    ) -> Result<(), WireError> {
        let Connection { socket, out, written, .. } = connection;
        loop {
            let rest = out.get(*written..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            match pin!(socket.write(rest)).poll(context) {
                Poll::Ready(Ok(0)) => return Err(WireError::Closed { reason: None }),
                Poll::Ready(Ok(count)) => *written += count,
                Poll::Ready(Err(error)) => return Err(error.into()),
                Poll::Pending => return Ok(()),
            }
        }
        connection.clear_sent();
        if !self.is_flushed
            && let Poll::Ready(flushed) = pin!(connection.socket.flush()).poll(context)
        {
            flushed?;
            self.is_flushed = true;
        }
        Ok(())
    }

    /// Reads the messages that have arrived. Their answers point into the buffer.
    fn read(
        &mut self,
        connection: &mut Connection,
        answered: &mut Vec<Answered<T>>,
    ) -> Result<(), WireError> {
        let mut results = Vec::new();
        while let Some(frame) = connection.receiver.next_frame()? {
            if self.read_frame(connection, frame)? {
                self.start = connection.receiver.position();
                results.extend(self.finish_first(connection, frame)?);
            }
        }
        if self.start == 0 {
            return Ok(());
        }
        let lent = connection.receiver.lend();
        let received = connection.receiver.bytes();
        for answer in &mut results {
            if let Ok(rows) = &mut answer.result {
                rows.iter_mut().for_each(|rows| rows.hold(received, lent.as_ref()));
            }
        }
        // The beginning of the next answer moves to another buffer, where it is read again.
        connection.receiver.go_back(self.start);
        connection.receiver.start_round();
        self.start = 0;
        self.progress = Progress::default();
        answered.append(&mut results);
        Ok(())
    }

    /// Reads a message; returns whether it is the last one of its batch.
    fn read_frame(&mut self, connection: &mut Connection, frame: Frame) -> Result<bool, WireError> {
        let kind = Kind::of(frame.tag);
        let Some(batch) = self.queue.front() else {
            return connection.read_unsolicited(frame).map(|()| false);
        };
        let progress = &mut self.progress;
        let has_failed = progress.failed.is_some();
        let expected = batch.expected.get(progress.answered).copied();
        match (kind, expected) {
            (Kind::Notice | Kind::ParameterStatus | Kind::Notification, _) => {
                connection.read_unsolicited(frame)?;
            }
            (Kind::ReadyForQuery, expected) if has_failed || expected.is_none() => {
                return Ok(true);
            }
            (Kind::Error, _) => {
                let error = connection.read_error(frame)?;
                let Progress { answered, executions: execution, .. } = *progress;
                progress.failed.get_or_insert(Failed { error, answered, execution });
            }
            (Kind::DataRow, Some(Expected::Execute(result))) if !has_failed => {
                progress.rows().push(connection.receiver.bytes(), frame, result)?;
            }
            (Kind::CommandComplete | Kind::EmptyQuery, Some(Expected::Execute(result)))
                if !has_failed =>
            {
                progress.rows().complete(connection.receiver.body(frame), result)?;
                progress.answered += 1;
                progress.executions += 1;
            }
            (Kind::CommandComplete, Some(Expected::Commit)) if !has_failed => {
                progress.answered += 1;
                progress.is_undone |= !is_committed(connection.receiver.body(frame))?;
            }
            (Kind::CommandComplete, Some(Expected::Control(result))) if !has_failed => {
                require_tag(connection.receiver.body(frame), result.tag)?;
                progress.answered += 1;
            }
            (Kind::BindComplete, Some(Expected::Bind))
            | (Kind::ParseComplete, Some(Expected::Parse(_) | Expected::ParseUnnamed))
            | (Kind::CloseComplete, Some(Expected::Close(_)))
                if !has_failed =>
            {
                progress.answered += 1;
            }
            (kind, expected) => return Err(unexpected(kind, frame, expected)),
        }
        Ok(false)
    }

    /// The result of the first batch, whose last message is `ready`.
    fn finish_first(
        &mut self,
        connection: &mut Connection,
        ready: Frame,
    ) -> Result<Option<Answered<T>>, WireError> {
        let Progress { results, failed, is_undone, .. } = std::mem::take(&mut self.progress);
        connection.syncs = connection.syncs.saturating_sub(1);
        let Some(Batch { of, mut expected }) = self.queue.pop_front() else { return Ok(None) };
        let result = match failed {
            None if is_undone => {
                Err(WireError::Protocol("the transaction was rolled back".to_owned()))
            }
            None => Ok(results),
            Some(failed) => {
                let error = failed.blame(&expected, &mut connection.prepared);
                connection.learn_from(&error);
                Err(error)
            }
        };
        expected.clear();
        self.spare.push(expected);
        let is_in_transaction = connection.receiver.body(ready) != b"I";
        if is_in_transaction {
            if matches!(of, Caller::Rollback) {
                return Err(WireError::Protocol("ROLLBACK had no effect".to_owned()));
            }
            if !self.is_rolling_back {
                self.is_rolling_back = true;
                self.push_batch(connection, Caller::Rollback, |pipeline| pipeline.rollback())?;
            }
        } else if matches!(of, Caller::Rollback) {
            self.is_rolling_back = false;
        }
        Ok(match of {
            Caller::Request(of) => Some(Answered { of, result }),
            Caller::Gone | Caller::Rollback => None,
        })
    }
}

impl<T> Batch<T> {
    fn take(&mut self) -> Option<T> {
        match std::mem::replace(&mut self.of, Caller::Gone) {
            Caller::Request(of) => Some(of),
            rest @ (Caller::Gone | Caller::Rollback) => {
                self.of = rest;
                None
            }
        }
    }
}
