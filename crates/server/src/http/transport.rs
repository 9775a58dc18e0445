//! The bytes of a connection, whatever carries them.

use std::fmt;
use std::io::{self, IoSlice, Read};
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_rustls::server::TlsStream;

use super::listen::Socket;

/// So much of what a client sends is read before it is sent away.
const MOST_FORGOTTEN_READS: usize = 16;

/// A socket that takes connections.
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

/// Who is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Tcp(SocketAddr),
    /// Programs that connect by a path have no address.
    Unix,
}

impl Listener {
    /// For the runtime of this thread.
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
    /// Answers are written whole; waiting for more to send would only delay them.
    pub(super) fn hurry(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_nodelay(true),
            Self::Tls(stream) => stream.get_ref().0.set_nodelay(true),
            Self::Unix(_) => Ok(()),
        }
    }
}

impl Transport {
    /// Says a few words, as many as always fit into the buffer of a new connection, and closes.
    pub(super) fn dismiss(self, words: &[u8]) {
        let socket = self.socket();
        drop(socket.send(words));
        drop(socket.shutdown(Shutdown::Write));
        // A request that is left unread would take the words back.
        let mut forgotten = [0; 4096];
        for _ in 0..MOST_FORGOTTEN_READS {
            match (&*socket).read(&mut forgotten) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
    }

    /// Closes so that the system forgets at once what the client has not taken.
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
