//! A client that takes little of its answer at a time.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::small::PATH;
use crate::background::{Background, Stop};
use crate::http;

/// Bytes of a read, and the pause after it: a few kilobytes a second.
const BYTES: usize = 4 << 10;
const PAUSE: Duration = Duration::from_secs(1);
/// Between two checks whether the reader was stopped.
const LOOK: Duration = Duration::from_millis(10);

/// A thread that reads until it is told to end, or until there is no more.
#[derive(Debug)]
pub(super) struct SlowReader {
    shared: Arc<Shared>,
    /// Dropping it disconnects without taking the rest.
    _reading: Background<()>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Status of the answer; zero before its head.
    status: AtomicU16,
    bytes: AtomicU64,
    /// Since the request, where the server ended the connection.
    ended: Mutex<Option<Duration>>,
}

impl SlowReader {
    /// Asks, and goes on reading on a thread of its own.
    pub(super) fn start(port: u16, body: &str) -> io::Result<Self> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        let started = Instant::now();
        stream.write_all(http::request(PATH, body).as_bytes())?;
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let reading = Background::start(move |stop| own.read(&stream, started, stop));
        Ok(Self { shared, _reading: reading })
    }

    /// The status of the answer, once its head has come.
    pub(super) fn status(&self) -> Option<u16> {
        Some(self.shared.status.load(Ordering::Relaxed)).filter(|status| *status != 0)
    }

    /// The bytes that were read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }

    /// When the server ended the connection, counted from the request.
    pub(super) fn ended(&self) -> Option<Duration> {
        *self.shared.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn read(&self, mut stream: &TcpStream, started: Instant, stop: &Stop) {
        let mut buffer = [0; BYTES];
        while !stop.is_set() {
            if is_broken(stream) {
                return self.end(started);
            }
            if !has_bytes(stream) {
                thread::sleep(LOOK);
                continue;
            }
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => return self.end(started),
                Ok(bytes) => self.took(&buffer[..bytes]),
            }
            let next = Instant::now() + PAUSE;
            while Instant::now() < next && !stop.is_set() {
                if is_broken(stream) {
                    return self.end(started);
                }
                thread::sleep(LOOK);
            }
        }
    }

    fn took(&self, bytes: &[u8]) {
        if self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed) == 0 {
            self.status.store(status(bytes).unwrap_or_default(), Ordering::Relaxed);
        }
    }

    fn end(&self, started: Instant) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(started.elapsed());
    }
}

/// The server has ended the connection, though bytes of it may still be here.
fn is_broken(stream: &TcpStream) -> bool {
    flags(stream, PollFlags::empty()).intersects(PollFlags::ERR | PollFlags::HUP)
}

fn has_bytes(stream: &TcpStream) -> bool {
    flags(stream, PollFlags::IN).contains(PollFlags::IN)
}

fn flags(stream: &TcpStream, wanted: PollFlags) -> PollFlags {
    let mut polled = [PollFd::new(stream, wanted)];
    match poll(&mut polled, Some(&Timespec::default())) {
        Ok(_) => polled[0].revents(),
        // It was interrupted: the next look will tell.
        Err(_) => PollFlags::empty(),
    }
}

/// The status at the beginning of an answer.
fn status(head: &[u8]) -> Option<u16> {
    let digits = head.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_status_stands_at_the_beginning() {
        assert_eq!(status(b"HTTP/1.1 503 Service Unavailable\r\n"), Some(503));
        assert_eq!(status(b"HTTP/1.1 2"), None);
        assert_eq!(status(b"{}"), None);
    }

    fn wait(is_there: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        while !is_there() {
            assert!(Instant::now() < end, "it never came");
            thread::sleep(LOOK);
        }
    }

    /// A server that has more to send than the reader takes, and resets the connection.
    #[test]
    fn an_end_is_seen_although_bytes_are_left() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let reader = SlowReader::start(port, "{}").unwrap();
        let (mut server, _) = listener.accept().unwrap();
        server
            .write_all(&[b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &[b'x'; 64 << 10]].concat())
            .unwrap();
        wait(|| reader.status() == Some(200));
        assert_eq!(reader.ended(), None);
        // The request was never read, so that closing resets.
        drop(server);
        wait(|| reader.ended().is_some());
        assert!(reader.bytes() < 64 << 10, "{reader:?}");
    }
}
