//! Cancelling the statement of a connection, from outside of it.

use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::config::Config;
use super::error::WireError;
use super::startup::{self, Origin};

/// Timeout of a cancel request where connecting has none.
const LONGEST: Duration = Duration::from_secs(10);

/// The right to cancel a connection's running statement. Opens a connection of its own to the same
/// server, encrypted if the first one is.
#[derive(Debug, Clone)]
pub struct CancelToken {
    pub(super) config: Arc<Config>,
    pub(super) origin: Arc<Origin>,
    pub(super) process_id: i32,
    pub(super) secret_key: i32,
}

impl CancelToken {
    /// Sends a cancel request, and waits until the server has received it. It may come too late:
    /// then nothing happens, or it hits the connection's next statement, so that a caller waits for
    /// the answer of the cancelled round before the connection is used again.
    pub async fn cancel(&self) -> Result<(), WireError> {
        // No caller waits for it with a timeout of its own.
        let timeout = self.config.connect_timeout().unwrap_or(LONGEST);
        startup::in_time(Some(timeout), async {
            let mut socket = startup::open(&self.config, &self.origin).await?;
            let mut request = BytesMut::new();
            frontend::cancel_request(self.process_id, self.secret_key, &mut request);
            socket.write_all(&request).await?;
            socket.flush().await?;
            // The server closes the stream without an answer, some by a reset.
            let mut nothing = [0; 1];
            match socket.read(&mut nothing).await {
                Ok(_) | Err(_) => Ok(()),
            }
        })
        .await
    }
}
