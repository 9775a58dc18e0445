//! A request whose usage of the schema is recorded.

use std::sync::Arc;
use std::time::Duration;

use engine::documents::Document;

/// A request with a valid document that has ended; a subscription that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedRequest<'r> {
    pub(crate) document: &'r Arc<Document>,
    /// The name and the version of the client.
    pub(crate) client: [Option<&'r str>; 2],
    pub(crate) elapsed: Duration,
    /// The number of errors in its response.
    pub(crate) errors: usize,
    /// False if the client disconnected or got an error status.
    pub(crate) is_answered: bool,
}
