//! A server for the tests of loads: a thread a connection, answers by their number.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// It listens until the process of the tests ends.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) port: u16,
    asked: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    bodies: Arc<Mutex<BTreeSet<String>>>,
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
        let trial = Self {
            port,
            asked: Arc::default(),
            connections: Arc::default(),
            bodies: Arc::default(),
        };
        let (asked, bodies) = (Arc::clone(&trial.asked), Arc::clone(&trial.bodies));
        let connections = Arc::clone(&trial.connections);
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                connections.fetch_add(1, Ordering::SeqCst);
                let (answer, asked) = (Arc::clone(&answer), Arc::clone(&asked));
                let bodies = Arc::clone(&bodies);
                thread::spawn(move || {
                    serve(stream.unwrap(), |body| {
                        bodies.lock().unwrap().insert(body);
                        answer(asked.fetch_add(1, Ordering::SeqCst) + 1)
                    })
                });
            }
        });
        trial
    }

    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// The different ones that were sent.
    pub(super) fn bodies(&self) -> BTreeSet<String> {
        self.bodies.lock().unwrap().clone()
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Until the client ends the connection.
fn serve(stream: TcpStream, answer: impl Fn(String) -> String) -> Option<()> {
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
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let body = String::from_utf8(body).ok()?;
        reader.get_mut().write_all(answer(body).as_bytes()).ok()?;
    }
}
