//! A way to a PostgreSQL that knows where messages end, and breaks off after so many of them.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Connections are taken and messages go on, one by one, until the one is reached before which the
/// way breaks off: then both ends lose the connection, and no other one is made until the cutter is
/// told so.
#[derive(Debug)]
pub(crate) struct Cutter {
    pub(crate) port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    cut: Mutex<Option<Cut>>,
    is_over: AtomicBool,
    /// How many directions of connections are open.
    open: AtomicUsize,
}

/// Where the way breaks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    towards: Towards,
    /// How many messages still go on.
    left: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Towards {
    Server,
    Client,
}

/// A message as it came.
type Message = Vec<u8>;

impl Cutter {
    /// To a port of this machine; nothing is cut yet.
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
                let Ok(client) = stream else { continue };
                let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { continue };
                shared.forward(&client, &server);
            }
        });
        Self { port: own, state }
    }

    /// Breaks off before the message after so many, of those that come from now on.
    pub(crate) fn cut_after(&self, towards: Towards, messages: usize) {
        *self.state.cut() = Some(Cut { towards, left: messages });
    }

    /// Whether both ends of every connection know that it is over.
    pub(crate) fn is_unused(&self) -> bool {
        self.state.open.load(Ordering::SeqCst) == 0
    }

    /// Lets everything through again, and tells whether the way was still whole.
    pub(crate) fn mend(&self) -> bool {
        self.state.cut().take().is_none_or(|cut| cut.left > 0)
    }
}

impl Drop for Cutter {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

impl State {
    fn cut(&self) -> std::sync::MutexGuard<'_, Option<Cut>> {
        self.cut.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forward(self: &Arc<Self>, client: &TcpStream, server: &TcpStream) {
        for (from, to, towards) in
            [(client, server, Towards::Server), (server, client, Towards::Client)]
        {
            let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            let shared = Arc::clone(self);
            self.open.fetch_add(1, Ordering::SeqCst);
            thread::spawn(move || {
                shared.copy(from, to, towards);
                shared.open.fetch_sub(1, Ordering::SeqCst);
            });
        }
    }

    fn copy(&self, mut from: TcpStream, mut to: TcpStream, towards: Towards) {
        // Only the client's first message has no type.
        let mut has_type = towards == Towards::Client;
        while let Ok(message) = read(&mut from, has_type) {
            has_type = true;
            if self.is_cut(towards) || to.write_all(&message).is_err() {
                break;
            }
        }
        // Both ends learn that it is over; they may know already.
        drop(from.shutdown(Shutdown::Both));
        drop(to.shutdown(Shutdown::Both));
    }

    /// Whether this message does not go on.
    fn is_cut(&self, towards: Towards) -> bool {
        let mut cut = self.cut();
        let Some(cut) = cut.as_mut() else { return false };
        // Whoever comes after the cut comes too late, whatever the way.
        if cut.left == 0 {
            return true;
        }
        if cut.towards == towards {
            cut.left -= 1;
        }
        false
    }
}

fn read(from: &mut TcpStream, has_type: bool) -> io::Result<Message> {
    let head = if has_type { 5 } else { 4 };
    let mut message = vec![0; head];
    from.read_exact(&mut message)?;
    let length = u32::from_be_bytes(message[head - 4..].try_into().unwrap());
    let body = usize::try_from(length).unwrap().saturating_sub(4);
    message.resize(head + body, 0);
    from.read_exact(&mut message[head..])?;
    Ok(message)
}
