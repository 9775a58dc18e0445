//! A server of HTTP/1.1 in threads, whose answers a test decides, faults included.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A server on this machine, until it is dropped.
#[derive(Debug)]
pub struct HttpServer {
    pub address: SocketAddr,
    state: Arc<State>,
}

/// A request that it received.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    Json(Value),
    /// A status, further lines of the head, and a body.
    Status(u16, &'static str, String),
    /// All bytes of the response.
    Raw(Vec<u8>),
    /// No answer for so long.
    Sleep(Duration),
    /// One byte of a long answer every so often.
    Drip(Duration),
    /// The connection is closed.
    Close,
}

#[derive(Debug)]
struct State {
    reply: fn(&Received) -> Reply,
    received: Mutex<Vec<Received>>,
    is_over: AtomicBool,
}

impl HttpServer {
    /// Starts a server.
    ///
    /// # Panics
    ///
    /// No port of this machine is free.
    #[must_use]
    pub fn start(reply: fn(&Received) -> Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let state =
            Arc::new(State { reply, received: Mutex::default(), is_over: AtomicBool::default() });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let state = Arc::clone(&shared);
                thread::spawn(move || stream.ok().and_then(|stream| state.serve(&stream)));
            }
        });
        Self { address, state }
    }

    /// The requests since this was called last, in the order of their arrival.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        std::mem::take(&mut *self.state.received())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // The thread that waits for connections ends.
        drop(TcpStream::connect(self.address));
    }
}

impl State {
    fn received(&self) -> MutexGuard<'_, Vec<Received>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers the requests of a connection; `None` when it ends.
    fn serve(&self, stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        loop {
            let received = read(&mut reader)?;
            self.received().push(received.clone());
            self.answer(&received, stream)?;
        }
    }

    fn answer(&self, received: &Received, mut stream: &TcpStream) -> Option<()> {
        match (self.reply)(received) {
            Reply::Json(value) => {
                let head = "content-type: application/json\r\n";
                write(stream, 200, head, value.to_string().as_bytes())
            }
            Reply::Status(status, head, body) => write(stream, status, head, body.as_bytes()),
            Reply::Raw(bytes) => {
                stream.write_all(&bytes).ok()?;
                None
            }
            Reply::Sleep(time) => {
                thread::sleep(time);
                None
            }
            Reply::Drip(time) => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").ok()?;
                while !self.is_over.load(Ordering::Relaxed) {
                    stream.write_all(b" ").ok()?;
                    thread::sleep(time);
                }
                None
            }
            Reply::Close => None,
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Received { method, target, headers, body: String::from_utf8(body).ok()? })
}

fn write(mut stream: &TcpStream, status: u16, head: &str, body: &[u8]) -> Option<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} -\r\n{head}content-length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).ok()
}
