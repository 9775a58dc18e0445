//! A server of type definitions with subscriptions, and a client of its WebSockets.

use std::fs;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::HandshakeError;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue, Response};
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket, client};

use crate::program::{Folder, PATIENCE, Server};

pub(super) const SECRET: &str = "a secret of more than thirty-two bytes";

pub(super) const TYPES: &str = r#"
type Note @withSubscription {
  id: ID!
  text: String! @search(by: [hash])
  likes: Int
}
"#;

pub(crate) const TRANSPORT: &str = "graphql-transport-ws";
pub(crate) const LEGACY: &str = "graphql-ws";

/// A server with a database of notes.
pub(super) struct Site {
    pub(super) folder: Folder,
    pub(super) server: Server,
}

/// A client of a WebSocket.
pub(crate) struct Client(WebSocket<TcpStream>);

/// Returns the arguments of a server with these types.
pub(super) fn arguments(folder: &Folder, types: &str, options: &[&str]) -> Vec<String> {
    let file = folder.file("schema.graphql");
    fs::write(&file, types).unwrap();
    let (file, data) = (file.to_str().unwrap(), folder.file("notes.db"));
    let words = ["serve", file, "--data", data.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    words.iter().chain(options).map(|word| (*word).to_owned()).collect()
}

impl Site {
    pub(super) fn start(options: &[&str]) -> Self {
        let folder = Folder::new();
        let words = arguments(&folder, TYPES, options);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Self { server: Server::start(&words), folder }
    }

    /// Adds a note by a plain request.
    pub(super) fn add(&self, text: &str) {
        let answer = self.server.query("", &add(text));
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(!answer.body.contains("errors"), "{}", answer.body);
    }

    /// Opens a socket.
    pub(super) fn open(&self, subprotocol: &str) -> Client {
        self.open_with(&[("sec-websocket-protocol", subprotocol)]).unwrap()
    }

    /// Opens a socket and initializes the connection.
    pub(super) fn connect(&self, subprotocol: &str) -> Client {
        self.connect_with(subprotocol, &json!({}))
    }

    /// The same with a payload.
    pub(super) fn connect_with(&self, subprotocol: &str, payload: &Value) -> Client {
        Client::connect(&self.server, subprotocol, payload)
    }

    /// The socket, or the status and the body of a refused handshake.
    pub(super) fn open_with(&self, headers: &[(&str, &str)]) -> Result<Client, (u16, String)> {
        Client::open(&self.server, headers)
    }
}

fn assert_subprotocol(headers: &[(&str, &str)], response: &Response<Option<Vec<u8>>>) {
    let chosen = response.headers().get("sec-websocket-protocol");
    let offered = headers.iter().find(|(name, _)| *name == "sec-websocket-protocol");
    match (chosen, offered) {
        (Some(chosen), Some((_, offered))) => assert!(offered.contains(chosen.to_str().unwrap())),
        (chosen, _) => assert_eq!(chosen, None),
    }
}

pub(super) fn add(text: &str) -> String {
    format!("mutation {{ addNote(input: [{{text: \"{text}\"}}]) {{ numUids }} }}")
}

/// The response of `{ queryNote(order: { asc: text }) { text } }` with these notes.
pub(super) fn notes(texts: &[&str]) -> Value {
    let notes: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
    json!({ "data": { "queryNote": notes } })
}

pub(super) const NOTES: &str = "subscription { queryNote(order: { asc: text }) { text } }";

pub(crate) fn subscribe(id: &str, query: &str) -> Value {
    json!({ "type": "subscribe", "id": id, "payload": { "query": query } })
}

pub(crate) fn next(id: &str, payload: &Value) -> Value {
    json!({ "type": "next", "id": id, "payload": payload })
}

pub(crate) fn complete(id: &str) -> Value {
    json!({ "type": "complete", "id": id })
}

impl Client {
    /// Opens a socket and initializes the connection.
    pub(crate) fn connect(server: &Server, subprotocol: &str, payload: &Value) -> Self {
        Self::connect_at(server.address, subprotocol, payload)
    }

    /// The same with the server at an address.
    pub(crate) fn connect_at(address: SocketAddr, subprotocol: &str, payload: &Value) -> Self {
        let headers = [("sec-websocket-protocol", subprotocol)];
        let mut client = Self::open_address(address, "/graphql", &headers).unwrap();
        client.send(&json!({ "type": "connection_init", "payload": payload }));
        assert_eq!(client.receive(), json!({ "type": "connection_ack" }));
        client
    }

    /// Opens a socket; the error is the status and the body of a refused handshake.
    pub(crate) fn open(server: &Server, headers: &[(&str, &str)]) -> Result<Self, (u16, String)> {
        Self::open_at(server, "/graphql", headers)
    }

    /// The same at another path.
    pub(crate) fn open_at(
        server: &Server,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self, (u16, String)> {
        Self::open_address(server.address, path, headers)
    }

    fn open_address(
        address: SocketAddr,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self, (u16, String)> {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let url = format!("ws://{address}{path}");
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
        }
        match client(request, stream) {
            Ok((socket, response)) => {
                assert_subprotocol(headers, &response);
                Ok(Self(socket))
            }
            Err(HandshakeError::Failure(Error::Http(response))) => {
                let body = response.body().clone().unwrap_or_default();
                Err((response.status().as_u16(), String::from_utf8(body).unwrap()))
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        self.send_frame(Message::text(text));
    }

    pub(crate) fn send_frame(&mut self, message: Message) {
        self.0.send(message).unwrap();
    }

    /// The next message of the subprotocol.
    pub(crate) fn receive(&mut self) -> Value {
        loop {
            match self.0.read().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("no text: {other:?}"),
            }
        }
    }

    /// The next message of the subprotocol, if it comes in time.
    pub(super) fn receive_within(&mut self, time: Duration) -> Option<Value> {
        self.set_timeout(time);
        let message = loop {
            match self.0.read() {
                Ok(Message::Text(text)) => break Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Err(Error::Io(error)) if is_timeout(error.kind()) => break None,
                other => panic!("no text: {other:?}"),
            }
        };
        self.set_timeout(PATIENCE);
        message
    }

    /// The next messages, by their ids and types: those of different operations have no order.
    pub(crate) fn receive_sorted(&mut self, number: usize) -> Vec<Value> {
        let mut messages: Vec<Value> = (0..number).map(|_| self.receive()).collect();
        messages.sort_by_key(|message| [&message["id"], &message["type"]].map(Value::to_string));
        messages
    }

    /// Asserts that no message comes for a while.
    pub(crate) fn assert_silent(&mut self) {
        let deadline = Instant::now() + Duration::from_millis(300);
        self.set_timeout(Duration::from_millis(100));
        while Instant::now() < deadline {
            match self.0.read() {
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Err(Error::Io(error)) if is_timeout(error.kind()) => {}
                other => panic!("{other:?}"),
            }
        }
        self.set_timeout(PATIENCE);
    }

    fn set_timeout(&self, time: Duration) {
        self.0.get_ref().set_read_timeout(Some(time)).unwrap();
    }

    /// Asserts that the server closes the socket, after no further message.
    pub(crate) fn assert_closed(mut self, code: u16, reason: &str) {
        loop {
            match self.0.read().unwrap() {
                Message::Close(Some(frame)) => {
                    let received = (u16::from(frame.code), frame.reason.to_string());
                    assert_eq!(received, (code, reason.to_owned()));
                    break;
                }
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("not closed: {other:?}"),
            }
        }
        // The server then closes the connection.
        match self.0.read() {
            Err(Error::ConnectionClosed) => {}
            other => panic!("{other:?}"),
        }
    }

    /// Waits for the end of the connection.
    pub(crate) fn wait_for_end(mut self) -> Error {
        loop {
            if let Err(error) = self.0.read() {
                return error;
            }
        }
    }

    pub(crate) fn close(mut self) {
        self.0.close(None).unwrap();
        assert!(matches!(self.wait_for_end(), Error::ConnectionClosed));
    }
}

fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
