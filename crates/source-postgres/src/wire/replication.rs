//! A session in replication mode: commands, and the stream of logical replication.
//! <https://www.postgresql.org/docs/current/protocol-replication.html>

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::{DataRowBody, Message};
use postgres_protocol::message::frontend;
use tokio::io::AsyncWriteExt;
use tokio::time::{Duration, Instant, timeout_at};

use super::config::Config;
use super::error::{DatabaseError, WireError};
use super::message;
use super::startup::{self, Conversation, Mode};

/// The first message of a stream that both sides write.
const COPY_BOTH: u8 = b'W';
const COPY_DATA: u8 = b'd';
const COPY_DONE: u8 = b'c';
const ERROR: u8 = b'E';
const NOTICE: u8 = b'N';
const PARAMETER_STATUS: u8 = b'S';

/// Interval of status updates, shorter than the server's default timeout of a minute: the server
/// frees its log up to the confirmed position. It answers each of them.
const STATUS_INTERVAL: Duration = Duration::from_secs(10);

/// Time without a message of the server after which the connection is lost.
const SILENCE: Duration = Duration::from_secs(30);

/// PostgreSQL counts microseconds since 2000-01-01, in seconds of Unix.
const EPOCH: u64 = 946_684_800;

/// A session in replication mode.
#[derive(Debug)]
pub struct Replication {
    conversation: Conversation,
    /// The position up to which changes were received.
    received: u64,
    /// Messages that are not written yet.
    unsent: BytesMut,
    confirmed: Instant,
    /// The time of the last message of the server.
    heard: Instant,
}

impl Replication {
    pub async fn connect(config: &Config) -> Result<Self, WireError> {
        let session = startup::try_endpoints(config, |socket, origin| async move {
            startup::start(config, socket, origin, Mode::Replication).await
        })
        .await?;
        let conversation = Conversation { socket: session.socket, receiver: session.receiver };
        let (unsent, now) = (BytesMut::new(), Instant::now());
        Ok(Self { conversation, received: 0, unsent, confirmed: now, heard: now })
    }

    /// Runs a command or a statement by the simple protocol. Returns the first row, if there is one.
    pub async fn run(&mut self, command: &str) -> Result<Vec<Option<String>>, WireError> {
        self.send(command).await?;
        let mut first = None;
        loop {
            match self.conversation.read().await? {
                Message::DataRow(row) if first.is_none() => first = Some(values(&row)?),
                Message::ReadyForQuery(_) => break,
                _ => {}
            }
        }
        self.conversation.receiver.start_round();
        Ok(first.unwrap_or_default())
    }

    /// Starts the stream.
    pub async fn start(&mut self, command: &str) -> Result<(), WireError> {
        self.send(command).await?;
        loop {
            while let Some(frame) = self.conversation.receiver.next_frame()? {
                match frame.tag {
                    COPY_BOTH => {
                        (self.confirmed, self.heard) = (Instant::now(), Instant::now());
                        return Ok(());
                    }
                    ERROR => {
                        let whole = self.conversation.receiver.whole(frame);
                        return Err(failed(message::parse_error(whole)?));
                    }
                    _ => {}
                }
            }
            self.read().await?;
        }
    }

    /// The next messages of the stream, those of one or more reads. Cancel safe: nothing is lost
    /// between two calls.
    pub async fn next(&mut self) -> Result<Vec<Bytes>, WireError> {
        loop {
            let messages = self.received_messages()?;
            self.conversation.receiver.start_round();
            if self.confirmed.elapsed() >= STATUS_INTERVAL {
                self.confirm();
            }
            while self.unsent.has_remaining() {
                self.conversation.socket.write_buf(&mut self.unsent).await?;
            }
            self.conversation.socket.flush().await?;
            if !messages.is_empty() {
                return Ok(messages);
            }
            // The future may be dropped before the interval ends: the next one continues it.
            match timeout_at(self.confirmed + STATUS_INTERVAL, self.read()).await {
                Ok(read) => {
                    read?;
                    self.heard = Instant::now();
                }
                Err(_) if self.heard.elapsed() > SILENCE => {
                    return Err(silent());
                }
                Err(_) => {}
            }
        }
    }

    fn received_messages(&mut self) -> Result<Vec<Bytes>, WireError> {
        let mut messages = Vec::new();
        let mut wants_status = false;
        while let Some(frame) = self.conversation.receiver.next_frame()? {
            match frame.tag {
                COPY_DATA => {
                    let mut body = self.conversation.receiver.body(frame);
                    match body.try_get_u8() {
                        // The position of the message, that of the server, and its time.
                        Ok(b'w') if body.len() >= 24 => {
                            let start = body.get_u64();
                            body.advance(16);
                            self.received = self.received.max(start);
                            messages.push(Bytes::copy_from_slice(body));
                        }
                        // The position of the server, its time, and whether it wants an answer.
                        Ok(b'k') if body.len() >= 17 => {
                            // All changes before this position were sent.
                            self.received = self.received.max(body.get_u64());
                            body.advance(8);
                            wants_status |= body.get_u8() == 1;
                        }
                        _ => return Err(unexpected()),
                    }
                }
                ERROR => {
                    let whole = self.conversation.receiver.whole(frame);
                    return Err(failed(message::parse_error(whole)?));
                }
                COPY_DONE => return Err(WireError::Closed { reason: None }),
                NOTICE | PARAMETER_STATUS => {}
                _ => return Err(unexpected()),
            }
        }
        if wants_status {
            self.confirm();
        }
        Ok(messages)
    }

    /// Composes a status update: all that was received needs not be sent again.
    fn confirm(&mut self) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = since.saturating_sub(Duration::from_secs(EPOCH)).as_micros();
        self.unsent.put_u8(COPY_DATA);
        // The length, which counts itself.
        self.unsent.put_u32(4 + 1 + 3 * 8 + 8 + 1);
        self.unsent.put_u8(b'r');
        // Written, flushed and applied.
        (0..3).for_each(|_| self.unsent.put_u64(self.received));
        self.unsent.put_i64(i64::try_from(now).unwrap_or_default());
        // An answer is wanted, which shows that the connection lives.
        self.unsent.put_u8(1);
        self.confirmed = Instant::now();
    }

    async fn send(&mut self, command: &str) -> Result<(), WireError> {
        let mut message = BytesMut::new();
        frontend::query(command, &mut message)
            .map_err(|error| WireError::Configuration(error.to_string()))?;
        self.conversation.write(&message).await
    }

    async fn read(&mut self) -> Result<(), WireError> {
        let Conversation { socket, receiver } = &mut self.conversation;
        match receiver.read(socket).await? {
            0 => Err(WireError::Closed { reason: None }),
            _ => Ok(()),
        }
    }
}

fn values(row: &DataRowBody) -> Result<Vec<Option<String>>, WireError> {
    let buffer = row.buffer();
    let value = |range: Option<std::ops::Range<usize>>| {
        let text = range.and_then(|range| buffer.get(range));
        Ok(text.map(|text| String::from_utf8_lossy(text).into_owned()))
    };
    row.ranges().map(value).collect().map_err(|error| WireError::Protocol(error.to_string()))
}

fn failed(error: DatabaseError) -> WireError {
    WireError::Database { error: Box::new(error), execution: None }
}

fn silent() -> WireError {
    let reason = "the server sends nothing during replication";
    WireError::Io(io::Error::new(io::ErrorKind::TimedOut, reason))
}

fn unexpected() -> WireError {
    WireError::Protocol("the server sent an unexpected message during replication".to_owned())
}
