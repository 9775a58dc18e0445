//! A session with a server: what it has prepared, and the rounds of messages it exchanges.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::BytesMut;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use tokio::io::AsyncWriteExt;
use tokio_postgres::config::TargetSessionAttrs;

use super::cancel::CancelToken;
use super::config::Config;
use super::error::WireError;
use super::message::{self, Kind};
use super::pipeline::{self, Pipeline};
use super::prepared::{Found, Number, PreparedStatements};
use super::receive::{Frame, Receiver};
use super::rows::Rows;
use super::socket::Socket;
use super::startup::{self, Origin, Session};
use super::statement::{Parameter, Statement};

/// A buffer for sending that grew beyond this is given back to the system.
const KEPT_CAPACITY: usize = 1 << 20;

/// A session with a PostgreSQL server, for one task at a time.
#[derive(Debug)]
pub struct Connection {
    socket: Socket,
    pub(super) receiver: Receiver,
    /// The messages of the round that is being composed.
    out: BytesMut,
    /// What will be answered to them, in order.
    expected: Vec<Expected>,
    prepared: PreparedStatements,
    state: State,
    config: Arc<Config>,
    origin: Origin,
    process_id: i32,
    secret_key: i32,
    server_version: String,
}

/// An answer that a message must get, unless one before it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Close(Number),
    Parse(Number),
    /// Of the unnamed statement, which nothing remembers.
    ParseUnnamed,
    Bind,
    /// Rows for the caller.
    Execute,
    /// BEGIN, COMMIT, ROLLBACK, which are not the caller's executions.
    Control,
}

/// How a round ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundEnd {
    /// The server answers what it has; the transaction stays open.
    Flush,
    Sync,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    /// Messages are written to the buffer; nothing was sent since the session was idle.
    Composing,
    /// Something was sent that is not answered to its end. If that is not read, the connection is
    /// of no use any more.
    Sent,
}

impl Connection {
    /// Connects to the first server that answers.
    pub async fn connect(config: &Config) -> Result<Connection, WireError> {
        let config = Arc::new(config.clone());
        startup::try_endpoints(&config, async |socket, origin| {
            let session = startup::start(&config, socket, origin).await?;
            let mut connection = Connection::new(Arc::clone(&config), session);
            connection.require_session(config.session).await?;
            Ok(connection)
        })
        .await
    }

    /// A new round of statements. One that was composed and never sent is forgotten.
    pub fn pipeline(&mut self) -> Pipeline<'_> {
        if self.state == State::Composing {
            self.rewind(0, 0);
            self.state = State::Idle;
        }
        Pipeline::new(self)
    }

    /// Whether the last round was read to its end. If not, as when a future was dropped half-way,
    /// the connection must be given up.
    pub fn is_clean(&self) -> bool {
        match self.state {
            State::Idle | State::Composing => true,
            State::Sent => false,
        }
    }

    /// Looks, without waiting, whether the server has closed the connection. What it reports by
    /// itself is read on the way.
    pub fn is_open(&mut self) -> bool {
        if !self.is_clean() {
            return false;
        }
        self.receiver.start_round();
        // Nobody waits for this look.
        let mut context = Context::from_waker(Waker::noop());
        loop {
            match self.receiver.poll_read(&mut self.socket, &mut context) {
                Poll::Pending => return true,
                Poll::Ready(Ok(0) | Err(_)) => return false,
                Poll::Ready(Ok(_)) => {}
            }
            loop {
                match self.receiver.next_frame() {
                    Ok(None) => break,
                    Ok(Some(frame)) if self.read_unasked(frame).is_ok() => {}
                    Ok(Some(_)) | Err(_) => return false,
                }
            }
        }
    }

    /// Asks the server for a sign of life: one round trip.
    pub async fn check(&mut self) -> Result<(), WireError> {
        self.pipeline().sync_and_read(&mut Vec::new()).await
    }

    /// The right to cancel what this connection runs.
    pub fn cancel_token(&self) -> CancelToken {
        CancelToken {
            config: Config::clone(&self.config),
            origin: self.origin.clone(),
            process_id: self.process_id,
            secret_key: self.secret_key,
        }
    }

    /// As the server reports it, `15.14 (Debian 15.14-0+deb12u1)`.
    pub fn server_version(&self) -> &str {
        &self.server_version
    }

    /// The process of the server that serves this session.
    pub fn process_id(&self) -> i32 {
        self.process_id
    }

    /// Whether the stream is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.socket.is_encrypted()
    }

    /// How many statements are prepared.
    pub fn prepared_statements(&self) -> usize {
        self.prepared.len()
    }

    fn new(config: Arc<Config>, session: Session) -> Connection {
        let Session { socket, receiver, origin, process_id, secret_key, server_version } = session;
        Connection {
            socket,
            receiver,
            out: BytesMut::new(),
            expected: Vec::new(),
            prepared: PreparedStatements::default(),
            state: State::Idle,
            config,
            origin,
            process_id,
            secret_key,
            server_version,
        }
    }

    /// `target_session_attrs`: goes on to the next host where this one is a standby, or is not.
    async fn require_session(&mut self, wanted: TargetSessionAttrs) -> Result<(), WireError> {
        let wanted = match wanted {
            TargetSessionAttrs::ReadWrite => &b"off"[..],
            TargetSessionAttrs::ReadOnly => b"on",
            _ => return Ok(()),
        };
        let mut results = Vec::new();
        let mut pipeline = self.pipeline();
        pipeline.execute(&pipeline::SHOW_READ_ONLY, [])?;
        pipeline.sync_and_read(&mut results).await?;
        match results.first().and_then(|rows| rows.value(0, 0)) {
            Some(found) if found == wanted => Ok(()),
            _ => Err(WireError::Configuration(
                "the server does not allow the sessions that target_session_attrs asks for"
                    .to_owned(),
            )),
        }
    }

    /// Writes the messages of one execution. If they cannot be written, none is.
    pub(super) fn compose<'p>(
        &mut self,
        statement: &Arc<Statement>,
        parameters: impl IntoIterator<Item = Parameter<'p>>,
        max_rows: i32,
        answer: Expected,
    ) -> Result<(), WireError> {
        if self.state == State::Idle {
            self.state = State::Composing;
        }
        let (bytes, answers) = (self.out.len(), self.expected.len());
        let composed = self.compose_messages(statement, parameters, max_rows, answer);
        if composed.is_err() {
            self.rewind(bytes, answers);
        }
        composed
    }

    fn compose_messages<'p>(
        &mut self,
        statement: &Arc<Statement>,
        parameters: impl IntoIterator<Item = Parameter<'p>>,
        max_rows: i32,
        answer: Expected,
    ) -> Result<(), WireError> {
        let out = &mut self.out;
        let found = match self.config.prepared {
            true => Some(self.prepared.find_or_add(statement)),
            false => None,
        };
        let name = match found {
            Some(Found::Prepared(name)) => name,
            Some(Found::New(name, number)) => {
                self.expected.push(Expected::Parse(number));
                parse(name, statement, out)?;
                name
            }
            None => {
                self.expected.push(Expected::ParseUnnamed);
                parse("", statement, out)?;
                ""
            }
        };
        let write_value = |parameter, out: &mut BytesMut| match parameter {
            Parameter::Null => Ok(postgres_protocol::IsNull::Yes),
            Parameter::Text(text) => {
                out.extend_from_slice(text);
                Ok(postgres_protocol::IsNull::No)
            }
        };
        // No formats: text for parameters and results.
        frontend::bind("", name, [], parameters, write_value, [], out).map_err(|error| {
            match error {
                frontend::BindError::Conversion(error) => WireError::Protocol(error.to_string()),
                frontend::BindError::Serialization(error) => unsendable(&error),
            }
        })?;
        frontend::execute("", max_rows, out).map_err(|error| unsendable(&error))?;
        self.expected.extend([Expected::Bind, answer]);
        // Statements that were displaced, now or in a round that failed. Their last use, if it was
        // in this round, is in front of this message.
        while let Some(number) = self.prepared.next_to_close() {
            self.expected.push(Expected::Close(number));
            frontend::close(b'S', &number.name(), &mut self.out)
                .map_err(|error| unsendable(&error))?;
        }
        Ok(())
    }

    /// Takes messages back that were not sent.
    fn rewind(&mut self, bytes: usize, answers: usize) {
        self.out.truncate(bytes);
        self.forget_unanswered(answers);
        self.expected.truncate(answers);
    }

    /// What the server will not do, because a message before failed or because it was not sent.
    fn forget_unanswered(&mut self, from: usize) {
        for expected in self.expected.get(from..).unwrap_or_default() {
            match *expected {
                Expected::Parse(number) => self.prepared.forget(number),
                Expected::Close(number) => self.prepared.close_later(number),
                Expected::ParseUnnamed
                | Expected::Bind
                | Expected::Execute
                | Expected::Control => {}
            }
        }
    }

    /// Sends what was composed and reads the answers.
    pub(super) async fn exchange(
        &mut self,
        results: &mut Vec<Rows>,
        end: RoundEnd,
    ) -> Result<(), WireError> {
        let executions =
            self.expected.iter().filter(|expected| **expected == Expected::Execute).count();
        results.truncate(executions);
        for rows in results.iter_mut() {
            rows.clear();
        }
        results.resize_with(executions, Rows::default);
        self.receiver.start_round();
        match end {
            RoundEnd::Flush => frontend::flush(&mut self.out),
            RoundEnd::Sync => frontend::sync(&mut self.out),
        }
        self.state = State::Sent;
        self.send().await?;
        let read = self.read_round(results, end).await;
        match &read {
            Ok(()) => {
                let received = self.receiver.bytes();
                results.iter_mut().for_each(|rows| rows.hold(received));
            }
            Err(_) => results.iter_mut().for_each(Rows::clear),
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
        loop {
            if end == RoundEnd::Flush && answered == self.expected.len() {
                self.expected.clear();
                return Ok(());
            }
            let Some(frame) = self.receiver.next_frame()? else {
                if self.receiver.read(&mut self.socket).await? == 0 {
                    return Err(WireError::Closed { reason: None });
                }
                continue;
            };
            let expected = self.expected.get(answered).copied();
            match (Kind::of(frame.tag), expected) {
                (Kind::DataRow, Some(Expected::Execute)) => {
                    if let Some(rows) = results.get_mut(execution) {
                        rows.push(self.receiver.bytes(), frame)?;
                    }
                }
                (Kind::BindComplete, Some(Expected::Bind))
                | (Kind::ParseComplete, Some(Expected::Parse(_) | Expected::ParseUnnamed))
                | (Kind::CloseComplete, Some(Expected::Close(_)))
                | (Kind::CommandComplete, Some(Expected::Control)) => answered += 1,
                (
                    kind @ (Kind::CommandComplete | Kind::PortalSuspended | Kind::EmptyQuery),
                    Some(Expected::Execute),
                ) => {
                    if let Some(rows) = results.get_mut(execution) {
                        match kind {
                            Kind::CommandComplete => rows
                                .complete(message::affected_rows(self.receiver.body(frame))),
                            Kind::PortalSuspended => rows.suspend(),
                            _ => {}
                        }
                    }
                    answered += 1;
                    execution += 1;
                }
                (Kind::Error, _) => {
                    let error = self.read_failure(frame, answered, execution)?;
                    self.expected.clear();
                    answered = 0;
                    failure.get_or_insert(error);
                    if end == RoundEnd::Flush {
                        // The server passes over everything up to a Sync.
                        frontend::sync(&mut self.out);
                        self.send().await?;
                        end = RoundEnd::Sync;
                    }
                }
                (Kind::ReadyForQuery, _)
                    if end == RoundEnd::Sync && answered == self.expected.len() =>
                {
                    let is_idle = self.receiver.body(frame) == b"I";
                    self.expected.clear();
                    if is_idle {
                        self.state = State::Idle;
                        return failure.map_or(Ok(()), Err);
                    }
                    if rolling_back {
                        return Err(WireError::Protocol("ROLLBACK had no effect".to_owned()));
                    }
                    failure.get_or_insert_with(|| {
                        WireError::Protocol("the pipeline ended inside a transaction".to_owned())
                    });
                    rolling_back = true;
                    answered = 0;
                    self.compose(&pipeline::ROLLBACK, [], 0, Expected::Control)?;
                    frontend::sync(&mut self.out);
                    self.send().await?;
                }
                (Kind::Notice | Kind::ParameterStatus | Kind::Notification, _) => {
                    self.read_unasked(frame)?;
                }
                (kind, expected) => {
                    return Err(WireError::Protocol(format!(
                        "the server sent {kind:?} ({}) where {expected:?} was expected",
                        frame.tag.escape_ascii()
                    )));
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
        let error = Box::new(message::parse_error(self.receiver.whole(frame))?);
        if error.is_fatal() {
            return Err(WireError::Closed { reason: Some(error) });
        }
        let ends_with = self.expected.get(answered..).unwrap_or_default().iter().find(
            |expected| matches!(expected, Expected::Execute | Expected::Control),
        );
        let execution = (ends_with == Some(&Expected::Execute)).then_some(execution);
        self.forget_unanswered(answered);
        if error.is_stale_plan() {
            self.prepared.forget_all();
            return Ok(WireError::StalePlan(error));
        }
        Ok(WireError::Database { error, execution })
    }

    /// What the server may send at any time.
    fn read_unasked(&mut self, frame: Frame) -> Result<(), WireError> {
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
                if let Message::ParameterStatus(body) =
                    message::parse(self.receiver.whole(frame))?
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
                return Err(WireError::Protocol(format!("the server sent {kind:?} unasked")));
            }
        }
        Ok(())
    }

    /// Writes everything. The server may answer the first statements before it reads the last
    /// ones; if nobody read that, both sides would wait for each other for ever.
    async fn send(&mut self) -> Result<(), WireError> {
        let Connection { socket, receiver, out, .. } = self;
        let mut written = 0;
        let sent = poll_fn(|context| {
            loop {
                let rest = out.get(written..).unwrap_or_default();
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
                            written += count;
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
        self.out.clear();
        if self.out.capacity() > KEPT_CAPACITY {
            self.out = BytesMut::new();
        }
        match sent {
            Err(WireError::Closed { reason: None }) => Err(self.read_closing_reason().await),
            sent => sent,
        }
    }

    /// A server that goes away says why before it closes the stream.
    async fn read_closing_reason(&mut self) -> WireError {
        loop {
            match self.receiver.next_frame() {
                Ok(Some(frame)) => {
                    if let Err(error @ WireError::Closed { .. }) = self.read_unasked(frame) {
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

fn parse(name: &str, statement: &Statement, out: &mut BytesMut) -> Result<(), WireError> {
    let types = statement.parameter_types().iter().copied();
    frontend::parse(name, statement.text(), types, out).map_err(|error| unsendable(&error))
}

/// A text with a zero byte, too many parameters, a message beyond 2 GiB.
fn unsendable(error: &std::io::Error) -> WireError {
    WireError::Protocol(["a statement cannot be sent: ", &error.to_string()].concat())
}
