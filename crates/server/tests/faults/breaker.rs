//! A way to a database that breaks off, or on which no answer comes back, or another one.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

const POLL: Duration = Duration::from_millis(5);

/// What becomes of connections from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Open,
    /// What is asked goes on, and what is answered does not.
    Mute,
    /// What is asked goes on, and another answer comes than was given.
    Garbled,
    /// Those that are there end, and others end as soon as they are made.
    Closed,
    /// There is no way any more.
    Over,
}

const MODES: [Mode; 5] = [Mode::Open, Mode::Mute, Mode::Garbled, Mode::Closed, Mode::Over];

/// A message as Bolt has them, of a kind that no server sends, and no version of the protocol.
const GARBAGE: &[u8] = b"\x00\x03\xb1\x42\xa0\x00\x00";

#[derive(Debug)]
pub(crate) struct Breaker {
    pub(crate) port: u16,
    mode: Arc<AtomicU8>,
}

impl Breaker {
    /// To a port of this machine.
    pub(crate) fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let own = listener.local_addr().unwrap().port();
        let mode = Arc::new(AtomicU8::new(0));
        let shared = Arc::clone(&mode);
        thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { continue };
                match of(&shared) {
                    Mode::Open | Mode::Mute | Mode::Garbled => {}
                    Mode::Closed => continue,
                    Mode::Over => break,
                }
                let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { continue };
                let back = (server.try_clone().unwrap(), client.try_clone().unwrap());
                let (one, other) = (Arc::clone(&shared), Arc::clone(&shared));
                thread::spawn(move || copy(client, server, &one, false));
                thread::spawn(move || copy(back.0, back.1, &other, true));
            }
        });
        Self { port: own, mode }
    }

    pub(crate) fn set(&self, mode: Mode) {
        let place = MODES.iter().position(|own| *own == mode).unwrap();
        self.mode.store(u8::try_from(place).unwrap(), Ordering::SeqCst);
    }
}

impl Drop for Breaker {
    fn drop(&mut self) {
        self.set(Mode::Over);
        // Wakes the thread that accepts.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

fn of(mode: &AtomicU8) -> Mode {
    MODES[usize::from(mode.load(Ordering::SeqCst))]
}

fn copy(mut from: TcpStream, mut to: TcpStream, mode: &AtomicU8, is_answer: bool) {
    let mut buffer = [0; 16 << 10];
    from.set_read_timeout(Some(POLL)).unwrap();
    loop {
        match of(mode) {
            Mode::Open | Mode::Garbled => {}
            Mode::Mute if !is_answer => {}
            Mode::Mute => {
                thread::sleep(POLL);
                continue;
            }
            Mode::Closed | Mode::Over => break,
        }
        match from.read(&mut buffer) {
            Ok(length) if length > 0 => {
                // The mode may have changed while it was waited for.
                while is_answer && of(mode) == Mode::Mute {
                    thread::sleep(POLL);
                }
                let passed = match of(mode) {
                    Mode::Garbled if is_answer => GARBAGE,
                    Mode::Closed => break,
                    Mode::Open | Mode::Mute | Mode::Garbled | Mode::Over => &buffer[..length],
                };
                if to.write_all(passed).is_err() {
                    break;
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Ok(_) | Err(_) => break,
        }
    }
    // Both ends learn that it is over; they may know already.
    drop(from.shutdown(Shutdown::Both));
    drop(to.shutdown(Shutdown::Both));
}
