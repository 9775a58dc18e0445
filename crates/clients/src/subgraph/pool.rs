//! Connection pool of a thread to a subgraph.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::ask::Unavailable;
use super::dial::{Dialler, Offer};
use super::http1::Http1;
use super::http2::{Http2, User};
use super::settings::{self, Settings};
use super::shared::Shared;
use super::socket::Socket;

/// Connection pool of a thread to a subgraph.
pub(super) struct Pool {
    dialler: Dialler,
    shared: Arc<Shared>,
    spoken: Cell<Spoken>,
    /// A permit for each HTTP/1.1 connection that may be in use at the same time.
    places: Semaphore,
    /// A stack: the connection used last is taken first, so that surplus connections reach the idle
    /// timeout.
    idle: RefCell<Vec<Http1>>,
    http2: RefCell<Option<Http2>>,
    /// Held while an HTTP/2 connection is opened, so that only one is.
    turn: Mutex<()>,
    most_idle: Duration,
}

/// Protocol of the server, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spoken {
    Unknown,
    Http1,
    Http2,
}

/// Kind of connection that a request wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Any,
    /// A connection that was not used before; with HTTP/2 none of those to be avoided.
    New,
}

/// A connection on loan for one exchange.
pub(super) enum Lent<'p> {
    Http1(LentHttp1<'p>),
    Http2(LentHttp2<'p>),
}

/// Closes the connection when it is dropped, unless it was given back.
pub(super) struct LentHttp1<'p> {
    pub(super) connection: Http1,
    pub(super) is_kept: bool,
    pool: &'p Pool,
    _place: SemaphorePermit<'p>,
}

pub(super) struct LentHttp2<'p> {
    pub(super) connection: Http2,
    pub(super) is_kept: bool,
    pool: &'p Pool,
    _user: User,
}

/// Counts an open connection while it lives.
#[derive(Debug)]
pub(super) struct Open(Arc<Shared>);

impl Pool {
    pub(super) fn new(settings: Arc<Settings>, shared: Arc<Shared>) -> Self {
        let spoken = match settings.http2 {
            settings::Http2::Negotiated if settings.endpoint.is_encrypted() => Spoken::Unknown,
            settings::Http2::Negotiated | settings::Http2::Never => Spoken::Http1,
            settings::Http2::PriorKnowledge => Spoken::Http2,
        };
        Self {
            shared,
            spoken: Cell::new(spoken),
            places: Semaphore::new(settings.connections.clamp(1, Semaphore::MAX_PERMITS)),
            idle: RefCell::new(Vec::new()),
            http2: RefCell::new(None),
            turn: Mutex::new(()),
            most_idle: settings.idle,
            dialler: Dialler::new(settings),
        }
    }

    /// Returns a kept-alive or a new connection; waits while all are busy.
    pub(super) async fn lend(&self, wanted: Wanted) -> Result<Lent<'_>, Unavailable> {
        match self.spoken.get() {
            Spoken::Http1 => self.lend_http1(wanted).await,
            Spoken::Unknown | Spoken::Http2 => match self.kept_http2() {
                Some(lent) => Ok(lent),
                None => Box::pin(self.lend_best()).await,
            },
        }
    }

    /// Closes connections that were idle for too long, and those that the server has closed.
    pub(super) fn close_old(&self) {
        let now = Instant::now();
        let is_old = |since: Instant| now.saturating_duration_since(since) >= self.most_idle;
        let mut kept = self.idle.take();
        kept.retain_mut(|connection| !is_old(connection.idle_since) && connection.is_usable());
        *self.idle.borrow_mut() = kept;
        let is_done = |kept: &mut Http2| !kept.is_usable() || kept.idle_since().is_some_and(is_old);
        drop(self.http2.borrow_mut().take_if(is_done));
    }

    async fn lend_http1(&self, wanted: Wanted) -> Result<Lent<'_>, Unavailable> {
        let place = self.place().await?;
        if wanted == Wanted::Any {
            while let Some(mut connection) = self.pop() {
                if connection.is_usable() {
                    return Ok(self.lent_http1(connection, place, true));
                }
            }
        }
        let (socket, _) = Box::pin(self.dialler.dial(Offer::Http1)).await?;
        let connection = self.open_http1(socket).await?;
        Ok(self.lent_http1(connection, place, false))
    }

    /// Opens the shared HTTP/2 connection, or finds out that the server uses HTTP/1.1.
    async fn lend_best(&self) -> Result<Lent<'_>, Unavailable> {
        let turn = self.turn.lock().await;
        // Another request was first, and its connection may be unused.
        if let Some(lent) = self.kept_http2() {
            return Ok(lent);
        }
        if self.spoken.get() == Spoken::Http1 {
            drop(turn);
            return self.lend_http1(Wanted::Any).await;
        }
        let (socket, speaks_http2) = self.dialler.dial(Offer::Best).await?;
        if !speaks_http2 {
            self.spoken.set(Spoken::Http1);
            drop(turn);
            let place = self.place().await?;
            let connection = self.open_http1(socket).await?;
            return Ok(self.lent_http1(connection, place, false));
        }
        self.spoken.set(Spoken::Http2);
        let opened = Http2::open(socket, Open::new(&self.shared)).await;
        let connection = opened.map_err(|error| protocol_error(&error))?;
        *self.http2.borrow_mut() = Some(connection.clone());
        Ok(self.lent_http2(connection, false))
    }

    fn kept_http2(&self) -> Option<Lent<'_>> {
        let mut kept = self.http2.borrow_mut();
        drop(kept.take_if(|kept| !kept.is_usable()));
        let connection = kept.as_ref()?.clone();
        Some(self.lent_http2(connection, true))
    }

    fn pop(&self) -> Option<Http1> {
        self.idle.borrow_mut().pop()
    }

    async fn place(&self) -> Result<SemaphorePermit<'_>, Unavailable> {
        // The semaphore is never closed.
        self.places.acquire().await.map_err(|error| Unavailable::Connect(error.to_string().into()))
    }

    async fn open_http1(&self, socket: Socket) -> Result<Http1, Unavailable> {
        let opened = Http1::open(socket, Open::new(&self.shared)).await;
        opened.map_err(|error| protocol_error(&error))
    }

    fn lent_http1<'p>(
        &'p self,
        connection: Http1,
        place: SemaphorePermit<'p>,
        is_kept: bool,
    ) -> Lent<'p> {
        Lent::Http1(LentHttp1 { connection, is_kept, pool: self, _place: place })
    }

    fn lent_http2(&self, connection: Http2, is_kept: bool) -> Lent<'_> {
        let _user = connection.user();
        Lent::Http2(LentHttp2 { connection, is_kept, pool: self, _user })
    }
}

impl LentHttp1<'_> {
    /// Returns the connection to the pool, after a complete exchange.
    pub(super) fn give_back(mut self) {
        if self.connection.is_usable() {
            self.connection.idle_since = Instant::now();
            self.pool.idle.borrow_mut().push(self.connection);
        }
    }
}

impl LentHttp2<'_> {
    /// Excludes the connection from new requests; exchanges in flight may still succeed.
    pub(super) fn avoid(&self) {
        let is_this = |kept: &mut Http2| kept.is_same(&self.connection);
        drop(self.pool.http2.borrow_mut().take_if(is_this));
    }
}

impl Open {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.counts.connections.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(shared))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.counts.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

fn protocol_error(error: &hyper::Error) -> Unavailable {
    Unavailable::Protocol(crate::connect::whole(error).into())
}
