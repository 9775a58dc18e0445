//! The bytes received in one round, kept in one buffer.
//!
//! All messages of a round stay in the buffer that received them until the results that point into
//! them are dropped: rows are neither copied nor allocated one by one. The receivers of the
//! protocols cut messages.

use std::io;
use std::ops::Deref;
use std::sync::Arc;

use bytes::BufMut;
use response::memory::growth;
use response::{BudgetExceeded, MemoryReservation};
use tokio::io::AsyncReadExt;

use super::socket::Socket;

/// A buffer that grew beyond this for one large answer is given back to the system.
const KEPT_CAPACITY: usize = 1 << 20;
/// Most bytes of one read. PostgreSQL sends 8 KiB at a time; more arrives when we are slow. A bound
/// matters, because a TLS stream clears the space that it is offered before it fills it.
const READ_SIZE: usize = 64 << 10;
/// The least space offered to a read.
const LEAST_SPACE: usize = 16 << 10;
/// Buffers that a connection keeps: one for the round that runs, others for results of earlier
/// rounds of the same pipeline.
const KEPT_BUFFERS: usize = 4;

/// Bytes received in one round, with their memory reservation.
#[derive(Debug, Default)]
pub struct Received {
    bytes: Vec<u8>,
    held: MemoryReservation,
    /// Whether the buffer is freed with the results that point into it: retained buffers hold
    /// enough memory already.
    is_given_up: bool,
}

/// The buffer of the round that runs, and those of earlier ones.
#[derive(Debug)]
pub struct Buffers {
    current: Arc<Received>,
    /// Buffers of earlier rounds, to be used again once no result holds them.
    earlier: Vec<Arc<Received>>,
    limit: usize,
    /// Memory reserved at present.
    allowed: usize,
    /// The memory reservation of the buffers; empty at first.
    held: MemoryReservation,
}

/// Errors of receiving.
#[derive(Debug)]
pub enum ReceiveError {
    Io(io::Error),
    TooLarge {
        limit: usize,
    },
    BudgetExceeded(BudgetExceeded),
    /// Results have their share of the round already, and the next was not started.
    Finished,
}

impl Buffers {
    pub fn new(limit: usize, held: MemoryReservation) -> Buffers {
        // Results index the buffer with 32 bits.
        let limit = limit.min(u32::MAX as usize);
        Buffers { current: Arc::default(), earlier: Vec::new(), limit, allowed: limit, held }
    }

    /// Refuses larger answers, up to the usual limit.
    pub fn allow(&mut self, bytes: usize) {
        self.allowed = bytes.min(self.limit);
    }

    /// The bytes received since the round was started.
    pub fn current(&self) -> &Arc<Received> {
        &self.current
    }

    /// The bytes received since the round was started, to be changed in place.
    pub fn current_mut(&mut self) -> Result<&mut [u8], ReceiveError> {
        match Arc::get_mut(&mut self.current) {
            Some(received) => Ok(&mut received.bytes),
            None => Err(ReceiveError::Finished),
        }
    }

    /// Makes room for a new round. Bytes that belong to no round yet, which are those from `read`
    /// on, are kept, and come first.
    pub fn start_round(&mut self, read: usize) {
        if let Some(Received { bytes, held, .. }) = Arc::get_mut(&mut self.current) {
            bytes.drain(..read.min(bytes.len()));
            if bytes.capacity() > KEPT_CAPACITY || !held.keep(bytes.capacity() as u64) {
                bytes.shrink_to(LEAST_SPACE);
            }
            if bytes.is_empty() {
                self.take_largest();
            }
        } else {
            let rest = self.current.get(read..).unwrap_or_default().to_vec();
            let mut buffer = self.take_free_buffer();
            if let Some(Received { bytes, held, .. }) = Arc::get_mut(&mut buffer) {
                bytes.clear();
                bytes.extend_from_slice(&rest);
                if !held.keep(bytes.capacity() as u64) {
                    bytes.shrink_to(LEAST_SPACE);
                }
            }
            let earlier = std::mem::replace(&mut self.current, buffer);
            if self.earlier.len() < KEPT_BUFFERS
                && earlier.bytes.capacity() <= KEPT_CAPACITY
                && !earlier.is_given_up
            {
                self.earlier.push(earlier);
            }
        }
    }

    /// Frees a large buffer with the results that point into it: an idle connection holds no
    /// answer. Returns whether it did; then unread bytes come first.
    pub fn end_round(&mut self, read: usize) -> bool {
        let is_large = self.current.bytes.capacity() > KEPT_CAPACITY || self.current.is_given_up;
        if is_large {
            let rest = self.current.get(read..).unwrap_or_default().to_vec();
            self.current = Arc::new(Received::from(rest));
        }
        is_large
    }

    /// The memory of the round, for the results that point into it: it is given back with them, while
    /// the buffer may be kept. None where it is too little to be counted.
    pub fn lend(&mut self) -> Option<Arc<MemoryReservation>> {
        let Received { bytes, held, is_given_up } = Arc::get_mut(&mut self.current)?;
        if held.bytes() == 0 {
            return None;
        }
        let mut lent = held.another();
        std::mem::swap(held, &mut lent);
        *is_given_up = bytes.capacity() > KEPT_CAPACITY || !held.keep(bytes.capacity() as u64);
        Some(Arc::new(lent))
    }

    /// Reads once. No bytes means that the peer has closed the stream.
    pub async fn read(&mut self, socket: &mut Socket) -> Result<usize, ReceiveError> {
        let buffer = self.space()?;
        socket.read_buf(&mut buffer.limit(READ_SIZE)).await.map_err(ReceiveError::Io)
    }

    fn space(&mut self) -> Result<&mut Vec<u8>, ReceiveError> {
        if self.current.len() >= self.allowed {
            return Err(ReceiveError::TooLarge { limit: self.allowed });
        }
        let Some(Received { bytes, held, .. }) = Arc::get_mut(&mut self.current) else {
            // Results take their share only at the end of a round, and `start_round` follows.
            return Err(ReceiveError::Finished);
        };
        if bytes.capacity() - bytes.len() < LEAST_SPACE {
            let more = LEAST_SPACE.max(growth(bytes.len()));
            if !held.is_counted() {
                *held = self.held.another();
            }
            held.reserve_growth(bytes, bytes.len() + more).map_err(ReceiveError::BudgetExceeded)?;
            bytes.reserve_exact(more);
            held.shrink_to(bytes.capacity() as u64);
        }
        Ok(bytes)
    }

    /// Takes the largest free buffer: the first round of a request receives the most, and would
    /// otherwise grow each of the buffers, one after the other.
    fn take_largest(&mut self) {
        let mut largest = self.current.bytes.capacity();
        for place in 0..self.earlier.len() {
            if let Some(Received { bytes, held, .. }) = Arc::get_mut(&mut self.earlier[place])
                && bytes.capacity() > largest
            {
                largest = bytes.capacity();
                bytes.clear();
                // It is taken at once: it stays as large as it is.
                held.keep(bytes.capacity() as u64);
                std::mem::swap(&mut self.current, &mut self.earlier[place]);
            }
        }
    }

    fn take_free_buffer(&mut self) -> Arc<Received> {
        let free = self.earlier.iter_mut().position(|buffer| Arc::get_mut(buffer).is_some());
        free.map_or_else(Arc::default, |index| self.earlier.swap_remove(index))
    }
}

impl Received {
    /// The shared memory reservation, for values made of these bytes.
    pub fn another_held(&self) -> MemoryReservation {
        self.held.another()
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
        Self { bytes, held: MemoryReservation::default(), is_given_up: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_begins_with_the_largest_buffer_that_is_free() {
        let mut buffers = Buffers::new(usize::MAX, MemoryReservation::default());
        buffers.current = Arc::new(Received::from(Vec::with_capacity(300_000)));
        let rows_of_the_first_round = Arc::clone(buffers.current());
        buffers.start_round(0);
        assert!(buffers.current.bytes.capacity() < 300_000);
        // Buffers with readers stay in place.
        buffers.start_round(0);
        assert!(buffers.current.bytes.capacity() < 300_000);
        drop(rows_of_the_first_round);
        buffers.start_round(0);
        assert_eq!(buffers.current.bytes.capacity(), 300_000);
    }

    #[test]
    fn what_belongs_to_no_round_yet_comes_first_in_the_next() {
        let mut buffers = Buffers::new(usize::MAX, MemoryReservation::default());
        buffers.current = Arc::new(Received::from(b"read and not".to_vec()));
        buffers.start_round(5);
        assert_eq!(&***buffers.current(), b"and not");
        let results = Arc::clone(buffers.current());
        assert!(matches!(buffers.current_mut(), Err(ReceiveError::Finished)));
        buffers.start_round(4);
        assert_eq!((&**results, &***buffers.current()), (&b"and not"[..], &b"not"[..]));
        assert!(!buffers.end_round(0));
    }
}
