//! A server for the tests of loads: a thread a connection, answers by their number.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// It listens until the process of the tests ends.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) port: u16,
    asked: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
}

/// A good answer with a body.
pub(super) fn answers(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

impl Trial {
    /// The answers are asked for by their number, from 1.
    pub(super) fn start(answer: impl Fn(usize) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, connections) = (Arc::default(), Arc::default());
        let trial = Self { port, asked: Arc::clone(&asked), connections: Arc::clone(&connections) };
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                connections.fetch_add(1, Ordering::SeqCst);
                let (answer, asked) = (Arc::clone(&answer), Arc::clone(&asked));
                thread::spawn(move || serve(stream.unwrap(), &*answer, &asked));
            }
        });
        trial
    }

    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Until the client ends the connection.
fn serve(stream: TcpStream, answer: &dyn Fn(usize) -> String, asked: &AtomicUsize) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(bytes) = line.strip_prefix("content-length: ") {
                length = bytes.parse().ok()?;
            }
            if line.is_empty() {
                break;
            }
        }
        reader.read_exact(&mut vec![0; length]).ok()?;
        let number = asked.fetch_add(1, Ordering::SeqCst) + 1;
        reader.get_mut().write_all(answer(number).as_bytes()).ok()?;
    }
}
