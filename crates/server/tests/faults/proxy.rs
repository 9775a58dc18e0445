//! A way to a database that can be blocked.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const POLL: Duration = Duration::from_millis(10);

/// Connections are taken, and what comes goes on, unless the way is blocked: then nothing comes
/// any more, and nobody is told.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    is_blocked: AtomicBool,
    accepted: AtomicUsize,
    is_over: AtomicBool,
}

impl Proxy {
    /// To a port of this machine.
    pub(crate) fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let own = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::Relaxed) {
                    break;
                }
                shared.accepted.fetch_add(1, Ordering::Relaxed);
                let (stream, shared) = (stream.unwrap(), Arc::clone(&shared));
                thread::spawn(move || shared.forward(stream, port));
            }
        });
        Self { port: own, state }
    }

    pub(crate) fn block(&self, is_blocked: bool) {
        self.state.is_blocked.store(is_blocked, Ordering::Relaxed);
    }

    /// How many connections came so far.
    pub(crate) fn accepted(&self) -> usize {
        self.state.accepted.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

impl State {
    fn forward(self: Arc<Self>, client: TcpStream, port: u16) {
        if !self.wait() {
            return;
        }
        let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return };
        let back = (server.try_clone().unwrap(), client.try_clone().unwrap());
        let shared = Arc::clone(&self);
        thread::spawn(move || shared.copy(back.0, back.1));
        self.copy(client, server);
    }

    fn copy(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut buffer = [0; 16 << 10];
        from.set_read_timeout(Some(POLL)).unwrap();
        loop {
            if !self.wait() {
                return;
            }
            match from.read(&mut buffer) {
                Ok(length) if length > 0 => {
                    if !self.wait() || to.write_all(&buffer[..length]).is_err() {
                        break;
                    }
                }
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Ok(_) | Err(_) => break,
            }
        }
        // Both ends learn that it is over; they may know already.
        drop(from.shutdown(std::net::Shutdown::Both));
        drop(to.shutdown(std::net::Shutdown::Both));
    }

    /// Until the way is free; false when there is none any more.
    fn wait(&self) -> bool {
        while self.is_blocked.load(Ordering::Relaxed) && !self.is_over.load(Ordering::Relaxed) {
            thread::sleep(POLL);
        }
        !self.is_over.load(Ordering::Relaxed)
    }
}
