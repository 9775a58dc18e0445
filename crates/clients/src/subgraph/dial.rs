//! New connections to a subgraph.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

use super::endpoint::{Host, Target};
use super::request::Unavailable;
use super::settings::{Http2, Settings};
use super::socket::Socket;

const HTTP_1_1: &[u8] = b"http/1.1";
const HTTP_2: &[u8] = b"h2";

/// Protocols offered in the TLS handshake (ALPN).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    Http1,
    /// Those of the settings.
    Best,
}

/// Opens connections to one endpoint.
pub(super) struct Dialer {
    settings: Arc<Settings>,
    /// TLS configurations by offered protocols; `None` for plain-text connections.
    http1: Option<TlsConnector>,
    best: Option<TlsConnector>,
}

impl Dialer {
    pub(super) fn new(settings: Arc<Settings>) -> Self {
        let tls = settings.tls.as_ref().filter(|_| settings.endpoint.is_encrypted());
        let best: &[&[u8]] = match settings.http2 {
            Http2::Never => &[HTTP_1_1],
            Http2::Negotiated => &[HTTP_2, HTTP_1_1],
            Http2::PriorKnowledge => &[HTTP_2],
        };
        let connector = |protocols| tls.map(|tls| TlsConnector::from(tls.offering(protocols)));
        let (http1, best) = (connector(&[HTTP_1_1]), connector(best));
        Self { settings, http1, best }
    }

    /// Opens a connection; also returns whether it uses HTTP/2.
    pub(super) async fn dial(&self, offer: Offer) -> Result<(Socket, bool), Unavailable> {
        let most = self.settings.connect_timeout;
        let dialled = timeout(most, self.dial_patiently(offer)).await;
        let socket = dialled.unwrap_or(Err(Unavailable::ConnectTimeout(most)))?;
        let speaks_http2 = match (offer, self.settings.http2) {
            (Offer::Http1, _) | (Offer::Best, Http2::Never) => false,
            (Offer::Best, Http2::PriorKnowledge) => true,
            (Offer::Best, Http2::Negotiated) => socket.protocol() == Some(HTTP_2),
        };
        Ok((socket, speaks_http2))
    }

    async fn dial_patiently(&self, offer: Offer) -> Result<Socket, Unavailable> {
        let (is_encrypted, host, port) = match &self.settings.endpoint.target {
            Target::Unix(path) => {
                let stream = UnixStream::connect(path).await;
                return stream.map(Socket::Unix).map_err(|error| connect_error(&error));
            }
            Target::Tcp { is_encrypted, authority: _, host, port } => (*is_encrypted, host, *port),
        };
        let stream = match host {
            Host::Address(address) => {
                let stream = TcpStream::connect((*address, port)).await;
                stream.map_err(|error| connect_error(&error))?
            }
            Host::Name(name) => self.connect_by_name(name, port).await?,
        };
        // Requests are written as a whole, so Nagle's algorithm would only delay them.
        stream.set_nodelay(true).map_err(|error| connect_error(&error))?;
        if !is_encrypted {
            return Ok(Socket::Tcp(stream));
        }
        let connector = match offer {
            Offer::Http1 => &self.http1,
            Offer::Best => &self.best,
        };
        let connector = connector
            .as_ref()
            .ok_or_else(|| Unavailable::Tls("no certificate authorities were given".into()))?;
        let name = match host {
            Host::Address(address) => ServerName::from(*address),
            Host::Name(name) => ServerName::try_from(String::from(&**name))
                .map_err(|error| Unavailable::Tls(error.to_string().into()))?,
        };
        match connector.connect(name, stream).await {
            Ok(stream) => Ok(Socket::Tls(Box::new(stream))),
            Err(error) => Err(Unavailable::Tls(error.to_string().into())),
        }
    }

    /// Tries the addresses of a host name one after the other. Each gets a share of the timeout, so
    /// that one unresponsive address leaves time for the next.
    async fn connect_by_name(&self, name: &str, port: u16) -> Result<TcpStream, Unavailable> {
        let began = Instant::now();
        let found = lookup_host((name, port)).await;
        let addresses: Vec<SocketAddr> =
            found.map_err(|error| Unavailable::Name(error.to_string().into()))?.collect();
        let mut failure = Unavailable::Name("it has no address".into());
        for (idx, address) in addresses.iter().enumerate() {
            let left = self.settings.connect_timeout.saturating_sub(began.elapsed());
            let share = left / u32::try_from(addresses.len() - idx).unwrap_or(u32::MAX);
            match timeout_at(Instant::now() + share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => failure = connect_error(&error),
                Err(_) => failure = Unavailable::ConnectTimeout(share),
            }
        }
        Err(failure)
    }
}

impl std::fmt::Debug for Dialer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dialer").field("endpoint", &self.settings.endpoint).finish_non_exhaustive()
    }
}

fn connect_error(error: &io::Error) -> Unavailable {
    Unavailable::Connect(error.to_string().into())
}
