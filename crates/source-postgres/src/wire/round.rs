//! One round: sends composed messages, and reads the answers to their end.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use tokio::io::AsyncWriteExt;

use super::connection::{Connection, Expected, State};
use super::error::{DatabaseError, WireError};
use super::message::{self, Kind};
use super::pipeline;
use super::prepared::PreparedStatements;
use super::receive::Frame;
use super::rows::{Rows, require_tag};

/// A buffer for sending that grew beyond this is given back to the system.
pub(super) const KEPT_CAPACITY: usize = 1 << 20;

/// The end of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundEnd {
    /// The server sends its answers so far; the transaction stays open.
    Flush,
    /// The same; after an error the transaction is rolled back to its savepoint, and stays open.
    Savepoint,
    Sync,
}

/// An error, and the answers before it.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) error: Box<DatabaseError>,
    pub(super) answered: usize,
    pub(super) execution: usize,
}

impl Connection {
    /// Sends composed messages and reads the answers.
    pub(super) async fn exchange(
        &mut self,
        results: &mut Vec<Rows>,
        end: RoundEnd,
    ) -> Result<(), WireError> {
        let executions =
            self.expected.iter().filter(|expected| matches!(expected, Expected::Execute(_)));
        let executions = executions.count();
        results.truncate(executions);
        for rows in results.iter_mut() {
            rows.clear();
        }
        results.resize_with(executions, Rows::default);
        self.receiver.start_round();
        match end {
            RoundEnd::Flush | RoundEnd::Savepoint => frontend::flush(&mut self.out),
            RoundEnd::Sync => self.compose_sync(),
        }
        self.state = State::Sent;
        self.executed = 0;
        let mut read = self.send().await;
        if read.is_ok() {
            read = self.read_round(results, end).await;
        }
        match &read {
            Err(WireError::Closed { .. } | WireError::Io(_)) => self.state = State::Lost,
            Err(error @ WireError::OutOfSync(_)) => self.learn_from(error),
            _ => {}
        }
        match &read {
            Ok(()) => {
                let lent = self.receiver.lend();
                let received = self.receiver.bytes();
                results.iter_mut().for_each(|rows| rows.hold(received, lent.as_ref()));
                self.receiver.end_round();
            }
            Err(error) => {
                let failed = match error {
                    WireError::Database { execution, .. } => execution.unwrap_or_default(),
                    _ => 0,
                };
                for (place, rows) in results.iter_mut().enumerate() {
                    match place < failed {
                        true => rows.forget_values(),
                        false => rows.clear(),
                    }
                }
            }
        }
        read
    }

    async fn read_round(
        &mut self,
        results: &mut [Rows],
        mut end: RoundEnd,
    ) -> Result<(), WireError> {
        let mut answered = 0;
        let mut execution = 0;
        let mut failure = None;
        let mut rolling_back = false;
        let has_savepoint = end == RoundEnd::Savepoint;
        loop {
            if end != RoundEnd::Sync && answered == self.expected.len() {
                self.expected.clear();
                return failure.map_or(Ok(()), Err);
            }
            let Some(frame) = self.receiver.next_frame()? else {
                if self.receiver.read(&mut self.socket).await? == 0 {
                    return Err(WireError::Closed { reason: None });
                }
                continue;
            };
            let expected = self.expected.get(answered).copied();
            match (Kind::of(frame.tag), expected) {
                (Kind::DataRow, Some(Expected::Execute(result))) => {
                    if let Some(rows) = results.get_mut(execution) {
                        rows.push(self.receiver.bytes(), frame, result)?;
                    }
                }
                (Kind::DataRow, Some(Expected::Settings)) => {}
                (Kind::BindComplete, Some(Expected::Bind))
                | (Kind::ParseComplete, Some(Expected::Parse(_) | Expected::ParseUnnamed))
                | (Kind::CloseComplete, Some(Expected::Close(_) | Expected::ClosePortal))
                | (Kind::CommandComplete, Some(Expected::Settings)) => {
                    answered += 1;
                }
                (Kind::CommandComplete, Some(Expected::Control(result))) => {
                    require_tag(self.receiver.body(frame), result.tag)?;
                    answered += 1;
                }
                (Kind::CommandComplete, Some(Expected::Commit)) => {
                    answered += 1;
                    if !is_committed(self.receiver.body(frame))? {
                        failure.get_or_insert_with(|| {
                            WireError::Protocol("the transaction was rolled back".to_owned())
                        });
                    }
                }
                (
                    kind @ (Kind::CommandComplete | Kind::PortalSuspended | Kind::EmptyQuery),
                    Some(Expected::Execute(result)),
                ) => {
                    if let Some(rows) = results.get_mut(execution) {
                        match kind {
                            Kind::PortalSuspended => rows.suspend(result)?,
                            _ => rows.complete(self.receiver.body(frame), result)?,
                        }
                    }
                    answered += 1;
                    execution += 1;
                    self.executed = execution;
                }
                (Kind::Error, _) => {
                    let error = self.read_failure(frame, answered, execution)?;
                    self.expected.clear();
                    answered = 0;
                    failure.get_or_insert(error);
                    if end != RoundEnd::Sync {
                        // The server passes over everything up to a Sync.
                        self.compose_sync();
                        self.send().await?;
                        end = RoundEnd::Sync;
                    }
                }
                (Kind::ReadyForQuery, _)
                    if end == RoundEnd::Sync && answered == self.expected.len() =>
                {
                    let is_idle = self.receiver.body(frame) == b"I";
                    self.syncs = self.syncs.saturating_sub(1);
                    self.expected.clear();
                    if is_idle {
                        self.state = State::Idle;
                        return failure.map_or(Ok(()), Err);
                    }
                    if has_savepoint && !rolling_back && self.receiver.body(frame) == b"E" {
                        rolling_back = true;
                        answered = 0;
                        let statement = &pipeline::ROLLBACK_TO_SAVEPOINT;
                        let rolled_back = Expected::Control(statement.result(0));
                        self.compose(statement, [], 0, rolled_back)?;
                        frontend::flush(&mut self.out);
                        self.send().await?;
                        end = RoundEnd::Flush;
                        continue;
                    }
                    if rolling_back {
                        return Err(WireError::Protocol("ROLLBACK had no effect".to_owned()));
                    }
                    failure.get_or_insert_with(|| {
                        WireError::Protocol("the pipeline ended inside a transaction".to_owned())
                    });
                    rolling_back = true;
                    answered = 0;
                    let rolled_back = Expected::Control(pipeline::ROLLBACK.result(0));
                    self.compose(&pipeline::ROLLBACK, [], 0, rolled_back)?;
                    self.compose_sync();
                    self.send().await?;
                }
                (Kind::Notice | Kind::ParameterStatus | Kind::Notification, _) => {
                    self.read_unsolicited(frame)?;
                }
                (kind, expected) => {
                    return Err(unexpected(kind, frame, expected));
                }
            }
        }
    }

    /// An error that ends the session is returned as an `Err`.
    fn read_failure(
        &mut self,
        frame: Frame,
        answered: usize,
        execution: usize,
    ) -> Result<WireError, WireError> {
        let error = self.read_error(frame)?;
        let failed = Failed { error, answered, execution };
        let error = failed.blame(&self.expected, &mut self.prepared);
        self.learn_from(&error);
        Ok(error)
    }

    /// Reads an error that is judged later.
    pub(super) fn read_error(&self, frame: Frame) -> Result<Box<DatabaseError>, WireError> {
        let error = Box::new(message::parse_error(self.receiver.whole(frame))?);
        if error.is_fatal() {
            return Err(WireError::Closed { reason: Some(error) });
        }
        Ok(error)
    }

    /// Reads a message that the server may send at any time.
    pub(super) fn read_unsolicited(&mut self, frame: Frame) -> Result<(), WireError> {
        match Kind::of(frame.tag) {
            Kind::Notification => {}
            Kind::Notice => {
                let notice = message::parse_error(self.receiver.whole(frame))?;
                tracing::debug!(
                    severity = notice.severity,
                    code = notice.code,
                    detail = notice.detail,
                    "{}",
                    notice.message
                );
            }
            Kind::ParameterStatus => {
                if let Message::ParameterStatus(body) = message::parse(self.receiver.whole(frame))?
                    && let (Ok("server_version"), Ok(value)) = (body.name(), body.value())
                {
                    value.clone_into(&mut self.server_version);
                }
            }
            Kind::Error => {
                let reason = message::parse_error(self.receiver.whole(frame))?;
                return Err(WireError::Closed { reason: Some(Box::new(reason)) });
            }
            kind => {
                return Err(WireError::OutOfSync(format!("the server sent {kind:?} unasked")));
            }
        }
        Ok(())
    }

    /// Writes everything. The server may answer the first statements before it reads the last ones;
    /// without concurrent reading, both sides would wait for each other for ever.
    async fn send(&mut self) -> Result<(), WireError> {
        let Connection { socket, receiver, out, written, .. } = self;
        let sent = poll_fn(|context| {
            loop {
                let rest = out.get(*written..).unwrap_or_default();
                if rest.is_empty() {
                    if let Poll::Ready(flushed) = pin!(socket.flush()).poll(context) {
                        return Poll::Ready(flushed.map_err(WireError::from));
                    }
                } else {
                    match pin!(socket.write(rest)).poll(context) {
                        Poll::Ready(Ok(0)) => {
                            return Poll::Ready(Err(WireError::Closed { reason: None }));
                        }
                        Poll::Ready(Ok(count)) => {
                            *written += count;
                            continue;
                        }
                        Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
                        Poll::Pending => {}
                    }
                }
                match receiver.poll_read(socket, context) {
                    Poll::Ready(Ok(0)) => {
                        return Poll::Ready(Err(WireError::Closed { reason: None }));
                    }
                    Poll::Ready(Ok(_)) => {}
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await;
        self.clear_sent();
        match sent {
            Err(WireError::Closed { reason: None }) => Err(self.read_closing_reason().await),
            sent => sent,
        }
    }

    /// Reads the error that a server sends before it closes the stream.
    async fn read_closing_reason(&mut self) -> WireError {
        loop {
            match self.receiver.next_frame() {
                Ok(Some(frame)) => {
                    if let Err(error @ WireError::Closed { .. }) = self.read_unsolicited(frame) {
                        return error;
                    }
                }
                Ok(None) => match self.receiver.read(&mut self.socket).await {
                    Ok(0) | Err(_) => return WireError::Closed { reason: None },
                    Ok(_) => {}
                },
                Err(error) => return error,
            }
        }
    }
}

/// Whether the command tag of COMMIT shows a committed transaction. A failed one is rolled back by
/// it, without an error.
pub(super) fn is_committed(tag: &[u8]) -> Result<bool, WireError> {
    let is_committed = tag.starts_with(b"COMMIT");
    if !is_committed {
        require_tag(tag, "ROLLBACK")?;
    }
    Ok(is_committed)
}

pub(super) fn unexpected(kind: Kind, frame: Frame, expected: Option<Expected>) -> WireError {
    let tag = frame.tag.escape_ascii();
    WireError::OutOfSync(format!(
        "the server sent {kind:?} ({tag}) where {expected:?} was expected"
    ))
}

impl Failed {
    /// The expected answer that the error belongs to; statements that are not prepared because of
    /// it are forgotten.
    pub(super) fn blame(self, all: &[Expected], prepared: &mut PreparedStatements) -> WireError {
        let Self { mut error, answered, execution } = self;
        let unanswered = all.get(answered..).unwrap_or_default();
        let is_parse = |expected: Option<&Expected>| {
            matches!(expected, Some(Expected::Parse(_) | Expected::ParseUnnamed))
        };
        let ends_with = unanswered.iter().find(|expected| {
            matches!(
                expected,
                Expected::Execute(_) | Expected::Control(_) | Expected::Commit | Expected::Settings
            )
        });
        let execution = matches!(ends_with, Some(Expected::Execute(_))).then_some(execution);
        error.is_of_settings = ends_with == Some(&Expected::Settings);
        error.is_of_bind = unanswered.first() == Some(&Expected::Bind);
        error.is_of_parse = is_parse(unanswered.first());
        let is_prepared_now = is_parse(answered.checked_sub(1).and_then(|before| all.get(before)));
        let may_have_changed = error.is_of_bind && !is_prepared_now && error.is_of_text();
        prepared.forget_unanswered(unanswered);
        if error.is_stale_plan() || may_have_changed {
            prepared.forget_all();
            return WireError::StalePlan(error);
        }
        WireError::Database { error, execution }
    }
}
