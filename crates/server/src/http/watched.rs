//! The bytes of a connection, seen on their way: they tell how far it is.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::progress::{Phase, Progress};
use super::transport::Transport;

#[derive(Debug)]
pub(super) struct Watched {
    pub(super) transport: Transport,
    progress: Rc<Progress>,
    /// The status by which the HTTP library refuses a head; the words are ours.
    pub(super) refusal: Option<[u8; 3]>,
    /// The client has sent all it wants to.
    pub(super) is_at_end: bool,
}

impl Watched {
    pub(super) fn new(transport: Transport, progress: Rc<Progress>) -> Self {
        Self { transport, progress, refusal: None, is_at_end: false }
    }

    /// Before a request is handed over, the library writes nothing but refusals of its own.
    fn swallow(&mut self, bytes: &[u8]) -> bool {
        let is_refusal = match self.progress.phase() {
            Phase::New | Phase::Head | Phase::Idle => true,
            Phase::Working | Phase::Body | Phase::Answering => false,
        };
        if is_refusal && self.refusal.is_none() {
            let status = bytes.get(STATUS).and_then(|status| status.try_into().ok());
            self.refusal = Some(status.unwrap_or(*b"400"));
        }
        is_refusal
    }

    fn wrote(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(_)) => self.progress.wrote(true),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.progress.wrote(false),
        }
    }
}

/// Where the status is in `HTTP/1.1 400 Bad Request`.
const STATUS: std::ops::Range<usize> = 9..12;

impl AsyncRead for Watched {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.transport).poll_read(cx, buffer);
        if let Poll::Ready(Ok(())) = &read {
            match buffer.filled().len() > before {
                true if matches!(this.progress.phase(), Phase::New | Phase::Idle) => {
                    this.progress.enter(Phase::Head);
                }
                true => {}
                false => this.is_at_end = true,
            }
        }
        read
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.swallow(bytes) {
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
        if this.swallow(parts.first().map_or(&[], |part| part)) {
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
                this.progress.wrote(true);
                if this.progress.phase() == Phase::Answering {
                    this.progress.enter(Phase::Idle);
                }
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => this.progress.wrote(false),
        }
        flushed
    }

    /// The connection says its last words itself.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
