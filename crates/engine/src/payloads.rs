//! Payloads of a response with deferred fragments.

use bytes::Bytes;
use tokio::sync::mpsc::UnboundedReceiver;

/// The payloads after the initial one. Dropping them cancels the execution.
#[derive(Debug)]
pub struct Payloads(UnboundedReceiver<Bytes>);

impl Payloads {
    pub(crate) fn new(receiver: UnboundedReceiver<Bytes>) -> Self {
        Self(receiver)
    }

    /// Waits for the next payload; `None` after the last one. Cancel safe.
    pub async fn next(&mut self) -> Option<Bytes> {
        self.0.recv().await
    }
}
