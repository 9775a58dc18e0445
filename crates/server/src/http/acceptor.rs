//! Accept loop of a thread: it admits clients up to the connection limit, evicts idle connections, and
//! refuses the others.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use rustix::io::Errno;
use tokio::sync::watch;
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use super::clients::{Clients, ConnectionPermit};
use super::closing;
use super::connection;
use super::connections::Connections;
use super::generation::Generation;
use super::listen::{Purpose, Socket};
use super::process::Process;
use super::refusal::Refusal;
use super::service::Current;
use super::transport::{Listener, Peer, Transport};

/// Pause after a failed accept, and for a permit or a file descriptor to come free.
const PAUSE: Duration = Duration::from_millis(50);

/// Clients of a thread that are refused at a time with a delay in which they can read the response.
const MAX_PENDING_REFUSALS: usize = 32;

/// Clients that are accepted at a time only to be refused.
const MAX_REFUSED_AT_ONCE: usize = 100;

#[derive(Debug)]
pub(super) struct Acceptor {
    current: Current,
    connections: Rc<Connections>,
    process: Arc<Process>,
    pending_refusals: Cell<usize>,
    /// A file descriptor that is closed when none is left, to accept clients and refuse them.
    reserve: RefCell<Option<File>>,
}

/// A client that has connected.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) transport: Transport,
    pub(super) peer: Peer,
    pub(super) purpose: Purpose,
}

/// A client that waits for a permit before it is refused.
#[derive(Debug)]
struct PendingRefusal(Rc<Acceptor>);

/// Serves with one thread until shutdown, then drains the connections (graceful shutdown).
pub(super) async fn serve(
    generations: watch::Receiver<Generation>,
    sockets: Vec<(Purpose, Socket)>,
    stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let listener = |(purpose, socket)| Ok((purpose, Listener::new(socket)?));
    let listeners: Vec<(Purpose, Listener)> =
        sockets.into_iter().map(listener).collect::<io::Result<_>>()?;
    let process = Arc::clone(&generations.borrow().process);
    let current = Current::new(generations);
    spawn_local(current.clone().follow());
    let acceptor = Acceptor::new(current, process);
    let accepting = listeners.into_iter().map(|(purpose, listener)| {
        let acceptor = Rc::clone(&acceptor);
        acceptor.accept_all(listener, purpose, stopping.clone())
    });
    tokio::select! {
        _ = join_all(accepting) => {}
        () = acceptor.evict_on_request() => {}
    }
    acceptor.connections.stop();
    let drain_timeout = acceptor.current.get().settings.drain_timeout;
    if timeout(drain_timeout, acceptor.connections.ended()).await.is_err() {
        let count = acceptor.connections.count();
        tracing::warn!(count, "connections were closed before their requests were answered");
    }
    Ok(())
}

impl Acceptor {
    fn new(current: Current, process: Arc<Process>) -> Rc<Self> {
        Rc::new(Self {
            current,
            connections: Rc::default(),
            process,
            pending_refusals: Cell::new(0),
            reserve: RefCell::new(reserve()),
        })
    }

    /// Accepts connections until the server stops.
    async fn accept_all(
        self: Rc<Self>,
        listener: Listener,
        purpose: Purpose,
        mut stopping: watch::Receiver<bool>,
    ) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                // An error means that the sender is gone: nothing could stop this thread any more.
                _ = stopping.wait_for(|stopping| *stopping) => break,
            };
            match accepted {
                Ok((transport, peer)) => self.admit(Client { transport, peer, purpose }),
                Err(error) if is_of_one_connection(&error) => {
                    tracing::debug!(%error, "a connection was closed before it was accepted");
                }
                Err(error) if is_exhausted(&error) => {
                    self.handle_exhaustion(&listener, &error).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "no connection can be accepted");
                    sleep(PAUSE).await;
                }
            }
        }
        // Clients in the listen queue have connected already and are served.
        while let Some(Ok((transport, peer))) = listener.accept().now_or_never() {
            self.admit(Client { transport, peer, purpose });
        }
    }

    /// Evicts idle connections when another thread needs permits.
    async fn evict_on_request(&self) {
        let mut requests = self.clients().eviction_requests();
        while requests.changed().await.is_ok() {
            if self.clients().count() >= self.most() {
                self.connections.evict();
            }
        }
    }

    fn clients(&self) -> &Arc<Clients> {
        &self.process.clients
    }

    fn most(&self) -> usize {
        self.current.get().settings.max_clients
    }

    fn admit(self: &Rc<Self>, client: Client) {
        match self.clients().acquire(self.most()) {
            Some(permit) => self.serve(client, permit),
            // The evicted connection releases its permit at once.
            None if self.connections.evict() => {
                let permit = self.clients().acquire_beyond();
                self.serve(client, permit);
            }
            None => self.refuse(client),
        }
    }

    fn serve(self: &Rc<Self>, client: Client, permit: ConnectionPermit) {
        if let Err(error) = client.transport.disable_delay() {
            tracing::debug!(%error, "a connection was closed at once");
            return;
        }
        spawn_local(connection::serve(
            self.current.clone(),
            Rc::clone(&self.connections),
            client,
            permit,
        ));
    }

    /// Gives the other threads a moment to evict an idle connection, then refuses the client.
    fn refuse(self: &Rc<Self>, client: Client) {
        self.clients().request_eviction();
        if self.pending_refusals.get() >= MAX_PENDING_REFUSALS {
            self.count_refused();
            return self.refuse_now(client.transport, &closing::response(&self.refusal()));
        }
        let pending = PendingRefusal::begin(self);
        spawn_local(async move {
            let acceptor = &pending.0;
            sleep(PAUSE).await;
            match acceptor.clients().acquire(acceptor.most()) {
                Some(permit) => acceptor.serve(client, permit),
                None => {
                    acceptor.count_refused();
                    let response = closing::response(&acceptor.refusal());
                    let tls = acceptor.current.tls();
                    closing::handshake_send_and_close(client.transport, tls, &response).await;
                }
            }
        });
    }

    /// Closes at once, with a response unless the connection is encrypted.
    fn refuse_now(&self, transport: Transport, response: &[u8]) {
        match (self.current.tls(), &transport) {
            (Some(_), Transport::Tcp(_)) => drop(transport),
            (_, Transport::Tcp(_) | Transport::Unix(_) | Transport::Tls(_)) => {
                transport.send_now_and_close(response);
            }
        }
    }

    fn refusal(&self) -> Refusal {
        Refusal::TooManyConnections { most: self.most() }
    }

    fn count_refused(&self) {
        self.current.get().count_refused(&self.refusal());
        if let Some(count) = self.clients().refused.record() {
            let most = self.most();
            tracing::warn!(count, most, "connections were refused; --max-clients allows more");
        }
    }

    /// Handles the lack of file descriptors: no client can be accepted, and those in the queue keep the
    /// listener busy. Evicts an idle connection; if there is none, refuses clients with the reserved
    /// descriptor.
    async fn handle_exhaustion(&self, listener: &Listener, error: &io::Error) {
        if let Some(count) = self.clients().exhausted.record() {
            tracing::warn!(%error, count, "no file descriptor is left for more clients");
        }
        if !self.connections.evict() {
            drop(self.reserve.take());
            let response = closing::response(&self.refusal());
            for _ in 0..MAX_REFUSED_AT_ONCE {
                match listener.accept().now_or_never() {
                    Some(Ok((transport, _))) => {
                        self.current.get().count_refused(&self.refusal());
                        self.refuse_now(transport, &response);
                    }
                    Some(Err(_)) | None => break,
                }
            }
            self.reserve.replace(reserve());
        }
        sleep(PAUSE).await;
    }
}

impl PendingRefusal {
    fn begin(acceptor: &Rc<Acceptor>) -> Self {
        acceptor.pending_refusals.set(acceptor.pending_refusals.get() + 1);
        Self(Rc::clone(acceptor))
    }
}

impl Drop for PendingRefusal {
    fn drop(&mut self) {
        self.0.pending_refusals.set(self.0.pending_refusals.get() - 1);
    }
}

/// Any file does; without one, clients wait in the queue of the listener.
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
