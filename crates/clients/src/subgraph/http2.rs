//! Requests over a connection of HTTP/2, many at the same time.

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

use super::pool::Open;
use super::socket::Socket;

/// While requests wait, a server that says nothing is asked whether it is there,
const ASKED_AFTER: Duration = Duration::from_secs(10);

/// and has so long to say that it is.
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

/// A connection that all requests of a thread share.
#[derive(Clone)]
pub(super) struct Http2 {
    sender: SendRequest<Full<Bytes>>,
    users: Rc<Users>,
}

/// Who uses a connection.
#[derive(Debug)]
struct Users {
    count: Cell<usize>,
    /// Since when there was none, if there is none.
    idle_since: Cell<Instant>,
}

/// One of them, as long as it lives.
pub(super) struct User(Rc<Users>);

/// Runs the parts of a connection on this thread.
#[derive(Clone, Copy)]
struct Local;

impl Http2 {
    pub(super) async fn open(socket: Socket, open: Open) -> Result<Self, hyper::Error> {
        let (sender, connection) = Builder::new(Local)
            .timer(TokioTimer::new())
            .keep_alive_interval(ASKED_AFTER)
            .keep_alive_timeout(ANSWERED_WITHIN)
            .handshake(TokioIo::new(socket))
            .await?;
        spawn_local(async move {
            let _open = open;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to a subgraph has ended");
            }
        });
        let users = Users { count: Cell::new(0), idle_since: Cell::new(Instant::now()) };
        Ok(Self { sender, users: Rc::new(users) })
    }

    /// Whether another request can be sent: nobody has closed it, nor said that it will be.
    pub(super) fn is_usable(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Since when nobody uses it.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        (self.users.count.get() == 0).then(|| self.users.idle_since.get())
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.users, &other.users)
    }

    pub(super) fn user(&self) -> User {
        self.users.count.set(self.users.count.get() + 1);
        User(Rc::clone(&self.users))
    }

    /// Sends a request; nothing is left of it if this is dropped.
    pub(super) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>> {
        self.sender.try_send_request(request).await
    }
}

impl Drop for User {
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
