//! From a connection to an encrypted one.

use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The first byte of all that TLS clients send.
const HANDSHAKE: u8 = 0x16;

/// Why there is no encrypted connection.
#[derive(Debug)]
pub(in crate::http) enum HandshakeError {
    /// The client speaks HTTP without TLS; it can be told so.
    PlainHttp(TcpStream),
    Failed(io::Error),
}

/// Agrees with the client upon keys.
pub(in crate::http) async fn agree(
    config: Arc<ServerConfig>,
    stream: TcpStream,
) -> Result<Box<TlsStream<TcpStream>>, HandshakeError> {
    let mut first = [HANDSHAKE];
    // A client that goes away leaves the byte as it is, and the handshake fails.
    stream.peek(&mut first).await.map_err(HandshakeError::Failed)?;
    if first[0].is_ascii_alphabetic() {
        return Err(HandshakeError::PlainHttp(stream));
    }
    let stream = TlsAcceptor::from(config).accept(stream).await.map_err(HandshakeError::Failed)?;
    Ok(Box::new(stream))
}
