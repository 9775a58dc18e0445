//! Last words: answers that come before HTTP begins or after it has failed, and how a connection
//! is closed so that the client reads them.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::ServerConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::media_type::MediaType;
use super::respond::Refusal;
use super::tls::agree;
use super::transport::Transport;

/// Closing with bytes unread would take the answer back from the client, which may still send.
/// But nobody waits long for that.
const LINGER: Duration = Duration::from_secs(2);

/// TLS has a word for the end, too; who does not take it goes without.
const HASTE: Duration = Duration::from_millis(100);

/// And reads no more of it.
const MOST_FORGOTTEN_BYTES: usize = 16 * 1024 * 1024;

/// A whole answer as it goes over the connection, which is closed after it.
pub(super) fn answer(refusal: &Refusal) -> Vec<u8> {
    let status = refusal.status();
    let body = refusal.body();
    let mut answer = format!(
        "HTTP/1.1 {} {}\r\ndate: {}\r\nconnection: close\r\ncache-control: no-store\r\n\
         x-content-type-options: nosniff\r\ncontent-type: {}\r\ncontent-length: {}\r\n",
        status.as_u16(),
        status.canonical_reason().unwrap_or_default(),
        httpdate::fmt_http_date(SystemTime::now()),
        MediaType::Json.content_type(),
        body.len(),
    );
    if let Some(seconds) = refusal.retry_after() {
        answer.push_str(&format!("retry-after: {seconds}\r\n"));
    }
    let mut answer = answer.into_bytes();
    answer.extend_from_slice(b"\r\n");
    answer.extend_from_slice(&body);
    answer
}

/// Says the last words, waits for the client to read them, and closes.
pub(super) async fn say(transport: &mut Transport, words: &[u8]) {
    let said = async {
        transport.write_all(words).await?;
        transport.shutdown().await?;
        forget_rest(transport).await
    };
    // A client that does not listen goes without.
    drop(timeout(LINGER, said).await);
}

/// The same for a client that is not sent away without the handshake it expects.
pub(super) async fn greet_and_say(
    transport: Transport,
    tls: Option<Arc<ServerConfig>>,
    words: &[u8],
) {
    let mut transport = match (transport, tls) {
        (Transport::Tcp(stream), Some(tls)) => match timeout(LINGER, agree(tls, stream)).await {
            Ok(Ok(stream)) => Transport::Tls(stream),
            Ok(Err(_)) | Err(_) => return,
        },
        (transport, _) => transport,
    };
    say(&mut transport, words).await;
}

/// Closes after an answer.
pub(super) async fn part(transport: &mut Transport) {
    say(transport, &[]).await;
}

/// Closes a connection on which nothing goes on.
pub(super) async fn leave(transport: &mut Transport) {
    drop(timeout(HASTE, transport.shutdown()).await);
}

async fn forget_rest(transport: &mut Transport) -> std::io::Result<()> {
    let mut forgotten = 0;
    let mut buffer = vec![0; 8 * 1024];
    while forgotten < MOST_FORGOTTEN_BYTES {
        match transport.read(&mut buffer).await? {
            0 => break,
            count => forgotten += count,
        }
    }
    Ok(())
}
