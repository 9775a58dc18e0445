//! A subgraph that answers as it is told, rightly or not.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How often a connection looks whether all is over.
const POLL: Duration = Duration::from_millis(50);

/// What is done with each request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// It is answered.
    None,
    /// Nothing comes, and the connection stays.
    Silence,
    /// The connection is closed.
    Close,
    /// Half of an answer comes, and then the end of the connection.
    Half,
    /// Another body than the right one.
    Body(&'static str),
    /// A page of a server in front of the subgraph.
    Page(&'static str),
    /// A right answer with so many blanks in it.
    Blanks(usize),
}

/// A subgraph at a port of this machine; all its answers are the same.
#[derive(Debug)]
pub(crate) struct Subgraph {
    pub(crate) port: u16,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    answer: &'static str,
    fault: Mutex<Fault>,
    requests: AtomicUsize,
    is_over: AtomicBool,
}

impl Subgraph {
    pub(crate) fn start(answer: &'static str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            answer,
            fault: Mutex::new(Fault::None),
            requests: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::Relaxed) {
                    break;
                }
                let (stream, shared) = (stream.unwrap(), Arc::clone(&shared));
                thread::spawn(move || shared.serve(stream));
            }
        });
        Self { port, state }
    }

    pub(crate) fn set(&self, fault: Fault) {
        *self.state.fault.lock().unwrap() = fault;
    }

    /// How many requests came so far.
    pub(crate) fn requests(&self) -> usize {
        self.state.requests.load(Ordering::Relaxed)
    }
}

impl Drop for Subgraph {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

impl State {
    fn serve(&self, mut stream: TcpStream) {
        stream.set_read_timeout(Some(POLL)).unwrap();
        stream.set_nodelay(true).unwrap();
        while self.take_request(&mut stream) {
            self.requests.fetch_add(1, Ordering::Relaxed);
            let fault = *self.fault.lock().unwrap();
            // Whoever is not there any more takes nothing.
            if self.answer(&mut stream, fault).is_err() {
                break;
            }
        }
    }

    fn answer(&self, stream: &mut TcpStream, fault: Fault) -> std::io::Result<()> {
        const JSON: &str = "200 OK\r\ncontent-type: application/json";
        match fault {
            Fault::None => send(stream, JSON, self.answer),
            Fault::Silence => Ok(()),
            Fault::Close => stream.shutdown(Shutdown::Both),
            Fault::Half => {
                let (half, _) = self.answer.split_at(self.answer.len() / 2);
                let length = self.answer.len();
                write!(stream, "HTTP/1.1 {JSON}\r\ncontent-length: {length}\r\n\r\n{half}")?;
                stream.shutdown(Shutdown::Both)
            }
            Fault::Body(text) => send(stream, JSON, text),
            Fault::Page(status) => {
                send(stream, &format!("{status}\r\ncontent-type: text/html"), "<p>Sorry.</p>")
            }
            Fault::Blanks(count) => {
                let length = self.answer.len() + count;
                write!(stream, "HTTP/1.1 {JSON}\r\ncontent-length: {length}\r\n\r\n")?;
                let blanks = vec![b' '; 1 << 20];
                let mut left = count;
                while left > 0 {
                    let some = left.min(blanks.len());
                    stream.write_all(&blanks[..some])?;
                    left -= some;
                }
                stream.write_all(self.answer.as_bytes())
            }
        }
    }

    /// Reads one request; false if there will be none.
    fn take_request(&self, stream: &mut TcpStream) -> bool {
        let mut bytes = Vec::new();
        let mut part = [0; 4096];
        while !is_whole(&bytes) {
            match stream.read(&mut part) {
                Ok(0) => return false,
                Ok(length) => bytes.extend_from_slice(&part[..length]),
                Err(_) if self.is_over.load(Ordering::Relaxed) => return false,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => return false,
            }
        }
        true
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}

fn send(stream: &mut TcpStream, head: &str, body: &str) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}
