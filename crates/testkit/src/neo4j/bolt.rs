//! One connection to a Neo4j of this machine, one statement at a time.
//!
//! [Bolt](https://neo4j.com/docs/bolt/current/bolt/message/) 5.1 to 5.4, independent of the
//! product's: the code that prepares and inspects a graph is not the code under test.

use std::io::{self, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::value::Value;

/// A server that just starts takes its time for the first statement.
const PATIENCE: Duration = Duration::from_secs(60);

/// The greeting, and the only range of versions that is offered: 5.4 down to 5.1.
const HANDSHAKE: [u8; 20] =
    [0x60, 0x60, 0xB0, 0x17, 0, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// The most that fits between two lengths.
const CHUNK: usize = 0xFFFF;

const HELLO: u8 = 0x01;
const LOGON: u8 = 0x6A;
const RUN: u8 = 0x10;
const PULL: u8 = 0x3F;
const SUCCESS: u8 = 0x70;
const RECORD: u8 = 0x71;
const FAILURE: u8 = 0x7F;

/// A statement could not be run. The connection is of no more use.
#[derive(Debug, thiserror::Error)]
pub enum BoltError {
    /// The connection.
    #[error(transparent)]
    Connection(#[from] io::Error),
    /// The server requires another version of the protocol.
    #[error("the server speaks none of Bolt 5.1 to 5.4")]
    Version,
    /// The server refused something.
    #[error("{code}: {message}")]
    Refused {
        /// The code, such as `Neo.ClientError.Statement.SyntaxError`.
        code: String,
        /// The server's message.
        message: String,
    },
    /// The received bytes are no answer.
    #[error("the answer makes no sense")]
    Answer,
}

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
}

/// A statement with its parameters, in the bytes that are sent: it may be sent again and again.
#[derive(Debug, Clone)]
pub struct Request(Vec<u8>);

impl Request {
    /// The parameters are a map.
    #[must_use]
    pub fn new(statement: &str, parameters: Value) -> Self {
        let mut bytes = message(RUN, vec![statement.into(), parameters, map([])]);
        bytes.extend(message(PULL, vec![map([("n", Value::Integer(-1))])]));
        Self(bytes)
    }
}

impl Connection {
    /// Connects to a port of this machine, as the user `neo4j` if there is a password.
    pub fn open(port: u16, password: Option<&str>) -> Result<Self, BoltError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        stream.write_all(&HANDSHAKE)?;
        let mut version = [0; 4];
        stream.read_exact(&mut version)?;
        if !matches!(version, [0, 0, 1..=4, 5]) {
            return Err(BoltError::Version);
        }
        let mut connection = Self { stream: BufReader::new(stream) };
        let agent = Value::from("thalweg-testkit");
        connection.request(
            HELLO,
            vec![map([("user_agent", agent.clone()), ("bolt_agent", map([("product", agent)]))])],
        )?;
        let token = match password {
            None => map([("scheme", "none".into())]),
            Some(password) => map([
                ("scheme", "basic".into()),
                ("principal", "neo4j".into()),
                ("credentials", password.into()),
            ]),
        };
        connection.request(LOGON, vec![token])?;
        Ok(connection)
    }

    /// Runs a statement in a transaction of its own and returns its records.
    pub fn query(&mut self, statement: &str) -> Result<Vec<Vec<Value>>, BoltError> {
        self.query_in(None, statement)
    }

    /// Runs a statement in another database than the user's own, such as `system`.
    pub fn query_in(
        &mut self,
        database: Option<&str>,
        statement: &str,
    ) -> Result<Vec<Vec<Value>>, BoltError> {
        let extra = match database {
            Some(name) => map([("db", name.into())]),
            None => map([]),
        };
        self.request(RUN, vec![statement.into(), map([]), extra])?;
        self.request(PULL, vec![map([("n", Value::Integer(-1))])])
    }

    /// Sends both messages of a request at once, as drivers do, and returns the records.
    pub fn exchange(&mut self, request: &Request) -> Result<Vec<Vec<Value>>, BoltError> {
        self.stream.get_mut().write_all(&request.0)?;
        self.answer()?;
        self.answer()
    }

    /// Sends a message and reads up to the end of its answer; returns the records before that.
    fn request(&mut self, tag: u8, fields: Vec<Value>) -> Result<Vec<Vec<Value>>, BoltError> {
        self.stream.get_mut().write_all(&message(tag, fields))?;
        self.answer()
    }

    /// Reads up to the end of the answer to a message.
    fn answer(&mut self) -> Result<Vec<Vec<Value>>, BoltError> {
        let mut records = Vec::new();
        loop {
            let Value::Structure(tag, fields) = self.receive()? else {
                return Err(BoltError::Answer);
            };
            match (tag, fields.into_iter().next()) {
                (RECORD, Some(Value::List(record))) => records.push(record),
                (SUCCESS, _) => return Ok(records),
                (FAILURE, Some(about)) => {
                    let text = |key| about.get(key).and_then(Value::text).unwrap_or_default();
                    let (code, message) = (text("code").to_owned(), text("message").to_owned());
                    return Err(BoltError::Refused { code, message });
                }
                _ => return Err(BoltError::Answer),
            }
        }
    }

    fn receive(&mut self) -> Result<Value, BoltError> {
        let mut message = Vec::new();
        loop {
            let mut length = [0; 2];
            self.stream.read_exact(&mut length)?;
            let length = usize::from(u16::from_be_bytes(length));
            match length {
                // An empty chunk ends a message; before one it keeps the connection alive.
                0 if message.is_empty() => {}
                0 => break,
                _ => {
                    let start = message.len();
                    message.resize(start + length, 0);
                    self.stream.read_exact(&mut message[start..])?;
                }
            }
        }
        match Value::read(&message) {
            Some((value, [])) => Ok(value),
            Some(_) | None => Err(BoltError::Answer),
        }
    }
}

/// The bytes of a message.
fn message(tag: u8, fields: Vec<Value>) -> Vec<u8> {
    let mut message = Vec::new();
    Value::Structure(tag, fields).write(&mut message);
    let mut bytes = Vec::with_capacity(message.len() + 4);
    for chunk in message.chunks(CHUNK) {
        bytes.extend(u16::try_from(chunk.len()).unwrap_or(u16::MAX).to_be_bytes());
        bytes.extend(chunk);
    }
    bytes.extend([0, 0]);
    bytes
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Map(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
