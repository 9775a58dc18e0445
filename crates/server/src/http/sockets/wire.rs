//! The frames of a WebSocket, in both directions at the same time.
//!
//! What the client does not read stays in memory, so its messages are read only while there is little
//! of that.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{Sink, Stream};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

use super::close_code::CloseCode;
use crate::http::monitored_transport::MonitoredTransport;

/// The buffer for reading of each socket.
const READ_BUFFER: usize = 4 * 1024;

/// Unread bytes for the client up to which its messages are read.
const MOST_UNREAD: usize = 64 * 1024;

/// Bytes of a frame beside its payload, at most.
const FRAME_HEADER: usize = 14;

/// Time for the client to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(in crate::http) struct Wire {
    stream: WebSocketStream<MonitoredTransport>,
    /// Bytes that were queued since the last time when all of them were written.
    unread: usize,
    /// The results among them, whose memory is reserved.
    held: Vec<Bytes>,
}

/// A step in one of the directions.
#[derive(Debug)]
pub(super) enum Step {
    /// All queued frames were written.
    Flushed,
    Text(Utf8Bytes),
    Pong,
    /// A frame that needs nothing of its reader.
    Ignored,
    /// The client sent what it may not send.
    Violation(CloseCode),
    /// The connection has ended.
    Ended,
}

impl Wire {
    /// A WebSocket whose client has sent some bytes already.
    pub(in crate::http) async fn new(
        transport: MonitoredTransport,
        received: &[u8],
        most_message_bytes: usize,
    ) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(0)
            .max_message_size(Some(most_message_bytes))
            .max_frame_size(Some(most_message_bytes));
        let stream = WebSocketStream::from_partially_read(
            transport,
            received.to_vec(),
            Role::Server,
            Some(config),
        );
        Self { stream: stream.await, unread: 0, held: Vec::new() }
    }

    pub(in crate::http) fn into_transport(self) -> MonitoredTransport {
        self.stream.into_inner()
    }

    /// Whether everything that was queued is written.
    pub(super) fn is_flushed(&self) -> bool {
        self.unread == 0
    }

    /// Queues a text message.
    pub(super) fn queue(&mut self, text: Vec<u8>) {
        // A frame made from bytes is not searched for invalid UTF-8; JSON that was written has none.
        let frame = Frame::message(Bytes::from(text), OpCode::Data(Data::Text), true);
        self.send(frame.payload().len(), Message::Frame(frame));
    }

    /// Keeps the memory reservation of a queued result until it is written.
    pub(super) fn hold(&mut self, result: Bytes) {
        self.held.push(result);
    }

    pub(super) fn queue_ping(&mut self) {
        self.send(0, Message::Ping(Bytes::new()));
    }

    fn send(&mut self, length: usize, message: Message) {
        self.unread += length + FRAME_HEADER;
        // An error occurs again when the rest is flushed.
        if let Err(error) = Pin::new(&mut self.stream).start_send(message) {
            tracing::debug!(%error, "a message of a socket is not sent");
        }
    }

    /// Waits for the next step.
    pub(super) async fn step(&mut self) -> Step {
        poll_fn(|context| self.poll_step(context)).await
    }

    fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<Step> {
        if !self.is_flushed() {
            match Pin::new(&mut self.stream).poll_flush(context) {
                Poll::Ready(Ok(())) => {
                    self.unread = 0;
                    self.held = Vec::new();
                    return Poll::Ready(Step::Flushed);
                }
                Poll::Ready(Err(_)) => return Poll::Ready(Step::Ended),
                Poll::Pending => {}
            }
        }
        if self.unread > MOST_UNREAD {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_next(context).map(|received| match received {
            Some(Ok(message)) => self.received(message),
            Some(Err(error)) => violation(&error).map_or(Step::Ended, Step::Violation),
            None => Step::Ended,
        })
    }

    fn received(&mut self, message: Message) -> Step {
        match message {
            Message::Text(text) => Step::Text(text),
            Message::Binary(_) => {
                Step::Violation(CloseCode::Invalid("A message must be text.".into()))
            }
            Message::Ping(payload) => {
                // Its answer is queued by the library.
                self.unread += payload.len() + FRAME_HEADER;
                Step::Ignored
            }
            Message::Pong(_) => Step::Pong,
            // The answer is queued; the stream then ends.
            Message::Close(_) | Message::Frame(_) => Step::Ignored,
        }
    }

    /// Sends a close frame, and waits for a moment for the client's.
    pub(super) async fn close(&mut self, code: &CloseCode) {
        let closed = Pin::new(&mut self.stream).start_send(Message::Close(Some(code.frame())));
        if closed.is_err() {
            return;
        }
        let answered = poll_fn(|context| {
            // After an error of a client's frame there is nothing to read, but still something to write.
            match Pin::new(&mut self.stream).poll_flush(context) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
            while let Poll::Ready(received) = Pin::new(&mut self.stream).poll_next(context) {
                if !matches!(received, Some(Ok(_))) {
                    return Poll::Ready(());
                }
            }
            Poll::Pending
        });
        drop(timeout(CLOSE_TIMEOUT, answered).await);
    }
}

/// The code with which the socket is closed after an error; none if the connection is lost.
fn violation(error: &Error) -> Option<CloseCode> {
    match error {
        Error::Capacity(_) => Some(CloseCode::TooLarge),
        Error::Utf8(_) => Some(CloseCode::NotUtf8),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        Error::Protocol(_) => Some(CloseCode::Protocol),
        _ => None,
    }
}
