//! Streaming of long responses: the destination of the first pieces while the rest is being
//! written.

use std::fmt::Debug;

use crate::memory::MemoryReservation;

/// A piece of a response in transit, with its memory reservation.
#[derive(Debug, Default)]
pub struct SentPiece {
    pub bytes: Vec<u8>,
    pub held: MemoryReservation,
}

/// Receives the final bytes of a response, piece by piece.
pub trait Outlet: Debug + Send {
    /// Sends final bytes; blocks while the reader is slow (backpressure).
    fn send(&mut self, piece: SentPiece) -> Result<(), Refused>;
}

/// Reasons why bytes were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The client is gone.
    #[error("nobody reads the answer any more")]
    Unread,
    /// The limit of streamed responses is reached; the response starts again when there is a free
    /// place. None of it was sent.
    #[error("the answer has no place among those that are sent while they are made")]
    NoPlace,
    /// The response exceeds the work limit of this thread; it is written again on a thread that may
    /// block.
    #[error("the answer is longer than what is written at once on a thread that serves others")]
    TooLongHere,
}
