//! Client of a request, as far as the response depends on it.

use source::Session;

use crate::headers::Forwarded;

/// A client, with its headers that other servers may receive.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    pub session: Session,
    /// `None` for most requests, and so boxed.
    pub forwarded: Option<Box<Forwarded>>,
}
