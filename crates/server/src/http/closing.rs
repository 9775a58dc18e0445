//! Closing a connection so that the client can read the last response, also one that is sent before
//! HTTP begins or after it has failed.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::ServerConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::media_type::MediaType;
use super::refusal::Refusal;
use super::tls::accept_tls;
use super::transport::Transport;

/// Time limit for reading and discarding what the client still sends: closing with unread bytes
/// resets the connection, and the client would lose the response.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// Time limit for sending TLS's `close_notify`.
const CLOSE_NOTIFY_TIMEOUT: Duration = Duration::from_millis(100);

/// Size limit of what is read and discarded.
const MAX_DISCARDED_BYTES: usize = 16 * 1024 * 1024;

/// The bytes of a response that ends the connection.
pub(super) fn response(refusal: &Refusal) -> Vec<u8> {
    let status = refusal.status();
    let body = refusal.body();
    let mut response = format!(
        "HTTP/1.1 {} {}\r\ndate: {}\r\nconnection: close\r\ncache-control: no-store\r\n\
         x-content-type-options: nosniff\r\ncontent-type: {}\r\ncontent-length: {}\r\n",
        status.as_u16(),
        status.canonical_reason().unwrap_or_default(),
        httpdate::fmt_http_date(SystemTime::now()),
        MediaType::Json.content_type(),
        body.len(),
    );
    if let Some((name, value)) = refusal.header() {
        response.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut response = response.into_bytes();
    response.extend_from_slice(b"\r\n");
    response.extend_from_slice(&body);
    response
}

/// Sends a response, waits for the client to read it, and closes.
pub(super) async fn send_and_close(transport: &mut Transport, response: &[u8]) {
    let sent = async {
        transport.write_all(response).await?;
        transport.shutdown().await?;
        discard_rest(transport).await
    };
    // A client that does not read in time loses the response.
    drop(timeout(LINGER_TIMEOUT, sent).await);
}

/// Sends a response over TLS if the listener has it, and closes.
pub(super) async fn handshake_send_and_close(
    transport: Transport,
    tls: Option<Arc<ServerConfig>>,
    response: &[u8],
) {
    let mut transport = match (transport, tls) {
        (Transport::Tcp(stream), Some(tls)) => {
            match timeout(LINGER_TIMEOUT, accept_tls(tls, stream)).await {
                Ok(Ok(stream)) => Transport::Tls(stream),
                Ok(Err(_)) | Err(_) => return,
            }
        }
        (transport, _) => transport,
    };
    send_and_close(&mut transport, response).await;
}

/// Closes after a response, and gives the client time to read it.
pub(super) async fn close(transport: &mut Transport) {
    send_and_close(transport, &[]).await;
}

/// Closes an idle connection.
pub(super) async fn close_idle(transport: &mut Transport) {
    drop(timeout(CLOSE_NOTIFY_TIMEOUT, transport.shutdown()).await);
}

async fn discard_rest(transport: &mut Transport) -> std::io::Result<()> {
    let mut discarded = 0;
    let mut buffer = vec![0; 8 * 1024];
    while discarded < MAX_DISCARDED_BYTES {
        match transport.read(&mut buffer).await? {
            0 => break,
            count => discarded += count,
        }
    }
    Ok(())
}
