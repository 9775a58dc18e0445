//! The transport of an HTTP/2 connection.

use std::cell::{Cell, RefCell, RefMut};
use std::io::{self, IoSlice};
use std::iter;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::overhead::Overhead;
use crate::http::monitored_transport::take_received;
use crate::http::timeouts::ConnectionState;
use crate::http::transport::Transport;

/// A GOAWAY frame with the error ENHANCE_YOUR_CALM, which leaves open how many streams were processed.
const CALM_DOWN: [u8; 17] =
    *b"\x00\x00\x08\x07\x00\x00\x00\x00\x00\x7f\xff\xff\xff\x00\x00\x00\x0b";

/// A transport that reports its reads and writes. The connection has it too, to close it: the HTTP
/// library does not return it.
#[derive(Clone, Debug)]
pub(super) struct SharedTransport(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    transport: RefCell<Transport>,
    /// Bytes that were read before the version of HTTP was known.
    received: RefCell<Vec<u8>>,
    state: Rc<ConnectionState>,
    overhead: Rc<Overhead>,
    /// Whether the client has closed its side.
    is_at_end: Cell<bool>,
    written: RefCell<WrittenFrames>,
}

/// The place in the written frames, of which a frame of the server's own can follow a whole one only.
#[derive(Debug, Default)]
struct WrittenFrames {
    /// The written part of the length of a frame.
    length: usize,
    /// The written bytes of the head of a frame.
    head: usize,
    /// The rest of its payload, which is not written yet.
    payload: usize,
}

/// Bytes of the head of a frame, of which the first ones are the length of the payload.
const HEAD: usize = 9;
const LENGTH: usize = 3;

impl WrittenFrames {
    fn is_whole(&self) -> bool {
        self.head == 0 && self.payload == 0
    }

    fn add(&mut self, mut bytes: &[u8]) {
        while let Some((first, rest)) = bytes.split_first() {
            if self.payload > 0 {
                let count = self.payload.min(bytes.len());
                self.payload -= count;
                bytes = &bytes[count..];
                continue;
            }
            if self.head < LENGTH {
                self.length = self.length << 8 | usize::from(*first);
            }
            self.head += 1;
            bytes = rest;
            if self.head == HEAD {
                *self = Self { payload: self.length, ..Self::default() };
            }
        }
    }
}

impl SharedTransport {
    pub(super) fn new(
        transport: Transport,
        received: Vec<u8>,
        state: Rc<ConnectionState>,
        overhead: &Rc<Overhead>,
    ) -> Self {
        Self(Rc::new(Shared {
            transport: RefCell::new(transport),
            received: RefCell::new(received),
            state,
            overhead: Rc::clone(overhead),
            is_at_end: Cell::new(false),
            written: RefCell::default(),
        }))
    }

    fn get(&self) -> RefMut<'_, Transport> {
        self.0.transport.borrow_mut()
    }

    /// The transport, once the HTTP library no longer has it.
    pub(super) fn into_inner(self) -> Option<Transport> {
        Some(Rc::into_inner(self.0)?.transport.into_inner())
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_at_end.get()
    }

    /// Tells the client that it floods the server, if all written frames are whole and there is room in
    /// the buffer of the system.
    pub(super) fn send_calm_down(&self) {
        if self.0.written.borrow().is_whole() {
            let mut context = Context::from_waker(std::task::Waker::noop());
            drop(Pin::new(&mut *self.get()).poll_write(&mut context, &CALM_DOWN));
        }
    }

    fn wrote<'p>(&self, parts: impl Iterator<Item = &'p [u8]>, result: &Poll<io::Result<usize>>) {
        let Shared { state, overhead, written, .. } = &*self.0;
        match result {
            Poll::Ready(Ok(count)) => {
                state.wrote(true);
                overhead.write(*count);
                let (mut written, mut rest) = (written.borrow_mut(), *count);
                for part in parts {
                    let part = &part[..part.len().min(rest)];
                    written.add(part);
                    rest -= part.len();
                }
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => state.wrote(false),
        }
    }
}

impl AsyncRead for SharedTransport {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let shared = &*self.0;
        if shared.overhead.excess().is_some() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let before = buffer.filled().len();
        let read = match take_received(&mut shared.received.borrow_mut(), buffer) {
            true => Poll::Ready(Ok(())),
            false => Pin::new(&mut *self.get()).poll_read(cx, buffer),
        };
        if let Poll::Ready(Ok(())) = &read {
            let count = buffer.filled().len() - before;
            shared.is_at_end.set(count == 0);
            shared.overhead.receive_body(shared.state.take_received());
            shared.overhead.receive(count);
        }
        read
    }
}

impl AsyncWrite for SharedTransport {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut *self.get()).poll_write(cx, bytes);
        self.wrote(iter::once(bytes), &written);
        written
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut *self.get()).poll_write_vectored(cx, parts);
        self.wrote(parts.iter().map(|part| &**part), &written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.get().is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut *self.get()).poll_flush(cx);
        match &flushed {
            Poll::Ready(Ok(())) => self.0.state.wrote(true),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.0.state.wrote(false),
        }
        flushed
    }

    /// Does nothing: the connection closes the transport itself.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_whole_after_the_last_byte_of_its_payload() {
        let mut written = WrittenFrames::default();
        // A SETTINGS frame without payload, and one of DATA with 300 bytes.
        let mut bytes = vec![0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 44, 0, 0, 0, 0, 0, 1];
        bytes.extend([7; 300]);
        let whole: Vec<usize> = (0..bytes.len())
            .filter(|place| {
                written.add(&bytes[*place..=*place]);
                written.is_whole()
            })
            .collect();
        assert_eq!(whole, [8, bytes.len() - 1]);
        written.add(&bytes);
        assert!(written.is_whole());
        written.add(&CALM_DOWN[..16]);
        assert!(!written.is_whole());
    }
}
