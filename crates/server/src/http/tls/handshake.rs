//! The TLS handshake.

use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The first byte of a TLS handshake record.
const HANDSHAKE: u8 = 0x16;

/// The reason why a handshake failed.
#[derive(Debug)]
pub(in crate::http) enum HandshakeError {
    /// The client speaks plain HTTP, and can receive an error.
    PlainHttp(TcpStream),
    Failed(io::Error),
}

/// Performs the handshake.
pub(in crate::http) async fn accept_tls(
    config: Arc<ServerConfig>,
    stream: TcpStream,
) -> Result<Box<TlsStream<TcpStream>>, HandshakeError> {
    let mut first = [HANDSHAKE];
    // If the client disconnects, the byte keeps its value, and the handshake fails.
    stream.peek(&mut first).await.map_err(HandshakeError::Failed)?;
    if first[0].is_ascii_alphabetic() {
        return Err(HandshakeError::PlainHttp(stream));
    }
    let stream = TlsAcceptor::from(config).accept(stream).await.map_err(HandshakeError::Failed)?;
    Ok(Box::new(stream))
}
