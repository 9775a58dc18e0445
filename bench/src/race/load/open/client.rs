//! A connection that is kept, and opened again where it ended.

use std::net::{Ipv4Addr, SocketAddr};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use tokio::net::TcpSocket;

/// So many connections of one address to one port; Linux gives about 28,000 ports.
const PER_ADDRESS: usize = 20_000;

/// One that asks, whether it is connected or not.
#[derive(Debug)]
pub(super) struct Client {
    server: SocketAddr,
    /// An own one of this machine: enough clients need more ports than one address has.
    address: Ipv4Addr,
    path: String,
    connection: Option<SendRequest<Full<Bytes>>>,
}

impl Client {
    pub(super) fn new(port: u16, path: &str, number: usize) -> Self {
        let last = u8::try_from(1 + number / PER_ADDRESS).unwrap_or(u8::MAX);
        Self {
            server: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            address: Ipv4Addr::new(127, 0, 0, last),
            path: path.to_owned(),
            connection: None,
        }
    }

    /// Whether it is connected then.
    pub(super) async fn connect(&mut self) -> bool {
        self.connection = self.open().await;
        self.connection.is_some()
    }

    pub(super) fn disconnect(&mut self) {
        self.connection = None;
    }

    /// The status and the body of the answer; nothing where there is none, which ends the
    /// connection.
    pub(super) async fn post(&mut self, body: &str) -> Option<(u16, Bytes)> {
        if self.connection.as_ref().is_none_or(SendRequest::is_closed) && !self.connect().await {
            return None;
        }
        let mut connection = self.connection.take()?;
        let body = Full::new(Bytes::copy_from_slice(body.as_bytes()));
        let request = Request::post(&self.path)
            .header(HOST, "localhost")
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .body(body)
            .ok()?;
        connection.ready().await.ok()?;
        let answer = connection.send_request(request).await.ok()?;
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.ok()?.to_bytes();
        self.connection = Some(connection);
        Some((status, body))
    }

    async fn open(&self) -> Option<SendRequest<Full<Bytes>>> {
        let socket = TcpSocket::new_v4().ok()?;
        if self.address != Ipv4Addr::LOCALHOST {
            socket.bind(SocketAddr::from((self.address, 0))).ok()?;
        }
        let stream = socket.connect(self.server).await.ok()?;
        stream.set_nodelay(true).ok()?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
        // How it ends is seen by whoever asks next.
        tokio::task::spawn_local(async { drop(connection.await) });
        Some(sender)
    }
}
