//! Clients that ask one query after the other over connections that they keep.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use serde_json::Value;

use crate::program::{PATIENCE, post, read_answer};

/// Clients at work. Whoever is not answered, or not in time, fails the test.
#[derive(Debug)]
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicUsize>,
    clients: Vec<JoinHandle<Vec<Value>>>,
}

impl Load {
    pub(crate) fn start(address: SocketAddr, clients: usize, query: &'static str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let answered = Arc::new(AtomicUsize::new(0));
        let clients = (0..clients).map(|_| {
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            std::thread::spawn(move || ask_until(address, query, &stop, &answered))
        });
        let clients = clients.collect();
        Self { stop, answered, clients }
    }

    /// How many requests were answered so far.
    pub(crate) fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }

    /// Every answer, the first ones of equal ones in a row only.
    pub(crate) fn stop(self) -> Vec<Value> {
        self.stop.store(true, Ordering::Relaxed);
        self.clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    }
}

fn ask_until(
    address: SocketAddr,
    query: &str,
    stop: &AtomicBool,
    answered: &AtomicUsize,
) -> Vec<Value> {
    let body = serde_json::json!({ "query": query }).to_string();
    let request = post("application/json", "", &body);
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut answers: Vec<Value> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        stream.write_all(request.as_bytes()).unwrap();
        let answer = read_answer(&mut reader, true);
        assert_eq!(answer.status, 200, "{}", answer.body);
        let answer = serde_json::from_str(&answer.body).unwrap();
        answered.fetch_add(1, Ordering::Relaxed);
        if answers.last() != Some(&answer) {
            answers.push(answer);
        }
    }
    answers
}
