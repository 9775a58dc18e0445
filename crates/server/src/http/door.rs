//! The door of one thread: who comes in, who makes room, who is turned away.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use rustix::io::Errno;
use rustls::ServerConfig;
use tokio::sync::watch;
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use super::clients::{Clients, Seat};
use super::connection;
use super::connections::Connections;
use super::farewell;
use super::listen::Socket;
use super::process::Process;
use super::respond::Refusal;
use super::service::{Current, Generation};
use super::transport::{Listener, Peer, Transport};

/// After a failed accept, and for a place or a file descriptor to come free.
const PAUSE: Duration = Duration::from_millis(50);

/// So many clients of a thread are turned away at a time with the patience to let them read why.
const MOST_FAREWELLS: usize = 32;

/// So many are accepted at a time only to be turned away.
const MOST_DISMISSED: usize = 100;

#[derive(Debug)]
pub(super) struct Door {
    pub(super) current: Current,
    pub(super) connections: Rc<Connections>,
    process: Arc<Process>,
    farewells: Cell<usize>,
    /// A file descriptor that is given up when there is no other left, to tell clients so.
    reserve: RefCell<Option<File>>,
}

/// One of the farewells, as long as it takes.
#[derive(Debug)]
struct Farewell(Rc<Door>);

/// Serves with one thread until the server stops, then waits for the requests that have begun.
pub(super) async fn serve(
    generations: watch::Receiver<Generation>,
    sockets: Vec<Socket>,
    stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let listeners: Vec<Listener> =
        sockets.into_iter().map(Listener::new).collect::<io::Result<_>>()?;
    let process = Arc::clone(&generations.borrow().process);
    let current = Current::new(generations);
    spawn_local(current.clone().follow());
    let door = Door::new(current, process);
    let open = listeners.into_iter().map(|listener| {
        let door = Rc::clone(&door);
        door.open(listener, stopping.clone())
    });
    tokio::select! {
        _ = join_all(open) => {}
        () = door.make_room() => {}
    }
    door.connections.stop();
    let drain_timeout = door.current.get().settings.drain_timeout;
    if timeout(drain_timeout, door.connections.ended()).await.is_err() {
        let count = door.connections.count();
        tracing::warn!(count, "connections were closed before their requests were answered");
    }
    Ok(())
}

impl Door {
    fn new(current: Current, process: Arc<Process>) -> Rc<Self> {
        Rc::new(Self {
            current,
            connections: Rc::default(),
            process,
            farewells: Cell::new(0),
            reserve: RefCell::new(reserve()),
        })
    }

    /// Takes connections until the server stops.
    async fn open(self: Rc<Self>, listener: Listener, mut stopping: watch::Receiver<bool>) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                // An error means that nobody could stop this thread any more.
                _ = stopping.wait_for(|stopping| *stopping) => break,
            };
            match accepted {
                Ok((transport, peer)) => self.admit(transport, peer),
                Err(error) if is_of_one_connection(&error) => {
                    tracing::debug!(%error, "a connection was gone before it was accepted");
                }
                Err(error) if is_exhausted(&error) => self.endure(&listener, &error).await,
                Err(error) => {
                    tracing::warn!(%error, "no connection can be accepted");
                    sleep(PAUSE).await;
                }
            }
        }
        // Those who have connected already are not sent away for that.
        while let Some(Ok((transport, peer))) = listener.accept().now_or_never() {
            self.admit(transport, peer);
        }
    }

    /// Gives up connections that are not used when another thread needs their places.
    async fn make_room(&self) {
        let mut pressure = self.clients().pressure();
        while pressure.changed().await.is_ok() {
            if self.clients().count() >= self.most() {
                self.connections.evict();
            }
        }
    }

    fn clients(&self) -> &Arc<Clients> {
        &self.process.clients
    }

    /// What encrypts the connections that come over this, if anything does.
    pub(super) fn tls(&self) -> Option<Arc<ServerConfig>> {
        self.current.get().settings.tls.as_ref().map(|tls| tls.newest())
    }

    fn most(&self) -> usize {
        self.current.get().settings.max_clients
    }

    fn admit(self: &Rc<Self>, transport: Transport, peer: Peer) {
        match self.clients().take(self.most()) {
            Some(seat) => self.attend(transport, peer, seat),
            // The place comes free at once.
            None if self.connections.evict() => {
                let seat = self.clients().take_beyond();
                self.attend(transport, peer, seat);
            }
            None => self.turn_away(transport, peer),
        }
    }

    fn attend(self: &Rc<Self>, transport: Transport, peer: Peer, seat: Seat) {
        if let Err(error) = transport.hurry() {
            tracing::debug!(%error, "a connection was closed at once");
            return;
        }
        spawn_local(connection::attend(Rc::clone(self), transport, peer, seat));
    }

    /// Waits a moment for the other threads to make room, then tells the client that there is none.
    fn turn_away(self: &Rc<Self>, transport: Transport, peer: Peer) {
        self.clients().press();
        if self.farewells.get() >= MOST_FAREWELLS {
            self.count_refused();
            return self.dismiss(transport, &farewell::answer(&self.refusal()));
        }
        let farewell = Farewell::begin(self);
        spawn_local(async move {
            let door = &farewell.0;
            sleep(PAUSE).await;
            match door.clients().take(door.most()) {
                Some(seat) => door.attend(transport, peer, seat),
                None => {
                    door.count_refused();
                    let words = farewell::answer(&door.refusal());
                    farewell::greet_and_say(transport, door.tls(), &words).await;
                }
            }
        });
    }

    /// Closes at once, with words where the client understands them without a handshake.
    fn dismiss(&self, transport: Transport, words: &[u8]) {
        match (self.tls(), &transport) {
            (Some(_), Transport::Tcp(_)) => drop(transport),
            (_, Transport::Tcp(_) | Transport::Unix(_) | Transport::Tls(_)) => {
                transport.dismiss(words);
            }
        }
    }

    fn refusal(&self) -> Refusal {
        Refusal::TooManyConnections { most: self.most() }
    }

    fn count_refused(&self) {
        self.current.get().count_refused(&self.refusal());
        if let Some(count) = self.clients().refused.happens() {
            let most = self.most();
            tracing::warn!(count, most, "clients were turned away; --max-clients allows more");
        }
    }

    /// Without a file descriptor no client can be accepted, and those who wait keep the listener
    /// busy. Connections that are not used make room; if there are none, the reserve serves to
    /// tell the clients.
    async fn endure(&self, listener: &Listener, error: &io::Error) {
        if let Some(count) = self.clients().exhausted.happens() {
            tracing::warn!(%error, count, "no file descriptor is left for more clients");
        }
        if !self.connections.evict() {
            drop(self.reserve.take());
            let words = farewell::answer(&self.refusal());
            for _ in 0..MOST_DISMISSED {
                match listener.accept().now_or_never() {
                    Some(Ok((transport, _))) => {
                        self.current.get().count_refused(&self.refusal());
                        self.dismiss(transport, &words);
                    }
                    Some(Err(_)) | None => break,
                }
            }
            self.reserve.replace(reserve());
        }
        sleep(PAUSE).await;
    }
}

impl Farewell {
    fn begin(door: &Rc<Door>) -> Self {
        door.farewells.set(door.farewells.get() + 1);
        Self(Rc::clone(door))
    }
}

impl Drop for Farewell {
    fn drop(&mut self) {
        self.0.farewells.set(self.0.farewells.get() - 1);
    }
}

/// Any file does; where even this is not there, clients wait.
fn reserve() -> Option<File> {
    File::open("/").ok()
}

fn is_exhausted(error: &io::Error) -> bool {
    let exhausted = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    exhausted.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
