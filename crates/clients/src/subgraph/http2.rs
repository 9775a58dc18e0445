//! HTTP/2 connections: many concurrent requests.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::rt::Executor;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::task::spawn_local;
use tokio::time::Instant;

use super::pool::OpenGuard;
use super::socket::Socket;

/// Interval of keep-alive pings to a silent server while requests are in flight.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// Timeout for the reply to a ping.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection that all requests of a thread share.
#[derive(Clone)]
pub(super) struct Http2 {
    sender: SendRequest<Full<Bytes>>,
    usage: Rc<Usage>,
}

/// Number of requests on a connection.
#[derive(Debug)]
struct Usage {
    count: Cell<usize>,
    /// Start of the idle time, while there are no requests.
    idle_since: Cell<Instant>,
}

/// Counts one request while it lives.
pub(super) struct UsageGuard(Rc<Usage>);

/// Executor for the tasks of a connection on this thread.
#[derive(Clone, Copy)]
struct Local;

impl Http2 {
    pub(super) async fn open(socket: Socket, open: OpenGuard) -> Result<Self, hyper::Error> {
        let (sender, connection) = Builder::new(Local)
            .timer(TokioTimer::new())
            .keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
            .handshake(TokioIo::new(socket))
            .await?;
        spawn_local(async move {
            let _open = open;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to a subgraph has ended");
            }
        });
        let usage = Usage { count: Cell::new(0), idle_since: Cell::new(Instant::now()) };
        Ok(Self { sender, usage: Rc::new(usage) })
    }

    /// Whether another request can be sent: neither side has closed the connection or announced it
    /// (GOAWAY).
    pub(super) fn is_usable(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Start of the idle time.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        (self.usage.count.get() == 0).then(|| self.usage.idle_since.get())
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.usage, &other.usage)
    }

    pub(super) fn usage_guard(&self) -> UsageGuard {
        self.usage.count.set(self.usage.count.get() + 1);
        UsageGuard(Rc::clone(&self.usage))
    }

    /// Sends a request; dropping the future cancels it.
    pub(super) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>> {
        self.sender.try_send_request(request).await
    }
}

impl Drop for UsageGuard {
    fn drop(&mut self) {
        self.0.count.set(self.0.count.get().saturating_sub(1));
        self.0.idle_since.set(Instant::now());
    }
}

impl<F> Executor<F> for Local
where
    F: Future<Output = ()> + 'static,
{
    fn execute(&self, future: F) {
        spawn_local(future);
    }
}
