//! A transport that reports its reads and writes to the state of its connection.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::timeouts::{ConnectionState, Phase};
use super::transport::Transport;

#[derive(Debug)]
pub(super) struct MonitoredTransport {
    pub(super) transport: Transport,
    /// Bytes that were read before the version of HTTP was known.
    received: Vec<u8>,
    state: Rc<ConnectionState>,
    /// The status of a refusal by the HTTP library, whose response is replaced.
    pub(super) refusal: Option<[u8; 3]>,
    /// Whether the client has closed its side.
    pub(super) is_at_end: bool,
}

impl MonitoredTransport {
    pub(super) fn new(transport: Transport, received: Vec<u8>, state: Rc<ConnectionState>) -> Self {
        Self { transport, received, state, refusal: None, is_at_end: false }
    }

    /// Discards a write before a request was handed over: the library's own refusals, which are
    /// replaced.
    fn discards(&mut self, bytes: &[u8]) -> bool {
        let is_refusal = match self.state.phase() {
            Phase::New | Phase::Head | Phase::Idle => true,
            Phase::Working | Phase::Body | Phase::Answering | Phase::Socket => false,
        };
        if is_refusal && self.refusal.is_none() {
            let status = bytes.get(STATUS).and_then(|status| status.try_into().ok());
            self.refusal = Some(status.unwrap_or(*b"400"));
        }
        is_refusal
    }

    fn wrote(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(_)) => self.state.wrote(true),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.state.wrote(false),
        }
    }
}

/// The place of the status in `HTTP/1.1 400 Bad Request`.
const STATUS: std::ops::Range<usize> = 9..12;

/// Reads what was received before, if there is any of it.
pub(super) fn take_received(received: &mut Vec<u8>, buffer: &mut ReadBuf<'_>) -> bool {
    if received.is_empty() {
        return false;
    }
    let count = received.len().min(buffer.remaining());
    buffer.put_slice(&received[..count]);
    received.drain(..count);
    if received.is_empty() {
        // Frees the memory.
        *received = Vec::new();
    }
    true
}

impl AsyncRead for MonitoredTransport {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = match take_received(&mut this.received, buffer) {
            true => Poll::Ready(Ok(())),
            false => Pin::new(&mut this.transport).poll_read(cx, buffer),
        };
        if let Poll::Ready(Ok(())) = &read {
            match buffer.filled().len() > before {
                true if matches!(this.state.phase(), Phase::New | Phase::Idle) => {
                    this.state.enter(Phase::Head);
                }
                true => {}
                false => this.is_at_end = true,
            }
        }
        read
    }
}

impl AsyncWrite for MonitoredTransport {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.discards(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut this.transport).poll_write(cx, bytes);
        this.wrote(&written);
        written
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.discards(parts.first().map_or(&[], |part| part)) {
            return Poll::Ready(Ok(parts.iter().map(|part| part.len()).sum()));
        }
        let written = Pin::new(&mut this.transport).poll_write_vectored(cx, parts);
        this.wrote(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.transport.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.transport).poll_flush(cx);
        match &flushed {
            Poll::Ready(Ok(())) => {
                this.state.wrote(true);
                if this.state.phase() == Phase::Answering {
                    this.state.enter(Phase::Idle);
                }
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => this.state.wrote(false),
        }
        flushed
    }

    /// Does nothing: the connection closes the transport itself, after its last response.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
