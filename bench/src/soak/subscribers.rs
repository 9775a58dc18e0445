//! Subscribers of the rows that change, over WebSockets: they come, follow a row for a while, and go.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ledger::{Kind, Ledger};
use super::site::ACCOUNTS;
use crate::background::Stop;
use crate::live::frame;

/// For so long a subscriber follows its row.
const STAY: Duration = Duration::from_secs(8);
/// A change must have arrived within this time, disturbances aside.
const PATIENCE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(200);

const HANDSHAKE: &[u8] = b"GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n\
    Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
    Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n";

/// An open socket with the bytes that have not been read as frames.
struct Socket {
    stream: TcpStream,
    bytes: Vec<u8>,
}

/// A message from the server.
enum Message {
    Balance(u64),
    Error(String),
    Other,
}

/// The way in which a subscription ended before its time.
enum Failure {
    Closed(String),
    /// The change never arrived.
    Missing(u64),
}

pub(super) fn run(port: u16, ledger: &Ledger, number: u32, stop: &Stop) {
    let mut step = number;
    while !stop.is_set() {
        step = step.wrapping_add(5);
        let account = step % ACCOUNTS + 1;
        let was_disturbed = ledger.is_disturbed();
        match follow(port, ledger, account, stop) {
            Ok(()) => {}
            Err(Failure::Closed(problem)) => {
                ledger.error(Kind::Event, was_disturbed, &problem);
                std::thread::sleep(POLL);
            }
            Err(Failure::Missing(balance)) => ledger.problem(format!(
                "no event with {balance} of account {account} within {PATIENCE:?}"
            )),
        }
    }
}

/// Follows a row, and leaves when it has seen what was acknowledged in the end.
fn follow(port: u16, ledger: &Ledger, account: u32, stop: &Stop) -> Result<(), Failure> {
    let closed = |error: std::io::Error| Failure::Closed(format!("WebSocket: {:?}", error.kind()));
    let mut socket = Socket::open(port, account).map_err(closed)?;
    let (mut newest, started) = (0, Instant::now());
    let mut awaited: Option<(u64, Instant)> = None;
    while !stop.is_set() {
        match socket.read().map_err(closed)? {
            Some(Message::Balance(balance)) => {
                ledger.count(Kind::Event);
                if balance < newest || balance > ledger.sent(account) {
                    ledger.problem(format!("event of account {account}: {balance} after {newest}"));
                }
                newest = balance;
            }
            Some(Message::Error(code)) => return Err(Failure::Closed(code)),
            Some(Message::Other) | None => {}
        }
        match awaited {
            Some((balance, _)) if newest >= balance => return Ok(()),
            // The time of a disturbance does not count.
            Some((balance, _)) if ledger.is_disturbed() => {
                awaited = Some((balance, Instant::now()));
            }
            Some((balance, since)) if since.elapsed() > PATIENCE => {
                return Err(Failure::Missing(balance));
            }
            None if started.elapsed() > STAY => {
                awaited = Some((ledger.acknowledged(account), Instant::now()));
            }
            Some(_) | None => {}
        }
    }
    Ok(())
}

impl Socket {
    fn open(port: u16, account: u32) -> std::io::Result<Self> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(POLL))?;
        stream.write_all(HANDSHAKE)?;
        let mut socket = Self { stream, bytes: Vec::new() };
        let started = Instant::now();
        let end = loop {
            if let Some(place) = socket.bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break place + 4;
            }
            if started.elapsed() > PATIENCE {
                return Err(ErrorKind::TimedOut.into());
            }
            socket.receive()?;
        };
        if !socket.bytes.starts_with(b"HTTP/1.1 101 ") {
            return Err(ErrorKind::ConnectionRefused.into());
        }
        socket.bytes.drain(..end);
        socket.send(&json!({ "type": "connection_init" }))?;
        let query = format!("subscription {{ accountById(id: {account}) {{ balance }} }}");
        let payload = json!({ "query": query });
        socket.send(&json!({ "id": "1", "type": "subscribe", "payload": payload }))?;
        Ok(socket)
    }

    fn send(&mut self, message: &Value) -> std::io::Result<()> {
        self.stream.write_all(&frame::text(&message.to_string()))
    }

    /// The next message; `None` if none came for a while.
    fn read(&mut self) -> std::io::Result<Option<Message>> {
        let invalid = |frame::Invalid| std::io::Error::from(ErrorKind::InvalidData);
        let Some(frame) = frame::read(&self.bytes).map_err(invalid)? else {
            self.receive()?;
            return Ok(None);
        };
        let payload = self.bytes[frame.payload.clone()].to_vec();
        self.bytes.drain(..frame.payload.end);
        match frame.kind {
            frame::Kind::Text => Ok(Some(read(&payload))),
            frame::Kind::Ping => {
                self.stream.write_all(&frame::pong(&payload))?;
                Ok(None)
            }
            frame::Kind::Pong => Ok(None),
            frame::Kind::Close => Err(ErrorKind::ConnectionAborted.into()),
        }
    }

    fn receive(&mut self) -> std::io::Result<()> {
        let mut part = [0; 4_096];
        match self.stream.read(&mut part) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(length) => {
                self.bytes.extend(&part[..length]);
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

fn read(payload: &[u8]) -> Message {
    let message: Value = serde_json::from_slice(payload).unwrap_or_default();
    match message["type"].as_str() {
        Some("next") => match message["payload"]["data"]["accountById"]["balance"].as_u64() {
            Some(balance) => Message::Balance(balance),
            None => {
                let payload = message["payload"].to_string();
                let code = super::clients::code(payload.as_bytes());
                Message::Error(code.unwrap_or(payload))
            }
        },
        Some("error" | "complete") => {
            let code = message["payload"][0]["extensions"]["code"].as_str();
            Message::Error(code.map_or_else(|| message.to_string(), ToOwned::to_owned))
        }
        _ => Message::Other,
    }
}
