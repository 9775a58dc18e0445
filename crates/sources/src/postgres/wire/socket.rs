//! The stream to the server: TCP or a Unix socket, encrypted or not.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio_rustls::client::TlsStream;

use super::certificate;
use super::config::Config;
use super::error::WireError;

/// Where a server was reached, for a second connection to the very same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
    /// Large next to the others, and TLS is used over TCP only.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Socket {
    pub(super) async fn connect(address: &Address, config: &Config) -> io::Result<Socket> {
        match address {
            Address::Tcp(address) => {
                let stream = TcpStream::connect(address).await?;
                // Messages are gathered here; waiting for more would only delay them.
                stream.set_nodelay(true)?;
                notice_silence(&stream, config)?;
                Ok(Socket::Tcp(stream))
            }
            #[cfg(unix)]
            Address::Unix(path) => Ok(Socket::Unix(UnixStream::connect(path).await?)),
            #[cfg(not(unix))]
            Address::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    pub(super) fn is_encrypted(&self) -> bool {
        matches!(self, Socket::Tls(_))
    }

    /// What SCRAM binds a session to: the hash of the server's certificate (`tls-server-end-point`,
    /// RFC 5929). None without TLS, or where the certificate's signature defines no hash.
    pub(super) fn server_end_point(&self) -> Option<Vec<u8>> {
        match self {
            Socket::Tls(stream) => {
                let certificates = stream.get_ref().1.peer_certificates()?;
                certificate::end_point_hash(certificates.first()?)
            }
            Socket::Tcp(_) => None,
            #[cfg(unix)]
            Socket::Unix(_) => None,
        }
    }

    /// The stream to encrypt.
    pub(super) fn into_tcp(self) -> Result<TcpStream, WireError> {
        match self {
            Socket::Tcp(stream) => Ok(stream),
            #[cfg(unix)]
            Socket::Unix(_) => Err(WireError::Tls("a Unix socket is not encrypted".to_owned())),
            Socket::Tls(_) => Err(WireError::Tls("the stream is already encrypted".to_owned())),
        }
    }
}

/// Lets the system find out that a server is gone which could not say so: its machine, or the way
/// to it.
fn notice_silence(stream: &TcpStream, config: &Config) -> io::Result<()> {
    let socket = SockRef::from(stream);
    if let Some(keepalive) = config.keepalive {
        let parameters = TcpKeepalive::new()
            .with_time(keepalive.idle)
            .with_interval(keepalive.interval)
            .with_retries(keepalive.retries);
        socket.set_tcp_keepalive(&parameters)?;
    }
    #[cfg(target_os = "linux")]
    if !config.unacknowledged.is_zero() {
        socket.set_tcp_user_timeout(Some(config.unacknowledged))?;
    }
    Ok(())
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            #[cfg(unix)]
            Socket::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
            Socket::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            #[cfg(unix)]
            Socket::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
            Socket::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_flush(context),
            #[cfg(unix)]
            Socket::Unix(stream) => Pin::new(stream).poll_flush(context),
            Socket::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            #[cfg(unix)]
            Socket::Unix(stream) => Pin::new(stream).poll_shutdown(context),
            Socket::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
