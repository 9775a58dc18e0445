//! The frames of a WebSocket, in both directions at the same time.
//!
//! What the client does not read stays in memory, so its messages are read only while there is little
//! of that. A long message is sent in fragments: the buffer of the library, which keeps its size and
//! moves its rest with each write, stays small.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Sink, Stream};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use super::close_code::CloseCode;
use crate::http::monitored_transport::MonitoredTransport;

/// The buffer for reading of each socket.
const READ_BUFFER: usize = 4 * 1024;

/// Unread bytes for the client up to which its messages are read.
const MOST_UNREAD: usize = 64 * 1024;

/// The length of a fragment.
const FRAGMENT: usize = 16 * 1024;

/// Bytes of a frame beside its payload, at most.
const FRAME_HEADER: usize = 14;

/// Time for the client to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(in crate::http) struct Wire {
    stream: WebSocketStream<MonitoredTransport>,
    /// Messages that are still to be sent; of the first, some fragments may have been.
    queue: VecDeque<Outgoing>,
    /// Bytes that were queued since the last time when all of them were written.
    unread: usize,
}

/// The rest of a message.
#[derive(Debug)]
struct Outgoing {
    /// The parts of its text.
    parts: [Bytes; 3],
    /// Whether the first fragment was sent.
    is_begun: bool,
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
        received: Vec<u8>,
        most_message_bytes: usize,
    ) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(0)
            .max_message_size(Some(most_message_bytes))
            .max_frame_size(Some(most_message_bytes));
        let stream =
            WebSocketStream::from_partially_read(transport, received, Role::Server, Some(config));
        Self { stream: stream.await, queue: VecDeque::new(), unread: 0 }
    }

    pub(in crate::http) fn into_transport(self) -> MonitoredTransport {
        self.stream.into_inner()
    }

    /// Whether everything that was queued is written.
    pub(super) fn is_flushed(&self) -> bool {
        self.unread == 0
    }

    /// Queues a text message, whose parts follow each other without being copied together.
    pub(super) fn queue(&mut self, parts: [Bytes; 3]) {
        self.unread += parts.iter().map(Bytes::len).sum::<usize>() + FRAME_HEADER;
        let is_first = self.queue.is_empty();
        self.queue.push_back(Outgoing { parts, is_begun: false });
        if is_first {
            self.send_fragment();
        }
    }

    /// Sends a ping, between the fragments of other messages.
    pub(super) fn ping(&mut self) {
        self.unread += FRAME_HEADER;
        self.send(Message::Ping(Bytes::new()));
    }

    /// Sends the next fragment of the first message.
    fn send_fragment(&mut self) {
        let Some(outgoing) = self.queue.front_mut() else { return };
        let (frame, is_last) = outgoing.fragment();
        if is_last {
            self.queue.pop_front();
        }
        self.send(Message::Frame(frame));
    }

    fn send(&mut self, message: Message) {
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
            match self.poll_flush(context) {
                Poll::Ready(true) => return Poll::Ready(Step::Flushed),
                Poll::Ready(false) => return Poll::Ready(Step::Ended),
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

    /// Writes everything that is queued; false if the connection is lost.
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        loop {
            if ready!(Pin::new(&mut self.stream).poll_flush(context)).is_err() {
                return Poll::Ready(false);
            }
            if self.queue.is_empty() {
                self.unread = 0;
                return Poll::Ready(true);
            }
            self.send_fragment();
        }
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

    /// Sends a close frame behind everything that is queued, and waits for a moment for the client's.
    pub(super) async fn close(&mut self, code: &CloseCode) {
        drop(timeout(CLOSE_TIMEOUT, poll_fn(|context| self.poll_flush(context))).await);
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

impl Outgoing {
    /// Takes the next fragment; true if it is the last one.
    fn fragment(&mut self) -> (Frame, bool) {
        let opcode = match std::mem::replace(&mut self.is_begun, true) {
            true => Data::Continue,
            false => Data::Text,
        };
        let length = self.parts.iter().map(Bytes::len).sum::<usize>().min(FRAGMENT);
        let mut payload = BytesMut::with_capacity(length);
        for part in &mut self.parts {
            let taken = part.len().min(length - payload.len());
            payload.extend_from_slice(&part.split_to(taken));
        }
        let is_last = self.parts.iter().all(Bytes::is_empty);
        // A frame is not searched for invalid UTF-8: JSON that was written has none.
        (Frame::message(payload, OpCode::Data(opcode), is_last), is_last)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(parts: [&str; 3], lengths: &[usize]) {
        let text = parts.concat();
        let parts = parts.map(|part| Bytes::copy_from_slice(part.as_bytes()));
        let mut outgoing = Outgoing { parts, is_begun: false };
        let (mut received, mut found) = (Vec::new(), Vec::new());
        loop {
            let (frame, is_last) = outgoing.fragment();
            let opcode = if found.is_empty() { Data::Text } else { Data::Continue };
            assert_eq!(frame.header().opcode, OpCode::Data(opcode));
            assert_eq!(frame.header().is_final, is_last);
            received.extend_from_slice(frame.payload());
            found.push(frame.payload().len());
            if is_last {
                break;
            }
        }
        assert_eq!((received == text.as_bytes(), found.as_slice()), (true, lengths));
    }

    #[test]
    fn a_long_message_has_fragments() {
        let long = "x".repeat(FRAGMENT);
        check(["a", "b", "c"], &[3]);
        check(["", "", ""], &[0]);
        check(["", &long, ""], &[FRAGMENT]);
        check(["a", &long, "c"], &[FRAGMENT, 2]);
        check([&long, &long, "c"], &[FRAGMENT, FRAGMENT, 1]);
    }
}
