//! The bytes received in one round, cut into messages.
//!
//! All messages of a round stay where they were received, in one buffer, until the results that
//! point into it are let go: rows are neither copied nor allocated one by one.

use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::BufMut;
use response::Held;
use response::memory::growth;
use tokio::io::AsyncReadExt;

use super::error::WireError;
use super::socket::Socket;

/// A buffer that grew beyond this for one large answer is given back to the system.
const KEPT_CAPACITY: usize = 1 << 20;
/// The most read at once. PostgreSQL sends 8 KiB at a time; more arrives when we are slow. A bound
/// matters, because a TLS stream clears what it is offered before it fills it.
const READ_SIZE: usize = 64 << 10;
/// The least space offered to a read.
const LEAST_SPACE: usize = 16 << 10;
/// Buffers that a connection keeps: one for the round that runs, others for results of earlier
/// rounds of the same pipeline.
const KEPT_BUFFERS: usize = 4;

/// How many times its own size a buffer takes with the indexes of the rows in it: where each value
/// begins, and which rows belong to which parent.
const WITH_INDEXES: usize = 2;

/// A message: its type byte, and where its body lies in the buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) tag: u8,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What was received in one round, with the memory that it holds.
#[derive(Debug, Default)]
pub(super) struct Received {
    bytes: Vec<u8>,
    held: Held,
}

#[derive(Debug)]
pub(super) struct Receiver {
    buffer: Arc<Received>,
    /// Where the next message starts.
    position: usize,
    /// Buffers of earlier rounds, to be used again once no result holds them.
    earlier: Vec<Arc<Received>>,
    limit: usize,
    /// What is allowed of it just now.
    allowed: usize,
    /// Nothing, of the memory that the buffers hold.
    held: Held,
}

impl Receiver {
    pub(super) fn new(limit: usize, held: Held) -> Receiver {
        // Results index the buffer with 32 bits.
        let limit = limit.min(u32::MAX as usize);
        Receiver {
            buffer: Arc::default(),
            position: 0,
            earlier: Vec::new(),
            limit,
            allowed: limit,
            held,
        }
    }

    /// Refuses larger answers, up to the usual limit.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.allowed = bytes.min(self.limit);
    }

    /// Makes room for a new round. Bytes that belong to no round yet are kept.
    pub(super) fn start_round(&mut self) {
        if let Some(Received { bytes, held }) = Arc::get_mut(&mut self.buffer) {
            bytes.drain(..self.position);
            if bytes.capacity() > KEPT_CAPACITY {
                bytes.shrink_to(LEAST_SPACE);
            }
            held.release();
            if bytes.is_empty() {
                self.take_largest();
            }
        } else {
            let rest = self.buffer.get(self.position..).unwrap_or_default().to_vec();
            let mut buffer = self.take_free_buffer();
            if let Some(Received { bytes, held }) = Arc::get_mut(&mut buffer) {
                bytes.clear();
                bytes.extend_from_slice(&rest);
                held.release();
            }
            let earlier = std::mem::replace(&mut self.buffer, buffer);
            if self.earlier.len() < KEPT_BUFFERS && earlier.bytes.capacity() <= KEPT_CAPACITY {
                self.earlier.push(earlier);
            }
        }
        self.position = 0;
    }

    /// Lets a large buffer go with the results that point into it: a connection that rests holds
    /// no answer.
    pub(super) fn end_round(&mut self) {
        if self.buffer.bytes.capacity() > KEPT_CAPACITY {
            let rest = self.buffer.get(self.position..).unwrap_or_default().to_vec();
            self.buffer = Arc::new(Received::from(rest));
            self.position = 0;
        }
    }

    /// The next message, if it has arrived as a whole.
    pub(super) fn next_frame(&mut self) -> Result<Option<Frame>, WireError> {
        let Some(rest) = self.buffer.get(self.position..) else { return Ok(None) };
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

    /// Where the next message starts.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Cuts off messages again from an earlier position of the same round.
    pub(super) fn go_back(&mut self, position: usize) {
        self.position = position.min(self.position);
    }

    pub(super) fn bytes(&self) -> &Arc<Received> {
        &self.buffer
    }

    /// A message's body.
    pub(super) fn body(&self, frame: Frame) -> &[u8] {
        self.buffer.get(frame.start..frame.end).unwrap_or_default()
    }

    /// A message with its header, as `postgres_protocol` parses it.
    pub(super) fn whole(&self, frame: Frame) -> &[u8] {
        self.buffer.get(frame.start.saturating_sub(5)..frame.end).unwrap_or_default()
    }

    /// Reads once. No bytes means that the peer has closed the stream.
    pub(super) async fn read(&mut self, socket: &mut Socket) -> Result<usize, WireError> {
        let buffer = self.space()?;
        Ok(socket.read_buf(&mut buffer.limit(READ_SIZE)).await?)
    }

    /// The same for who waits for something else too. Nothing is lost between two calls.
    pub(super) fn poll_read(
        &mut self,
        socket: &mut Socket,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize, WireError>> {
        pin!(self.read(socket)).poll(context)
    }

    fn space(&mut self) -> Result<&mut Vec<u8>, WireError> {
        if self.buffer.len() >= self.allowed {
            return Err(WireError::TooLarge { limit: self.allowed });
        }
        let Some(Received { bytes, held }) = Arc::get_mut(&mut self.buffer) else {
            // Results take their share only at the end of a round, and `start_round` follows.
            return Err(WireError::Protocol("a finished round was read again".to_owned()));
        };
        if bytes.capacity() - bytes.len() < LEAST_SPACE {
            let more = LEAST_SPACE.max(growth(bytes.len()));
            if held.bytes() == 0 {
                *held = self.held.another();
            }
            held.grow_to(((bytes.len() + more) * WITH_INDEXES) as u64)?;
            bytes.reserve_exact(more);
        }
        Ok(bytes)
    }

    /// Takes the largest buffer that is free: the first round of a request receives the most, and
    /// would else make each of the buffers as large, one after the other.
    fn take_largest(&mut self) {
        let mut largest = self.buffer.bytes.capacity();
        for place in 0..self.earlier.len() {
            if let Some(Received { bytes, held }) = Arc::get_mut(&mut self.earlier[place])
                && bytes.capacity() > largest
            {
                largest = bytes.capacity();
                bytes.clear();
                held.release();
                std::mem::swap(&mut self.buffer, &mut self.earlier[place]);
            }
        }
    }

    fn take_free_buffer(&mut self) -> Arc<Received> {
        let free = self.earlier.iter_mut().position(|buffer| Arc::get_mut(buffer).is_some());
        free.map_or_else(Arc::default, |index| self.earlier.swap_remove(index))
    }
}

impl Deref for Received {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<Vec<u8>> for Received {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, held: Held::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_begins_with_the_largest_buffer_that_is_free() {
        let mut receiver = Receiver::new(usize::MAX, Held::default());
        receiver.buffer = Arc::new(Received::from(Vec::with_capacity(300_000)));
        let rows_of_the_first_round = Arc::clone(receiver.bytes());
        receiver.start_round();
        assert!(receiver.buffer.bytes.capacity() < 300_000);
        // As long as somebody reads them, they stay where they are.
        receiver.start_round();
        assert!(receiver.buffer.bytes.capacity() < 300_000);
        drop(rows_of_the_first_round);
        receiver.start_round();
        assert_eq!(receiver.buffer.bytes.capacity(), 300_000);
    }
}
