//! The stream to a server: TCP or a Unix socket, encrypted or not.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::{CertificateDer, ServerName};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::tls::TlsError;

/// The address of a server as it was reached, for a second connection to the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// Timeouts of the operating system that detect a dead peer: a machine, or the way to it, that
/// failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    pub keepalive: Option<Keepalive>,
    /// Timeout of unacknowledged bytes; zero for the system's default.
    pub unacknowledged: Duration,
}

/// Keepalive probes, which detect a silent peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keepalive {
    /// Idle time before the first probe.
    pub idle: Duration,
    pub interval: Duration,
    pub retries: u32,
}

#[derive(Debug)]
pub enum Socket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
    /// Large next to the others, and TLS is used over TCP only.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Silence {
    /// A server that vanished is noticed after a minute, and at once where something was sent.
    pub const DEFAULT: Silence = Silence {
        keepalive: Some(Keepalive {
            idle: Duration::from_secs(30),
            interval: Duration::from_secs(10),
            retries: 3,
        }),
        unacknowledged: Duration::from_secs(30),
    };

    fn notice(self, stream: &TcpStream) -> io::Result<()> {
        let socket = SockRef::from(stream);
        if let Some(keepalive) = self.keepalive {
            let parameters = TcpKeepalive::new()
                .with_time(keepalive.idle)
                .with_interval(keepalive.interval)
                .with_retries(keepalive.retries);
            socket.set_tcp_keepalive(&parameters)?;
        }
        #[cfg(target_os = "linux")]
        if !self.unacknowledged.is_zero() {
            socket.set_tcp_user_timeout(Some(self.unacknowledged))?;
        }
        Ok(())
    }
}

impl Socket {
    pub async fn connect(address: &Address, silence: Silence) -> io::Result<Socket> {
        match address {
            Address::Tcp(address) => {
                let stream = TcpStream::connect(address).await?;
                // Messages are gathered here; waiting for more would only delay them.
                stream.set_nodelay(true)?;
                silence.notice(&stream)?;
                Ok(Socket::Tcp(stream))
            }
            #[cfg(unix)]
            Address::Unix(path) => Ok(Socket::Unix(UnixStream::connect(path).await?)),
            #[cfg(not(unix))]
            Address::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Encrypts the stream; returns it after the handshake.
    pub async fn encrypt(
        self,
        client: Arc<ClientConfig>,
        server: ServerName<'static>,
    ) -> Result<Socket, TlsError> {
        let stream = match self {
            Socket::Tcp(stream) => stream,
            #[cfg(unix)]
            Socket::Unix(_) => return Err(TlsError::new("a Unix socket is not encrypted")),
            Socket::Tls(_) => return Err(TlsError::new("the stream is already encrypted")),
        };
        // A failed handshake comes as an error of input and output.
        let stream = TlsConnector::from(client).connect(server, stream).await;
        stream.map(|stream| Socket::Tls(Box::new(stream))).map_err(|error| TlsError::new(&error))
    }

    pub fn is_encrypted(&self) -> bool {
        matches!(self, Socket::Tls(_))
    }

    /// The server's certificate; none without TLS.
    pub fn certificate(&self) -> Option<&CertificateDer<'static>> {
        match self {
            Socket::Tls(stream) => stream.get_ref().1.peer_certificates()?.first(),
            Socket::Tcp(_) => None,
            #[cfg(unix)]
            Socket::Unix(_) => None,
        }
    }
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
