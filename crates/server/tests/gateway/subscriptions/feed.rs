//! Subgraphs with subscriptions, by all protocols, and a log of what they receive.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket};

use crate::program::PATIENCE;
use crate::served::happens_within;

/// The time after which a connection looks for commands.
const POLL: Duration = Duration::from_millis(2);

/// The subgraphs `feed` and `stock` of `supergraph.graphql`, by one server.
#[derive(Debug)]
pub(super) struct Feed {
    pub(super) address: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    log: Mutex<Log>,
    connections: Mutex<Vec<Sender<Command>>>,
    is_refusing: Mutex<Option<Refusal>>,
}

/// What the subgraphs received.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// Handshakes and requests of subscriptions, by their headers.
    pub(super) opened: Vec<BTreeMap<String, String>>,
    /// Payloads of `connection_init`.
    pub(super) inits: Vec<Value>,
    /// Documents and variables of subscriptions.
    pub(super) begun: Vec<Value>,
    /// Number of subscriptions that the gateway has ended.
    pub(super) ended: usize,
    /// Bodies of queries to `stock`.
    pub(super) queries: Vec<Value>,
    /// Number of connections with subscriptions that are open.
    pub(super) open: usize,
}

/// Reaction to new subscriptions.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// The status of a handshake or a request.
    Status(u16),
    /// A close frame in reply to `connection_init`.
    Close(u16, &'static str),
    /// Errors in reply to the operation.
    Errors(Value),
    /// A reply without a message to the callback URL before.
    Unconfirmed,
    /// The connection ends without a reply.
    Cut,
}

/// Command to all connections with subscriptions.
#[derive(Clone, Debug)]
enum Command {
    Next(Value),
    Complete,
    /// Ends the connection without a word.
    Cut,
    Close(u16, &'static str),
    /// A ping of the subprotocol.
    Ping,
    /// Text that is no message of the subprotocol.
    Text(&'static str),
}

/// A subscription by callback, as the emitter of its events knows it.
#[derive(Clone, Debug)]
pub(super) struct Callback {
    pub(super) url: String,
    pub(super) id: String,
    pub(super) verifier: String,
}

impl Feed {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (state, stream) = (Arc::clone(&shared), stream.unwrap());
                thread::spawn(move || serve(&state, stream));
            }
        });
        Self { address, state }
    }

    pub(super) fn supergraph(&self) -> String {
        include_str!("supergraph.graphql").replace("FEED/", &format!("{}/", self.address))
    }

    pub(super) fn log(&self) -> Log {
        lock(&self.state.log).clone()
    }

    /// Waits until the log fulfills a condition.
    #[track_caller]
    pub(super) fn wait(&self, condition: impl Fn(&Log) -> bool) {
        assert!(happens_within(PATIENCE, || condition(&self.log())), "{:?}", self.log());
    }

    /// Waits until so many subscriptions have begun.
    #[track_caller]
    pub(super) fn wait_for(&self, begun: usize) {
        self.wait(|log| log.begun.len() == begun);
    }

    /// Refuses new subscriptions; `None` accepts them again.
    pub(super) fn refuse(&self, refusal: Option<Refusal>) {
        *lock(&self.state.is_refusing) = refusal;
    }

    /// Sends a response to all subscriptions.
    pub(super) fn emit(&self, response: &Value) {
        self.command(&Command::Next(response.clone()));
    }

    pub(super) fn complete(&self) {
        self.command(&Command::Complete);
    }

    pub(super) fn cut(&self) {
        self.command(&Command::Cut);
    }

    pub(super) fn close(&self, code: u16, reason: &'static str) {
        self.command(&Command::Close(code, reason));
    }

    pub(super) fn ping(&self) {
        self.command(&Command::Ping);
    }

    pub(super) fn send_text(&self, text: &'static str) {
        self.command(&Command::Text(text));
    }

    fn command(&self, command: &Command) {
        lock(&self.state.connections).retain(|connection| connection.send(command.clone()).is_ok());
    }
}

/// A request of the gateway.
struct Request {
    headers: BTreeMap<String, String>,
    body: Value,
}

fn serve(state: &State, stream: TcpStream) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(request) = read(&mut reader) {
        let is_socket = request.headers.contains_key("upgrade");
        let query = request.body["query"].as_str().unwrap_or_default();
        if is_socket || query.starts_with("subscription") {
            let mut log = lock(&state.log);
            log.opened.push(request.headers.clone());
            log.open += 1;
            drop(log);
            let refusal = lock(&state.is_refusing).clone();
            let refusal = refusal.as_ref();
            let callback = &request.body["extensions"]["subscription"];
            match is_socket {
                true => serve_socket(state, stream, &request, refusal),
                false if callback.is_object() => serve_callback(state, stream, &request, refusal),
                false => serve_stream(state, stream, &request, refusal),
            }
            lock(&state.log).open -= 1;
            return;
        }
        let response = response(state, &request).to_string();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";
        let text = format!("{head}{}\r\n\r\n{response}", response.len());
        if (&stream).write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}

/// The response of `stock` to a query.
fn response(state: &State, request: &Request) -> Value {
    lock(&state.log).queries.push(request.body.clone());
    let entities = request.body["variables"]["representations0"].as_array();
    let entities: Vec<Value> = entities.into_iter().flatten().map(entity).collect();
    if entities.contains(&json!("failed")) {
        return json!({ "data": { "_entities": [null] }, "errors": [
            { "message": "no stock", "path": ["_entities", 0] }
        ] });
    }
    json!({ "data": { "_entities": entities, "stores": 3 } })
}

fn entity(representation: &Value) -> Value {
    let upc = &representation["upc"];
    if upc == "failed" {
        return json!("failed");
    }
    let shipping = representation["weight"].as_i64().map(|weight| weight * 2);
    json!({ "__typename": "Product", "inStock": upc != "2", "shipping": shipping })
}

/// Registers a connection for commands.
fn register(state: &State) -> Receiver<Command> {
    let (sender, receiver) = channel();
    lock(&state.connections).push(sender);
    receiver
}

fn serve_socket(state: &State, stream: TcpStream, request: &Request, refusal: Option<&Refusal>) {
    match refusal {
        Some(Refusal::Status(status)) => {
            let text = format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n");
            drop((&stream).write_all(text.as_bytes()));
            return;
        }
        Some(Refusal::Cut) => return,
        Some(Refusal::Close(..) | Refusal::Errors(_) | Refusal::Unconfirmed) | None => {}
    }
    let protocol = request.headers["sec-websocket-protocol"].clone();
    let key = derive_accept_key(request.headers["sec-websocket-key"].as_bytes());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {key}\r\nSec-WebSocket-Protocol: {protocol}\r\n\r\n"
    );
    (&stream).write_all(head.as_bytes()).unwrap();
    stream.set_read_timeout(Some(POLL)).unwrap();
    let mut socket =
        WebSocket::from_raw_socket(stream, Role::Server, Some(WebSocketConfig::default()));
    let (commands, is_legacy) = (register(state), protocol == "graphql-ws");
    let next = if is_legacy { "data" } else { "next" };
    let mut ids: Vec<Value> = Vec::new();
    let send = |socket: &mut WebSocket<TcpStream>, message: Value| {
        drop(socket.send(Message::text(message.to_string())));
    };
    loop {
        match commands.try_recv() {
            Ok(Command::Next(payload)) => ids.iter().for_each(|id| {
                send(&mut socket, json!({ "type": next, "id": id, "payload": payload }));
            }),
            Ok(Command::Complete) => ids.drain(..).for_each(|id| {
                send(&mut socket, json!({ "type": "complete", "id": id }));
            }),
            Ok(Command::Cut) | Err(TryRecvError::Disconnected) => return,
            Ok(Command::Close(code, reason)) => close(&mut socket, code, reason),
            Ok(Command::Ping) if is_legacy => send(&mut socket, json!({ "type": "ka" })),
            Ok(Command::Ping) => {
                send(&mut socket, json!({ "type": "ping", "payload": { "a": 1 } }))
            }
            Ok(Command::Text(text)) => drop(socket.send(Message::text(text))),
            Err(TryRecvError::Empty) => {}
        }
        let text = match socket.read() {
            Ok(Message::Text(text)) => text,
            Ok(_) => continue,
            Err(Error::Io(error)) if is_timeout(error.kind()) => continue,
            Err(_) => return,
        };
        let message: Value = serde_json::from_str(&text).unwrap();
        match message["type"].as_str().unwrap() {
            "connection_init" => {
                lock(&state.log).inits.push(message["payload"].clone());
                if let Some(Refusal::Close(code, reason)) = refusal {
                    close(&mut socket, *code, reason);
                    continue;
                }
                send(&mut socket, json!({ "type": "connection_ack" }));
                if is_legacy {
                    send(&mut socket, json!({ "type": "ka" }));
                }
            }
            "subscribe" | "start" => {
                lock(&state.log).begun.push(message["payload"].clone());
                let id = message["id"].clone();
                match refusal {
                    Some(Refusal::Errors(errors)) => {
                        let payload = if is_legacy { &errors[0] } else { errors };
                        send(&mut socket, json!({ "type": "error", "id": id, "payload": payload }));
                    }
                    _ => ids.push(id),
                }
            }
            "complete" | "stop" => {
                ids.retain(|id| *id != message["id"]);
                lock(&state.log).ended += 1;
            }
            "pong" => lock(&state.log).inits.push(message),
            other => panic!("{other}"),
        }
    }
}

fn close(socket: &mut WebSocket<TcpStream>, code: u16, reason: &'static str) {
    drop(socket.close(Some(CloseFrame { code: code.into(), reason: reason.into() })));
}

fn serve_stream(state: &State, stream: TcpStream, request: &Request, refusal: Option<&Refusal>) {
    lock(&state.log).begun.push(request.body.clone());
    let is_multipart = request.headers["accept"].starts_with("multipart/mixed");
    let mut stream = stream;
    match refusal {
        None => {}
        Some(Refusal::Errors(errors)) => {
            let body = json!({ "errors": errors }).to_string();
            let head = "HTTP/1.1 400 Bad Request\r\nContent-Type: \
                        application/graphql-response+json\r\nContent-Length: ";
            drop(stream.write_all(format!("{head}{}\r\n\r\n{body}", body.len()).as_bytes()));
            return;
        }
        Some(Refusal::Status(status)) => {
            let text = format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n");
            drop(stream.write_all(text.as_bytes()));
            return;
        }
        Some(Refusal::Cut | Refusal::Close(..) | Refusal::Unconfirmed) => return,
    }
    let media_type = match is_multipart {
        true => "multipart/mixed;boundary=\"graphql\";subscriptionSpec=\"1.0\"",
        false => "text/event-stream",
    };
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: ";
    stream.write_all(format!("{head}{media_type}\r\n\r\n").as_bytes()).unwrap();
    let first = if is_multipart { "--graphql" } else { ":\n\n" };
    let commands = register(state);
    if write_chunk(&mut stream, first).is_err() {
        return;
    }
    stream.set_read_timeout(Some(POLL)).unwrap();
    loop {
        let text = match commands.try_recv() {
            Ok(Command::Next(payload)) if is_multipart => part(&json!({ "payload": payload })),
            Ok(Command::Next(payload)) => format!("event: next\ndata: {payload}\n\n"),
            Ok(Command::Ping) if is_multipart => part(&json!({})),
            Ok(Command::Ping) => ":\n\n".to_owned(),
            Ok(Command::Complete) => {
                let last = if is_multipart { "--\r\n" } else { "event: complete\ndata:\n\n" };
                drop(write_chunk(&mut stream, last));
                drop(stream.write_all(b"0\r\n\r\n"));
                return;
            }
            Ok(Command::Text(text)) => text.to_owned(),
            Ok(Command::Cut | Command::Close(..)) | Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                match stream.read(&mut [0]) {
                    Err(error) if is_timeout(error.kind()) => continue,
                    _ => {}
                }
                lock(&state.log).ended += 1;
                return;
            }
        };
        if write_chunk(&mut stream, &text).is_err() {
            return;
        }
    }
}

/// Sends the events of a subscription to its callback URL, from connections of their own.
fn serve_callback(
    state: &State,
    mut stream: TcpStream,
    request: &Request,
    refusal: Option<&Refusal>,
) {
    let callback = Callback::of(&request.body);
    let interval = request.body["extensions"]["subscription"]["heartbeatIntervalMs"].as_u64();
    let interval = Duration::from_millis(interval.unwrap());
    let (status, body) = match refusal {
        Some(Refusal::Errors(errors)) => (400, json!({ "errors": errors })),
        Some(Refusal::Status(status)) => (*status, json!({})),
        Some(Refusal::Cut | Refusal::Close(..)) => return,
        Some(Refusal::Unconfirmed) => (200, json!({ "data": null })),
        None => match callback.send("check", &json!({})) {
            Some(204) => (200, json!({ "data": null })),
            other => (500, json!({ "errors": [{ "message": format!("{other:?}") }] })),
        },
    };
    let commands = register(state);
    lock(&state.log).begun.push(request.body.clone());
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Status\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all([head, body].concat().as_bytes()).unwrap();
    drop(stream);
    if status != 200 {
        return;
    }
    loop {
        let (action, more) = match commands.recv_timeout(interval) {
            Ok(Command::Next(payload)) => ("next", json!({ "payload": payload })),
            Ok(Command::Complete) => ("complete", json!({})),
            Ok(Command::Close(_, reason)) => {
                ("complete", json!({ "errors": [{ "message": reason }] }))
            }
            Ok(Command::Ping) | Err(RecvTimeoutError::Timeout) => ("check", json!({})),
            Ok(Command::Text(_)) => panic!("a callback has no other texts"),
            Ok(Command::Cut) | Err(RecvTimeoutError::Disconnected) => return,
        };
        match callback.send(action, &more) {
            Some(204) if action == "complete" => return,
            Some(204) => {}
            Some(404) => {
                lock(&state.log).ended += 1;
                return;
            }
            // The gateway has stopped.
            None => return,
            other => panic!("{other:?}"),
        }
    }
}

impl Callback {
    /// The callback of a request.
    pub(super) fn of(body: &Value) -> Self {
        let callback = &body["extensions"]["subscription"];
        let text = |name: &str| callback[name].as_str().unwrap().to_owned();
        Self { url: text("callbackUrl"), id: text("subscriptionId"), verifier: text("verifier") }
    }

    /// Sends a message, and returns the status of the response.
    pub(super) fn send(&self, action: &str, more: &Value) -> Option<u16> {
        let Self { url, id, verifier } = self;
        let mut message =
            json!({ "kind": "subscription", "action": action, "id": id, "verifier": verifier });
        let members = message.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let (mut stream, body) = (TcpStream::connect(host).ok()?, message.to_string());
        let head = format!(
            "POST /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nSubscription-Protocol: callback/1.0\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all([head, body].concat().as_bytes()).ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        let status = response.split(' ').nth(1)?.parse().ok()?;
        if status == 204 {
            let response = response.to_ascii_lowercase();
            assert!(response.contains("\r\nsubscription-protocol: callback/1.0\r\n"), "{response}");
        }
        Some(status)
    }
}

fn part(body: &Value) -> String {
    format!("\r\ncontent-type: application/json\r\n\r\n{body}\r\n--graphql")
}

fn write_chunk(stream: &mut TcpStream, text: &str) -> std::io::Result<()> {
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    headers.insert(":path".into(), line.split(' ').nth(1)?.to_owned());
    Some(Request { headers, body })
}

fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
