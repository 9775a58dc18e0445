//! A session with a server: its prepared statements, and the messages that are composed for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use response::memory::growth;
use response::{BudgetExceeded, MemoryReservation};
use source::NameSet;
use source::wire::socket::Socket;
use tokio_postgres::config::TargetSessionAttrs;

use super::cancel::CancelToken;
use super::config::Config;
use super::error::WireError;
use super::pipeline::{self, Pipeline};
use super::prepared::{Found, Name, PreparedStatements};
use super::receive::Receiver;
use super::round::KEPT_CAPACITY;
use super::sessions::CountedSession;
use super::startup::{self, Mode, Origin, Session};
use super::statement::{Parameter, ResultSignature, Statement};

/// Attempts to start a session that ends at once.
const STARTS: usize = 3;

/// Bytes that are reserved for the header of a message and its short fields, in addition to its text
/// or one value.
const HEADERS: usize = 1 << 10;

/// A session with a PostgreSQL server, for one task at a time.
#[derive(Debug)]
pub struct Connection {
    pub(super) socket: Socket,
    pub(super) receiver: Receiver,
    /// The messages of the round that is being composed.
    pub(super) out: BytesMut,
    /// The memory of `out`: keys of many rows may be a part of its messages.
    out_held: MemoryReservation,
    /// Number of their bytes that are sent.
    pub(super) written: usize,
    /// Number of unanswered Syncs, composed ones included.
    pub(super) syncs: usize,
    /// The expected answers, in order.
    pub(super) expected: Vec<Expected>,
    pub(super) prepared: PreparedStatements,
    pub(super) state: State,
    /// Number of completed executions of the last round.
    pub(super) executed: usize,
    /// Whether the default isolation level is read committed, once it was queried.
    reads_committed: Option<bool>,
    config: Arc<Config>,
    /// Counts from the moment on at which a server is known to serve it.
    session: Option<CountedSession>,
    origin: Arc<Origin>,
    process_id: i32,
    secret_key: i32,
    pub(super) server_version: String,
    /// The names of all settings that were ever set, which the session keeps.
    pub(super) names: NameSet,
}

/// An answer that a message must get, unless one before it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Close(Name),
    ClosePortal,
    Parse(Name),
    /// Of the unnamed statement, which is not cached.
    ParseUnnamed,
    Bind,
    /// Rows for the caller.
    Execute(ResultSignature),
    /// BEGIN, ROLLBACK, which are not the caller's executions.
    Control(ResultSignature),
    /// COMMIT, whose command tag shows whether it succeeded.
    Commit,
    /// Settings in front of the caller's executions. Their rows are passed over.
    Settings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    /// Messages are written to the buffer; nothing was sent since the session was idle.
    Composing,
    /// A sent message has an incomplete answer. If that is not read, the connection cannot be used
    /// again.
    Sent,
    /// The server has closed the stream, or its messages cannot be read.
    Lost,
}

/// The error of a server that is not the one to connect to.
pub(super) fn other_session() -> WireError {
    WireError::Configuration(
        "the server does not allow the sessions that target_session_attrs asks for".to_owned(),
    )
}

impl Connection {
    /// Connects to the first server that answers. A session that ends before its first answer, as
    /// by `pg_terminate_backend`, is started again: the server is reachable.
    pub async fn connect(config: &Config) -> Result<Connection, WireError> {
        let config = Arc::new(config.clone());
        let mut starts = 0;
        loop {
            starts += 1;
            let has_begun = AtomicBool::new(false);
            let connection = Self::begin(&config, &has_begun).await;
            let is_lost = matches!(&connection, Err(WireError::Closed { .. } | WireError::Io(_)));
            if !(is_lost && has_begun.load(Ordering::Relaxed) && starts < STARTS) {
                return connection;
            }
        }
    }

    async fn begin(config: &Arc<Config>, has_begun: &AtomicBool) -> Result<Connection, WireError> {
        startup::try_endpoints(config, |socket, origin| {
            let config = Arc::clone(config);
            async move {
                let session = startup::start(&config, socket, origin, Mode::Statements).await?;
                has_begun.store(true, Ordering::Relaxed);
                let mut connection = Connection::new(Arc::clone(&config), session);
                connection.detect_pooler(&config).await?;
                connection.session = Some(config.sessions.begin());
                connection.require_session(config.session).await?;
                Ok(connection)
            }
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

    /// A further round of a transaction that is open: its last round was flushed and read.
    pub fn resumed_pipeline(&mut self) -> Pipeline<'_> {
        Pipeline::resumed(self)
    }

    /// Whether the last round was read to its end. If not, as when a future was dropped half-way,
    /// the connection must be abandoned.
    pub fn is_clean(&self) -> bool {
        match self.state {
            State::Idle | State::Composing => true,
            State::Sent | State::Lost => false,
        }
    }

    /// Detects a pooler by its errors.
    ///
    /// Unknown names of statements: a pooler gives one server session to several clients, and does
    /// not keep their statements. Answers to other statements: they were another client's.
    pub(super) fn learn_from(&self, error: &WireError) {
        match error {
            WireError::StalePlan(error) if error.is_of_names() && self.is_behind_pooler() => {
                self.config.pooler.leaves_statements(&error.message);
            }
            WireError::OutOfSync(reason) => self.config.pooler.is_noticed(reason),
            _ => {}
        }
    }

    /// Whether a pooler is in front of the server.
    pub fn is_behind_pooler(&self) -> bool {
        self.config.pooler.is_there()
    }

    /// A pooler answered when this session was started.
    pub(super) fn notice_pooler(&self) {
        self.config.pooler.is_noticed("another process than the session's serves its statements");
    }

    /// Marks the connection as lost.
    pub(super) fn lose(&mut self) {
        self.state = State::Lost;
    }

    /// Whether answers may be outstanding, which must be read before the stream is closed
    /// ([`Connection::drain`]).
    pub fn has_outstanding(&self) -> bool {
        self.state == State::Sent
    }

    /// Appends a Sync to the composed messages.
    pub(super) fn compose_sync(&mut self) {
        frontend::sync(&mut self.out);
        self.syncs += 1;
    }

    /// Checks without waiting whether the server has closed the connection, and reads its notices.
    /// A closed connection must be abandoned.
    pub fn is_open(&mut self) -> bool {
        let is_open = self.is_clean() && self.hears_nothing_bad();
        if !is_open {
            // The server announces its shutdown only once.
            self.state = State::Lost;
        }
        is_open
    }

    fn hears_nothing_bad(&mut self) -> bool {
        self.receiver.start_round();
        // No task waits for this check.
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
                    Ok(Some(frame)) if self.read_unsolicited(frame).is_ok() => {}
                    Ok(Some(_)) | Err(_) => return false,
                }
            }
        }
    }

    /// Checks that the server answers: one round trip.
    pub async fn check(&mut self) -> Result<(), WireError> {
        self.pipeline().sync_and_read(&mut Vec::new()).await
    }

    /// The token of cancel requests for this connection.
    pub fn cancel_token(&self) -> CancelToken {
        CancelToken {
            config: Arc::clone(&self.config),
            origin: Arc::clone(&self.origin),
            process_id: self.process_id,
            secret_key: self.secret_key,
        }
    }

    /// The version in the server's own format, `15.14 (Debian 15.14-0+deb12u1)`.
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

    /// The names of settings that were ever set here, and read as empty texts where they are not set.
    pub fn names(&self) -> &NameSet {
        &self.names
    }

    /// Number of prepared statements.
    pub fn prepared_statements(&self) -> usize {
        self.prepared.len()
    }

    fn new(config: Arc<Config>, session: Session) -> Connection {
        let Session { socket, receiver, origin, process_id, secret_key, server_version } = session;
        Connection {
            socket,
            receiver,
            out: BytesMut::new(),
            out_held: config.memory.as_ref().map(MemoryReservation::of).unwrap_or_default(),
            written: 0,
            syncs: 0,
            expected: Vec::new(),
            prepared: PreparedStatements::default(),
            state: State::Idle,
            executed: 0,
            reads_committed: None,
            session: None,
            config,
            origin: Arc::new(origin),
            process_id,
            secret_key,
            server_version,
            names: NameSet::default(),
        }
    }

    /// Number of completed executions of the last round, whatever the result of the others.
    pub fn executed(&self) -> usize {
        self.executed
    }

    /// Whether the default isolation level is read committed. Queries the server once.
    pub async fn reads_committed(&mut self) -> Result<bool, WireError> {
        if let Some(known) = self.reads_committed {
            return Ok(known);
        }
        let mut results = Vec::new();
        let mut pipeline = self.pipeline();
        pipeline.execute(&pipeline::SHOW_ISOLATION, [])?;
        pipeline.sync_and_read(&mut results).await?;
        let found = results.first().and_then(|rows| rows.value(0, 0)) == Some(b"read committed");
        self.reads_committed = Some(found);
        Ok(found)
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
            _ => Err(other_session()),
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
        self.compose_in("", statement, parameters, max_rows, answer)
    }

    /// Writes the message that prepares a statement, unless it is prepared. Returns its name; `None`
    /// where statements have no names.
    pub(super) fn compose_prepare(
        &mut self,
        statement: &Arc<Statement>,
    ) -> Result<Option<Box<str>>, WireError> {
        if !self.config.pooler.keeps_statements() {
            return Ok(None);
        }
        if self.state == State::Idle {
            self.state = State::Composing;
        }
        make_room(&mut self.out, &mut self.out_held, statement.text().len())?;
        let (text, new) = match self.prepared.find_or_add(statement) {
            Found::Prepared(text) => (text, None),
            Found::New(text, name) => (text, Some(name)),
        };
        let text = Box::from(text);
        if let Some(name) = new {
            let (bytes, answers) = (self.out.len(), self.expected.len());
            self.expected.push(Expected::Parse(name));
            if let Err(error) = parse(&text, statement, &mut self.out) {
                self.rewind(bytes, answers);
                return Err(error);
            }
        }
        Ok(Some(text))
    }

    /// Writes the messages of one execution in a portal that stays until it is closed, or the
    /// transaction ends.
    pub(super) fn compose_in<'p>(
        &mut self,
        portal: &str,
        statement: &Arc<Statement>,
        parameters: impl IntoIterator<Item = Parameter<'p>>,
        max_rows: i32,
        answer: Expected,
    ) -> Result<(), WireError> {
        self.compose_in_formats(portal, (statement, &[]), parameters, max_rows, answer)
    }

    /// Composes a statement with the formats of the parameters; none means that all are texts.
    pub(super) fn compose_in_formats<'p>(
        &mut self,
        portal: &str,
        formatted: (&Arc<Statement>, &[i16]),
        parameters: impl IntoIterator<Item = Parameter<'p>>,
        max_rows: i32,
        answer: Expected,
    ) -> Result<(), WireError> {
        if self.state == State::Idle {
            self.state = State::Composing;
        }
        let (bytes, answers) = (self.out.len(), self.expected.len());
        let composed = self.compose_messages(portal, formatted, parameters, max_rows, answer);
        if composed.is_err() {
            self.rewind(bytes, answers);
        }
        composed
    }

    /// More rows of a portal, which was opened for a statement.
    pub(super) fn compose_fetch(
        &mut self,
        portal: &str,
        statement: &Statement,
        max_rows: i32,
    ) -> Result<(), WireError> {
        frontend::execute(portal, max_rows, &mut self.out).map_err(|error| unsendable(&error))?;
        self.expected.push(Expected::Execute(statement.result(max_rows)));
        Ok(())
    }

    pub(super) fn compose_close(&mut self, portal: &str) -> Result<(), WireError> {
        frontend::close(b'P', portal, &mut self.out).map_err(|error| unsendable(&error))?;
        self.expected.push(Expected::ClosePortal);
        Ok(())
    }

    /// Refuses answers of a round that are larger, from the next round on.
    pub fn allow(&mut self, bytes: usize) {
        self.receiver.allow(bytes);
    }

    fn compose_messages<'p>(
        &mut self,
        portal: &str,
        (statement, formats): (&Arc<Statement>, &[i16]),
        parameters: impl IntoIterator<Item = Parameter<'p>>,
        max_rows: i32,
        answer: Expected,
    ) -> Result<(), WireError> {
        let (out, held) = (&mut self.out, &mut self.out_held);
        make_room(out, held, statement.text().len())?;
        let is_named = self.config.pooler.keeps_statements() && !statement.is_unnamed();
        let found = match is_named {
            true => Some(self.prepared.find_or_add(statement)),
            false => None,
        };
        let name = match found {
            Some(Found::Prepared(text)) => text,
            Some(Found::New(text, name)) => {
                self.expected.push(Expected::Parse(name));
                parse(text, statement, out)?;
                text
            }
            None => {
                self.expected.push(Expected::ParseUnnamed);
                parse("", statement, out)?;
                ""
            }
        };
        let write_value = |parameter, out: &mut BytesMut| match parameter {
            Parameter::Null => Ok(postgres_protocol::IsNull::Yes),
            Parameter::Text(text) | Parameter::Binary(text) => {
                make_room(out, held, text.len())?;
                out.extend_from_slice(text);
                Ok(postgres_protocol::IsNull::No)
            }
        };
        // Text for results.
        let formats = formats.iter().copied();
        frontend::bind(portal, name, formats, parameters, write_value, [], out).map_err(
            |error| match error {
                frontend::BindError::Conversion(error) => {
                    match error.downcast::<BudgetExceeded>() {
                        Ok(error) => WireError::BudgetExceeded(*error),
                        Err(error) => WireError::Protocol(error.to_string()),
                    }
                }
                frontend::BindError::Serialization(error) => unsendable(&error),
            },
        )?;
        frontend::execute(portal, max_rows, out).map_err(|error| unsendable(&error))?;
        self.expected.extend([Expected::Bind, answer]);
        // Statements that were displaced, now or in a round that failed. Their last use, if it was
        // in this round, is in front of this message.
        while is_named && let Some(name) = self.prepared.next_to_close() {
            self.expected.push(Expected::Close(name));
            frontend::close(b'S', &name.to_string(), &mut self.out)
                .map_err(|error| unsendable(&error))?;
        }
        Ok(())
    }

    /// Frees the buffer of messages that were sent, unless it is small.
    pub(super) fn clear_sent(&mut self) {
        let Connection { out, out_held, written, .. } = self;
        *written = 0;
        out.clear();
        let capacity = out.capacity();
        if capacity > KEPT_CAPACITY || !out_held.keep(capacity as u64) {
            *out = BytesMut::new();
            *out_held = out_held.another();
        }
    }

    /// Removes messages that were not sent.
    pub(super) fn rewind(&mut self, bytes: usize, answers: usize) {
        self.out.truncate(bytes);
        self.prepared.forget_unanswered(self.expected.get(answers..).unwrap_or_default());
        self.expected.truncate(answers);
    }
}

impl PreparedStatements {
    /// Forgets the effects of messages that the server skips after an error, or that were not sent.
    pub(super) fn forget_unanswered(&mut self, unanswered: &[Expected]) {
        for expected in unanswered {
            match *expected {
                Expected::Parse(name) => self.forget(name),
                Expected::Close(name) => self.close_later(name),
                Expected::ParseUnnamed
                | Expected::ClosePortal
                | Expected::Bind
                | Expected::Execute(_)
                | Expected::Settings
                | Expected::Control(_)
                | Expected::Commit => {}
            }
        }
    }
}

/// Makes room for a part of a message, and for its header. The growth of the buffer is reserved
/// before it is allocated; while it grows, both buffers exist.
fn make_room(
    out: &mut BytesMut,
    held: &mut MemoryReservation,
    bytes: usize,
) -> Result<(), BudgetExceeded> {
    let more = bytes + HEADERS;
    let capacity = out.capacity();
    if more > capacity - out.len() {
        let after = (out.len() + more).max(capacity + growth(capacity));
        held.grow_to((capacity + after) as u64)?;
        let mut grown = BytesMut::with_capacity(after);
        grown.extend_from_slice(out);
        *out = grown;
        held.shrink_to(after as u64);
    }
    Ok(())
}

fn parse(name: &str, statement: &Statement, out: &mut BytesMut) -> Result<(), WireError> {
    let types = statement.parameter_types().iter().copied();
    frontend::parse(name, statement.text(), types, out).map_err(|error| unsendable(&error))
}

/// A text with a zero byte, too many parameters, a message beyond 2 GiB.
pub(super) fn unsendable(error: &std::io::Error) -> WireError {
    WireError::Protocol(["a statement cannot be sent: ", &error.to_string()].concat())
}
