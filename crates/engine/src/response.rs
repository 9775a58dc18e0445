//! What goes back to the client.

/// A response, ready to be sent.
#[derive(Debug)]
pub struct Response {
    pub kind: Kind,
    /// The JSON text.
    pub body: Vec<u8>,
}

/// How far the request came. HTTP derives its status from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request itself is at fault; there is no `data`.
    RequestError,
    /// There is a `data`, complete or not.
    Executed,
    /// A mutation came where only queries may.
    MutationRefused,
}
