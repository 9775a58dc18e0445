//! The bytes received in one round, cut into messages.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use response::MemoryReservation;
use source::wire::buffers::{Buffers, Received};
use source::wire::socket::Socket;

use super::error::WireError;

/// A message: its type byte, and where its body lies in the buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) tag: u8,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Debug)]
pub(super) struct Receiver {
    buffers: Buffers,
    /// The position of the next message.
    position: usize,
}

impl Receiver {
    pub(super) fn new(limit: usize, held: MemoryReservation) -> Receiver {
        Receiver { buffers: Buffers::new(limit, held), position: 0 }
    }

    /// Refuses larger answers, up to the usual limit.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.buffers.allow(bytes);
    }

    /// Makes room for a new round. Bytes that belong to no round yet are kept.
    pub(super) fn start_round(&mut self) {
        self.buffers.start_round(self.position);
        self.position = 0;
    }

    /// Frees a large buffer with the results that point into it: an idle connection holds no
    /// answer.
    pub(super) fn end_round(&mut self) {
        if self.buffers.end_round(self.position) {
            self.position = 0;
        }
    }

    /// The memory of the round, for the results that point into it.
    pub(super) fn lend(&mut self) -> Option<Arc<MemoryReservation>> {
        self.buffers.lend()
    }

    /// The next message, if it has arrived as a whole.
    pub(super) fn next_frame(&mut self) -> Result<Option<Frame>, WireError> {
        let Some(rest) = self.bytes().get(self.position..) else { return Ok(None) };
        let Some((&[tag, a, b, c, d], body)) = rest.split_first_chunk::<5>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let Some(body_length) = length.checked_sub(4) else {
            return Err(WireError::Protocol("a message's length is below four".to_owned()));
        };
        if body.len() < body_length {
            return Ok(None);
        }
        let start = self.position + 5;
        let end = start + body_length;
        self.position = end;
        Ok(Some(Frame { tag, start, end }))
    }

    /// The position of the next message.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Cuts off messages again from an earlier position of the same round.
    pub(super) fn go_back(&mut self, position: usize) {
        self.position = position.min(self.position);
    }

    /// Takes the received bytes that are not part of a message yet.
    pub(super) fn take_rest(&mut self) -> Vec<u8> {
        let rest = self.bytes().get(self.position..).unwrap_or_default().to_vec();
        self.position += rest.len();
        rest
    }

    pub(super) fn bytes(&self) -> &Arc<Received> {
        self.buffers.current()
    }

    /// A message's body.
    pub(super) fn body(&self, frame: Frame) -> &[u8] {
        self.bytes().get(frame.start..frame.end).unwrap_or_default()
    }

    /// A message with its header, as `postgres_protocol` parses it.
    pub(super) fn whole(&self, frame: Frame) -> &[u8] {
        self.bytes().get(frame.start.saturating_sub(5)..frame.end).unwrap_or_default()
    }

    /// Reads once. No bytes means that the peer has closed the stream.
    pub(super) async fn read(&mut self, socket: &mut Socket) -> Result<usize, WireError> {
        Ok(self.buffers.read(socket).await?)
    }

    /// Reads for a task that waits for other events, too. Cancel safe: nothing is lost between two
    /// calls.
    pub(super) fn poll_read(
        &mut self,
        socket: &mut Socket,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize, WireError>> {
        pin!(self.read(socket)).poll(context)
    }
}
