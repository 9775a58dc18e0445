//! Connection pool of a thread to a subgraph.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::dial::{Dialer, Offer};
use super::http1::Http1;
use super::http2::{Http2, UsageGuard};
use super::request::Unavailable;
use super::settings::{self, Settings};
use super::shared::Shared;
use super::socket::Socket;

/// Connection pool of a thread to a subgraph.
pub(super) struct Pool {
    dialer: Dialer,
    shared: Arc<Shared>,
    known_protocol: Cell<KnownProtocol>,
    /// A permit for each HTTP/1.1 connection that may be in use at the same time.
    permits: Semaphore,
    /// A stack: the connection used last is taken first, so that surplus connections reach the idle
    /// timeout.
    idle: RefCell<Vec<Http1>>,
    http2: RefCell<Option<Http2>>,
    /// Held while an HTTP/2 connection is opened, so that only one is.
    opening: Mutex<()>,
    max_idle: Duration,
}

/// Protocol of the server, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownProtocol {
    Unknown,
    Http1,
    Http2,
}

/// Kind of connection that a request wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionChoice {
    Any,
    /// A connection that was not used before; with HTTP/2 none of those to be avoided.
    New,
}

/// A connection on loan for one exchange.
pub(super) enum PooledConnection<'p> {
    Http1(PooledHttp1<'p>),
    Http2(PooledHttp2<'p>),
}

/// Closes the connection when it is dropped, unless it was given back.
pub(super) struct PooledHttp1<'p> {
    pub(super) connection: Http1,
    pub(super) is_kept: bool,
    pool: &'p Pool,
    _place: SemaphorePermit<'p>,
}

pub(super) struct PooledHttp2<'p> {
    pub(super) connection: Http2,
    pub(super) is_kept: bool,
    pool: &'p Pool,
    _user: UsageGuard,
}

/// Counts an open connection while it lives.
#[derive(Debug)]
pub(super) struct OpenGuard(Arc<Shared>);

impl Pool {
    pub(super) fn new(settings: Arc<Settings>, shared: Arc<Shared>) -> Self {
        let known_protocol = match settings.http2 {
            settings::Http2::Negotiated if settings.endpoint.is_encrypted() => {
                KnownProtocol::Unknown
            }
            settings::Http2::Negotiated | settings::Http2::Never => KnownProtocol::Http1,
            settings::Http2::PriorKnowledge => KnownProtocol::Http2,
        };
        Self {
            shared,
            known_protocol: Cell::new(known_protocol),
            permits: Semaphore::new(settings.connections.clamp(1, Semaphore::MAX_PERMITS)),
            idle: RefCell::new(Vec::new()),
            http2: RefCell::new(None),
            opening: Mutex::new(()),
            max_idle: settings.idle,
            dialer: Dialer::new(settings),
        }
    }

    /// Returns a kept-alive or a new connection; waits while all are busy.
    pub(super) async fn acquire(
        &self,
        choice: ConnectionChoice,
    ) -> Result<PooledConnection<'_>, Unavailable> {
        match self.known_protocol.get() {
            KnownProtocol::Http1 => self.acquire_http1(choice).await,
            KnownProtocol::Unknown | KnownProtocol::Http2 => match self.kept_http2() {
                Some(pooled) => Ok(pooled),
                None => Box::pin(self.acquire_best()).await,
            },
        }
    }

    /// Closes connections that were idle for too long, and those that the server has closed.
    pub(super) fn close_idle(&self) {
        let now = Instant::now();
        let is_old = |since: Instant| now.saturating_duration_since(since) >= self.max_idle;
        let mut kept = self.idle.take();
        kept.retain_mut(|connection| !is_old(connection.idle_since) && connection.is_usable());
        *self.idle.borrow_mut() = kept;
        let is_done = |kept: &mut Http2| !kept.is_usable() || kept.idle_since().is_some_and(is_old);
        drop(self.http2.borrow_mut().take_if(is_done));
    }

    async fn acquire_http1(
        &self,
        choice: ConnectionChoice,
    ) -> Result<PooledConnection<'_>, Unavailable> {
        let place = self.place().await?;
        if choice == ConnectionChoice::Any {
            while let Some(mut connection) = self.pop() {
                if connection.is_usable() {
                    return Ok(self.pooled_http1(connection, place, true));
                }
            }
        }
        let (socket, _) = Box::pin(self.dialer.dial(Offer::Http1)).await?;
        let connection = self.open_http1(socket).await?;
        Ok(self.pooled_http1(connection, place, false))
    }

    /// Opens the shared HTTP/2 connection, or finds out that the server uses HTTP/1.1.
    async fn acquire_best(&self) -> Result<PooledConnection<'_>, Unavailable> {
        let opening = self.opening.lock().await;
        // Another request was first, and its connection may be unused.
        if let Some(pooled) = self.kept_http2() {
            return Ok(pooled);
        }
        if self.known_protocol.get() == KnownProtocol::Http1 {
            drop(opening);
            return self.acquire_http1(ConnectionChoice::Any).await;
        }
        let (socket, speaks_http2) = self.dialer.dial(Offer::Best).await?;
        if !speaks_http2 {
            self.known_protocol.set(KnownProtocol::Http1);
            drop(opening);
            let place = self.place().await?;
            let connection = self.open_http1(socket).await?;
            return Ok(self.pooled_http1(connection, place, false));
        }
        self.known_protocol.set(KnownProtocol::Http2);
        let opened = Http2::open(socket, OpenGuard::new(&self.shared)).await;
        let connection = opened.map_err(|error| protocol_error(&error))?;
        *self.http2.borrow_mut() = Some(connection.clone());
        Ok(self.pooled_http2(connection, false))
    }

    fn kept_http2(&self) -> Option<PooledConnection<'_>> {
        let mut kept = self.http2.borrow_mut();
        drop(kept.take_if(|kept| !kept.is_usable()));
        let connection = kept.as_ref()?.clone();
        Some(self.pooled_http2(connection, true))
    }

    fn pop(&self) -> Option<Http1> {
        self.idle.borrow_mut().pop()
    }

    async fn place(&self) -> Result<SemaphorePermit<'_>, Unavailable> {
        // The semaphore is never closed.
        self.permits.acquire().await.map_err(|error| Unavailable::Connect(error.to_string().into()))
    }

    async fn open_http1(&self, socket: Socket) -> Result<Http1, Unavailable> {
        let opened = Http1::open(socket, OpenGuard::new(&self.shared)).await;
        opened.map_err(|error| protocol_error(&error))
    }

    fn pooled_http1<'p>(
        &'p self,
        connection: Http1,
        place: SemaphorePermit<'p>,
        is_kept: bool,
    ) -> PooledConnection<'p> {
        PooledConnection::Http1(PooledHttp1 { connection, is_kept, pool: self, _place: place })
    }

    fn pooled_http2(&self, connection: Http2, is_kept: bool) -> PooledConnection<'_> {
        let _user = connection.usage_guard();
        PooledConnection::Http2(PooledHttp2 { connection, is_kept, pool: self, _user })
    }
}

impl PooledHttp1<'_> {
    /// Returns the connection to the pool, after a complete exchange.
    pub(super) fn release(mut self) {
        if self.connection.is_usable() {
            self.connection.idle_since = Instant::now();
            self.pool.idle.borrow_mut().push(self.connection);
        }
    }
}

impl PooledHttp2<'_> {
    /// Excludes the connection from new requests; exchanges in flight may still succeed.
    pub(super) fn exclude(&self) {
        let is_this = |kept: &mut Http2| kept.is_same(&self.connection);
        drop(self.pool.http2.borrow_mut().take_if(is_this));
    }
}

impl OpenGuard {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        shared.counts.connections.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(shared))
    }
}

impl Drop for OpenGuard {
    fn drop(&mut self) {
        self.0.counts.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) fn protocol_error(error: &hyper::Error) -> Unavailable {
    Unavailable::Protocol(crate::connect::error_chain(error).into())
}
