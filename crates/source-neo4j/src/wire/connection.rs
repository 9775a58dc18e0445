//! A session with a server, and the state that its messages leave it in.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use source::wire::socket::Socket;
use tokio::io::AsyncWriteExt;

use super::batch::Batch;
use super::config::{Config, Endpoint};
use super::error::WireError;
use super::handshake::Protocol;
use super::message::Request;
use super::outbox::Outbox;
use super::pack::Pack;
use super::receive::Receiver;
use super::startup::{self, Greeting, Session};
use super::version::ServerVersion;

/// A session with a Neo4j server, for one task at a time.
#[derive(Debug)]
pub struct Connection {
    pub(super) socket: Socket,
    pub(super) receiver: Receiver,
    /// The messages of the exchange that is being composed or sent.
    pub(super) out: Outbox,
    /// Expected answers, in order.
    pub(super) expected: VecDeque<Expected>,
    pub(super) state: State,
    /// The server's state: open transactions and results.
    pub(super) open: Open,
    /// The bookmark of the last writing transaction.
    pub(super) bookmark: Option<Box<str>>,
    /// Whether the server failed at the end of a transaction that may be committed nevertheless.
    pub(super) is_in_doubt: bool,
    pub(super) database: Option<Arc<str>>,
    pub(super) greeting: Greeting,
    endpoint: Arc<Endpoint>,
    protocol: Protocol,
}

/// An answer that a message must get, unless one before it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Begin,
    /// The header of records.
    Run,
    /// Records, and their end; `commits` where that also ends a transaction that writes.
    Pull {
        commits: bool,
    },
    Discard {
        commits: bool,
    },
    Commit {
        writes: bool,
    },
    Rollback,
    Route,
    Reset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    /// Messages are written to the buffer; nothing was sent since the session was idle.
    Composing,
    /// A sent message has an incomplete answer.
    Sent,
    /// The stream is of no use any more.
    Broken,
}

/// Open transactions and results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) transaction: bool,
    /// Records that were not pulled.
    pub(super) records: bool,
    /// Whether the transaction, or the auto-commit statement, is a writing one.
    pub(super) writes: bool,
    /// Whether the last statement is its own transaction (auto-commit).
    pub(super) alone: bool,
}

impl Connection {
    /// Connects to the first address of a server that answers.
    pub async fn connect(
        config: &Config,
        endpoint: &Arc<Endpoint>,
    ) -> Result<Connection, WireError> {
        let Session { socket, receiver, protocol, greeting } =
            startup::start(config, endpoint).await?;
        Ok(Connection {
            socket,
            receiver,
            out: Outbox::default(),
            expected: VecDeque::new(),
            state: State::Idle,
            open: Open::default(),
            bookmark: None,
            is_in_doubt: false,
            database: config.database.clone(),
            greeting,
            endpoint: Arc::clone(endpoint),
            protocol,
        })
    }

    /// Messages that are sent together. Those that were composed and never sent are forgotten.
    pub fn batch(&mut self) -> Batch<'_> {
        self.forget_composed();
        self.is_in_doubt = false;
        Batch::new(self)
    }

    /// Whether nothing is unanswered or open. If not, as when a future was dropped half-way, the
    /// connection can be [`Connection::reset`], or must be closed.
    pub fn is_clean(&self) -> bool {
        match self.state {
            State::Idle | State::Composing => !self.open.transaction && !self.open.records,
            State::Sent | State::Broken => false,
        }
    }

    /// Checks without waiting whether the server has closed the connection, and reads its
    /// keep-alive messages. A closed connection must be given up.
    pub fn is_open(&mut self) -> bool {
        let is_open = self.is_clean() && self.hears_nothing_bad();
        if !is_open {
            self.state = State::Broken;
        }
        is_open
    }

    /// Cancels running and open statements, discards unread answers, and makes the connection clean
    /// again: one round trip, which is also the check of an idle connection.
    pub async fn reset(&mut self) -> Result<(), WireError> {
        self.forget_composed();
        // The server does not execute half a message: an abandoned one is not completed, since it
        // may contain a COMMIT.
        if self.state == State::Sent && !self.out.unsent().is_empty() {
            self.state = State::Broken;
        }
        if self.state == State::Broken {
            return Err(WireError::Closed);
        }
        self.state = State::Sent;
        self.add(Request::Reset, 0, |_| {})?;
        self.expected.push_back(Expected::Reset);
        let read = match self.send().await {
            Ok(()) => self.read_away().await,
            Err(error) => Err(error),
        };
        if read.is_err() {
            self.state = State::Broken;
        }
        read
    }

    /// Sends GOODBYE without waiting. Dropping a connection closes it as well.
    pub async fn close(mut self) {
        let told = async {
            if self.is_clean() {
                self.add(Request::Goodbye, 0, |_| {})?;
                self.send().await?;
            }
            Ok::<_, WireError>(self.socket.shutdown().await?)
        };
        if let Err(error) = told.await {
            tracing::debug!(%error, "a connection did not end as it should");
        }
    }

    /// Refuses answers that are larger, from the next exchange on.
    pub fn allow(&mut self, bytes: usize) {
        self.receiver.allow(bytes);
    }

    /// Whether a writing transaction was to be committed, and the server never confirmed it, or
    /// failed meanwhile. To be read before a [`Connection::reset`].
    pub fn outcome_is_unknown(&self) -> bool {
        if self.is_in_doubt {
            return true;
        }
        let commits = self.expected.iter().any(|expected| expected.commits());
        match self.state {
            State::Sent | State::Broken => commits,
            State::Idle | State::Composing => false,
        }
    }

    /// Takes the bookmark of the last writing transaction.
    pub fn take_bookmark(&mut self) -> Option<Box<str>> {
        self.bookmark.take()
    }

    /// The server's address.
    pub fn endpoint(&self) -> &Arc<Endpoint> {
        &self.endpoint
    }

    pub fn server_version(&self) -> ServerVersion {
        self.greeting.version
    }

    /// The server's agent, `Neo4j/5.26.0`.
    pub fn server_agent(&self) -> &str {
        &self.greeting.agent
    }

    /// The connection's id in the server's own log, `bolt-17`.
    pub fn id(&self) -> &str {
        &self.greeting.connection_id
    }

    /// The version of Bolt: major, minor.
    pub fn protocol(&self) -> (u8, u8) {
        (self.protocol.major, self.protocol.minor)
    }

    /// Whether the stream is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.socket.is_encrypted()
    }

    /// Adds a message whose fields cannot fail to be written.
    pub(super) fn add(
        &mut self,
        request: Request,
        fields: u8,
        write: impl FnOnce(&mut Pack),
    ) -> Result<(), WireError> {
        self.out.add(request, fields, |pack| {
            write(pack);
            Ok(())
        })
    }

    fn forget_composed(&mut self) {
        if self.state == State::Composing {
            self.out.truncate(0);
            self.expected.clear();
            self.state = State::Idle;
        }
    }

    fn hears_nothing_bad(&mut self) -> bool {
        self.receiver.start_round();
        // No task waits for this check.
        let mut context = Context::from_waker(Waker::noop());
        loop {
            match self.receiver.poll_read(&mut self.socket, &mut context) {
                Poll::Pending => return true,
                Poll::Ready(Ok(0) | Err(_)) => return false,
                // Without a request the server sends only keep-alive messages, and its reason for
                // closing.
                Poll::Ready(Ok(_)) => match self.receiver.next_message() {
                    Ok(None) => {}
                    Ok(Some(_)) | Err(_) => return false,
                },
            }
        }
    }
}
