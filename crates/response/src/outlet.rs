//! Where the beginning of a long answer goes while the rest is being written.

use std::fmt::Debug;

use crate::memory::Held;

/// A part of an answer that is on its way, with the memory that it takes.
#[derive(Debug, Default)]
pub struct SentPiece {
    pub bytes: Vec<u8>,
    pub held: Held,
}

/// Takes the final bytes of an answer, piece by piece.
pub trait Outlet: Debug + Send {
    /// Sends bytes that nothing will take back, and waits for a reader that is slow.
    fn send(&mut self, piece: SentPiece) -> Result<(), Refused>;
}

/// Why bytes were not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Nobody reads the answer any more.
    #[error("nobody reads the answer any more")]
    Unread,
    /// The answer has no place among those that are sent while they are made, and begins again when
    /// it has one; nothing of it was sent.
    #[error("the answer has no place among those that are sent while they are made")]
    NoPlace,
    /// The answer is longer than what is written without leaving the thread to others; it is written
    /// again where nobody waits meanwhile.
    #[error("the answer is longer than what is written at once on a thread that serves others")]
    TooLongHere,
}
