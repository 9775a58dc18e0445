//! Requests over a connection of HTTP/1.1, one after the other.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::task::coop::unconstrained;
use tokio::time::Instant;

use super::pool::Open;
use super::socket::Socket;

/// So much is read at a time, and a head may be as long. A connection keeps its buffer while nobody
/// uses it, and it would grow with the answers.
const MOST_BUFFERED: usize = 16 * 1024;

/// A connection. It has no task of its own: who uses it drives it, so that an answer wakes one task
/// and not two, and it is closed by being dropped.
pub(super) struct Http1 {
    sender: SendRequest<Full<Bytes>>,
    driver: Pin<Box<Connection<TokioIo<Socket>, Full<Bytes>>>>,
    has_ended: bool,
    /// Since when nobody uses it.
    pub(super) idle_since: Instant,
    _open: Open,
}

impl Http1 {
    pub(super) async fn open(socket: Socket, open: Open) -> Result<Self, hyper::Error> {
        let (sender, driver) =
            Builder::new().max_buf_size(MOST_BUFFERED).handshake(TokioIo::new(socket)).await?;
        Ok(Self {
            sender,
            driver: Box::pin(driver),
            has_ended: false,
            idle_since: Instant::now(),
            _open: open,
        })
    }

    /// Whether another request can be sent: the server has not closed it, and nothing of the last
    /// exchange is left.
    pub(super) fn is_usable(&mut self) -> bool {
        self.drive(&mut Context::from_waker(Waker::noop()));
        !self.has_ended && self.sender.is_ready()
    }

    pub(super) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>> {
        let sent = self.sender.try_send_request(request);
        // Only the driver brings the answer, and it is driven here: nobody needs to be woken. The
        // budget of the task would make this wait for a waker of its own.
        let mut sent = pin!(unconstrained(sent));
        poll_fn(|cx| {
            if !self.has_ended {
                self.has_ended = self.driver.as_mut().poll(cx).is_ready();
            }
            sent.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        })
        .await
    }

    /// The next part of the answer.
    pub(super) fn poll_frame(
        &mut self,
        body: &mut Incoming,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        // What has come already is taken before more is read.
        let unwoken = &mut Context::from_waker(Waker::noop());
        if let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(unwoken) {
            return Poll::Ready(frame);
        }
        self.drive(cx);
        Pin::new(body).poll_frame(unwoken)
    }

    fn drive(&mut self, cx: &mut Context<'_>) {
        if !self.has_ended {
            self.has_ended = self.driver.as_mut().poll(cx).is_ready();
        }
    }
}
