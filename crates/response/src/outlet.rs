//! Where the beginning of a long answer goes while the rest is being written.

use std::fmt::Debug;

/// Takes the final bytes of an answer, piece by piece.
pub trait Outlet: Debug + Send {
    /// Sends bytes that nothing will take back, and waits for a reader that is slow.
    fn send(&mut self, bytes: Vec<u8>) -> Result<(), Refused>;
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
}
