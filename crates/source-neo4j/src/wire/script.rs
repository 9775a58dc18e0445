//! A scripted server for tests, with messages as text: `RUN("RETURN 1", {}, {mode: "r"})`.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;

use response::packed::{Packed, begin};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::config::{Config, Endpoint};
use super::connection::Connection;
use super::error::WireError;
use super::pack::Pack;

const NAMES: [(u8, &str); 15] = [
    (0x01, "HELLO"),
    (0x02, "GOODBYE"),
    (0x0f, "RESET"),
    (0x10, "RUN"),
    (0x11, "BEGIN"),
    (0x12, "COMMIT"),
    (0x13, "ROLLBACK"),
    (0x2f, "DISCARD"),
    (0x3f, "PULL"),
    (0x66, "ROUTE"),
    (0x6a, "LOGON"),
    (0x70, "SUCCESS"),
    (0x71, "RECORD"),
    (0x7e, "IGNORED"),
    (0x7f, "FAILURE"),
];

/// The server's end of one connection.
#[derive(Debug)]
pub(crate) struct Peer {
    stream: Box<dyn Stream>,
    received: Vec<u8>,
}

trait Stream: AsyncRead + AsyncWrite + Debug + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Debug + Send + Unpin> Stream for S {}

/// A port of scripted servers.
#[derive(Debug)]
pub(crate) struct Port {
    listener: TcpListener,
    pub(crate) endpoint: Arc<Endpoint>,
}

impl Port {
    pub(crate) async fn open() -> Port {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        Port { listener, endpoint: Arc::new(Endpoint { host: "127.0.0.1".to_owned(), port }) }
    }

    pub(crate) fn config(&self, scheme: &str) -> Config {
        Config::resolve(&format!("{scheme}://{}", self.endpoint), |_| None).unwrap()
    }

    /// The next connection, after the offer of versions was answered.
    pub(crate) async fn accept(&self, version: [u8; 4]) -> Peer {
        let (stream, _) = self.listener.accept().await.unwrap();
        Peer::agree(Box::new(stream), version).await
    }

    /// The next connection, after its session was begun.
    pub(crate) async fn serve(&self) -> Peer {
        let mut peer = self.accept([0, 0, 8, 5]).await;
        peer.greet().await;
        peer
    }

    /// Serves inside of TLS, unless the client refuses it.
    pub(crate) async fn serve_encrypted(&self, tls: &TlsAcceptor) -> io::Result<Peer> {
        let (stream, _) = self.listener.accept().await.unwrap();
        let stream = tls.accept(stream).await?;
        let mut peer = Peer::agree(Box::new(stream), [0, 0, 8, 5]).await;
        peer.greet().await;
        Ok(peer)
    }

    /// A session, and its other end.
    pub(crate) async fn connect(&self) -> (Connection, Peer) {
        let config = self.config("bolt");
        let (connection, peer) =
            tokio::join!(Connection::connect(&config, config.endpoint()), self.serve());
        (connection.unwrap(), peer)
    }

    /// The error of a session when the server answers HELLO so.
    pub(crate) async fn refuse(&self, version: [u8; 4], says: &[&str]) -> WireError {
        let config = self.config("bolt");
        let serve = async {
            let mut peer = self.accept(version).await;
            if !says.is_empty() {
                peer.receive().await;
                peer.send(says).await;
            }
            peer
        };
        let (connected, _) = tokio::join!(Connection::connect(&config, config.endpoint()), serve);
        connected.unwrap_err()
    }
}

impl Peer {
    async fn agree(mut stream: Box<dyn Stream>, version: [u8; 4]) -> Peer {
        let mut offer = [0; 20];
        stream.read_exact(&mut offer).await.unwrap();
        assert_eq!(offer[..8], [0x60, 0x60, 0xb0, 0x17, 0, 8, 8, 5]);
        stream.write_all(&version).await.unwrap();
        stream.flush().await.unwrap();
        Peer { stream, received: Vec::new() }
    }

    async fn greet(&mut self) {
        assert!(self.receive().await.starts_with("HELLO("));
        assert!(self.receive().await.starts_with("LOGON("));
        let hello = r#"SUCCESS({server: "Neo4j/5.26.1", connection_id: "bolt-1"})"#;
        self.send(&[hello, "SUCCESS({})"]).await;
    }

    /// The next message; nothing when the stream has ended.
    pub(crate) async fn receive(&mut self) -> String {
        loop {
            if let Some((message, length)) = cut(&self.received) {
                self.received.drain(..length);
                return show(&message);
            }
            if self.stream.read_buf(&mut self.received).await.unwrap_or(0) == 0 {
                return String::new();
            }
        }
    }

    pub(crate) async fn expect(&mut self, messages: &[&str]) {
        for expected in messages {
            assert_eq!(self.receive().await, *expected);
        }
    }

    pub(crate) async fn send(&mut self, messages: &[&str]) {
        let bytes: Vec<u8> = messages.iter().flat_map(|message| written(message)).collect();
        self.send_bytes(&bytes).await;
    }

    /// Sends bytes that the client may not read any more.
    pub(crate) async fn send_and_close(mut self, bytes: &[u8]) {
        drop(self.stream.write_all(bytes).await);
        drop(self.stream.shutdown().await);
        // Closing the stream with unread bytes would discard the sent ones.
        while !self.receive().await.is_empty() {}
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
        self.stream.flush().await.unwrap();
    }
}

/// All messages in these bytes.
pub(crate) fn show_messages(mut bytes: &[u8]) -> Vec<String> {
    let mut messages = Vec::new();
    while let Some((message, length)) = cut(bytes) {
        messages.push(show(&message));
        bytes = &bytes[length..];
    }
    assert!(bytes.is_empty());
    messages
}

/// The first message, and how many bytes it has with its lengths.
fn cut(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut message = Vec::new();
    let mut rest = bytes;
    loop {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let (chunk, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        message.extend_from_slice(chunk);
        rest = after;
        if chunk.is_empty() {
            return Some((message, bytes.len() - rest.len()));
        }
    }
}

fn show(message: &[u8]) -> String {
    show_value(begin(message).unwrap())
}

fn show_value(value: Packed<'_>) -> String {
    let text = |text| String::from_utf8_lossy(text).into_owned();
    let list = |elements: Vec<String>| elements.join(", ");
    match value {
        Packed::Null => "null".to_owned(),
        Packed::Boolean(boolean) => boolean.to_string(),
        Packed::Integer(integer) => integer.to_string(),
        Packed::Float(float) => format!("{float:?}"),
        Packed::Bytes(bytes) => format!("{bytes:?}"),
        Packed::Text(shown) => format!("{:?}", text(shown)),
        Packed::List(elements) => {
            format!("[{}]", list(elements.map(|element| show_value(element.unwrap())).collect()))
        }
        Packed::Map(entries) => {
            let entries = entries.map(|entry| {
                let (name, value) = entry.unwrap();
                format!("{}: {}", text(name), show_value(value))
            });
            format!("{{{}}}", list(entries.collect()))
        }
        Packed::Structure { tag, fields } => {
            let (_, name) = NAMES.iter().find(|(known, _)| *known == tag).unwrap();
            let fields = fields.map(|field| show_value(field.unwrap()));
            format!("{name}({})", list(fields.collect()))
        }
    }
}

/// A message in its chunks.
pub(crate) fn written(text: &str) -> Vec<u8> {
    let mut pack = Pack::new();
    let rest = write_value(text, &mut pack);
    assert_eq!(rest, "", "{text}");
    let message = pack.as_bytes();
    let length = u16::try_from(message.len()).unwrap().to_be_bytes();
    [&length[..], message, &[0, 0]].concat()
}

/// Writes the first value of the text, and returns the rest.
fn write_value<'t>(text: &'t str, pack: &mut Pack) -> &'t str {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('"') {
        let (value, rest) = rest.split_once('"').unwrap();
        pack.text(value);
        return rest;
    }
    if let Some(rest) = text.strip_prefix('[') {
        return write_parts(rest, ']', pack, Pack::list, write_value);
    }
    if let Some(rest) = text.strip_prefix('{') {
        return write_parts(rest, '}', pack, Pack::map, |text, pack| {
            let (name, rest) = text.split_once(':').unwrap();
            pack.text(name.trim());
            write_value(rest, pack)
        });
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '-')).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    match word {
        "null" => pack.null(),
        "true" => pack.boolean(true),
        "false" => pack.boolean(false),
        word => match word.parse() {
            Ok(integer) => pack.integer(integer),
            Err(_) => {
                let (tag, _) = NAMES.iter().find(|(_, name)| *name == word).unwrap();
                let head = |pack: &mut Pack, count: usize| {
                    pack.structure(*tag, u8::try_from(count).unwrap());
                };
                let rest = rest.strip_prefix('(').unwrap();
                return write_parts(rest, ')', pack, head, write_value);
            }
        },
    }
    rest
}

fn write_parts<'t>(
    mut text: &'t str,
    end: char,
    pack: &mut Pack,
    head: impl FnOnce(&mut Pack, usize),
    write: impl Fn(&'t str, &mut Pack) -> &'t str,
) -> &'t str {
    let (mut parts, mut count) = (Pack::new(), 0);
    loop {
        text = text.trim_start_matches([' ', ',']);
        if let Some(rest) = text.strip_prefix(end) {
            head(pack, count);
            pack.raw(parts.as_bytes());
            return rest;
        }
        text = write(text, &mut parts);
        count += 1;
    }
}
