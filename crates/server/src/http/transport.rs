//! Byte streams of connections: TCP, TLS and Unix sockets.

use std::fmt;
use std::io::{self, IoSlice, Read};
use std::net::{IpAddr, Shutdown, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_rustls::server::TlsStream;

use super::listen::Socket;

/// Reads of a refused client's data before its connection closes.
const MAX_DISCARDED_READS: usize = 16;

/// A listening socket.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// A connection.
#[derive(Debug)]
pub(super) enum Transport {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Tcp(SocketAddr),
    /// Clients of a Unix socket have no address.
    Unix,
}

impl Peer {
    /// The address of a client; an IPv4 address is the same over sockets of both families.
    pub(super) fn address(self) -> Option<IpAddr> {
        match self {
            Self::Tcp(address) => Some(address.ip().to_canonical()),
            Self::Unix => None,
        }
    }
}

impl Listener {
    /// Registers the socket with the runtime of this thread.
    pub(super) fn new(socket: Socket) -> io::Result<Self> {
        Ok(match socket {
            Socket::Tcp(socket) => Self::Tcp(TcpListener::from_std(socket)?),
            Socket::Unix(socket) => Self::Unix(UnixListener::from_std(socket)?),
        })
    }

    pub(super) async fn accept(&self) -> io::Result<(Transport, Peer)> {
        Ok(match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                (Transport::Tcp(stream), Peer::Tcp(peer))
            }
            Self::Unix(listener) => (Transport::Unix(listener.accept().await?.0), Peer::Unix),
        })
    }
}

impl Transport {
    /// Disables Nagle's algorithm: responses are written whole, and waiting for more would delay them.
    pub(super) fn disable_delay(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_nodelay(true),
            Self::Tls(stream) => stream.get_ref().0.set_nodelay(true),
            Self::Unix(_) => Ok(()),
        }
    }
}

impl Transport {
    /// Sends a response without waiting, which always fits into the buffer of a new connection, and
    /// closes.
    pub(super) fn send_now_and_close(self, response: &[u8]) {
        let socket = self.socket();
        drop(socket.send(response));
        drop(socket.shutdown(Shutdown::Write));
        // Closing with an unread request resets the connection, and the client would lose the response.
        let mut discarded = [0; 4096];
        for _ in 0..MAX_DISCARDED_READS {
            match (&*socket).read(&mut discarded) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
    }

    /// Makes the close a reset, so that the kernel drops what the client has not read.
    pub(super) fn reset(&self) {
        if let Err(error) = self.socket().set_linger(Some(Duration::ZERO)) {
            tracing::debug!(%error, "a connection is closed, not reset");
        }
    }

    fn socket(&self) -> SockRef<'_> {
        match self {
            Self::Tcp(stream) => SockRef::from(stream),
            Self::Unix(stream) => SockRef::from(stream),
            Self::Tls(stream) => SockRef::from(stream.get_ref().0),
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
            Self::Unix(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Tcp(stream) => stream.is_write_vectored(),
            Self::Unix(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Unix(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix => f.write_str("unix"),
        }
    }
}
