//! HTTP/1.1 connections: one request at a time.

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

use super::pool::OpenGuard;
use super::socket::Socket;

/// Size of the read buffer and maximum length of a response head. An idle connection keeps its
/// buffer, which would otherwise grow with the responses.
const MOST_BUFFERED: usize = 16 * 1024;

/// An HTTP/1.1 connection without a task of its own. Its user drives it, so that a response wakes
/// one task and not two; dropping it closes it.
pub(super) struct Http1 {
    sender: SendRequest<Full<Bytes>>,
    driver: Pin<Box<Connection<TokioIo<Socket>, Full<Bytes>>>>,
    has_ended: bool,
    /// Start of the idle time.
    pub(super) idle_since: Instant,
    _open: OpenGuard,
}

impl Http1 {
    pub(super) async fn open(socket: Socket, open: OpenGuard) -> Result<Self, hyper::Error> {
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

    /// Whether another request can be sent: the server has not closed the connection, and the last
    /// exchange is complete.
    pub(super) fn is_usable(&mut self) -> bool {
        self.drive(&mut Context::from_waker(Waker::noop()));
        !self.has_ended && self.sender.is_ready()
    }

    pub(super) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>> {
        let sent = self.sender.try_send_request(request);
        // The connection is driven here, so no other task has to be woken. With the cooperative
        // budget of the task this would wait for a waker of its own.
        let mut sent = pin!(unconstrained(sent));
        poll_fn(|cx| {
            if !self.has_ended {
                self.has_ended = self.driver.as_mut().poll(cx).is_ready();
            }
            sent.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        })
        .await
    }

    /// Returns the next frame of the response body.
    pub(super) fn poll_frame(
        &mut self,
        body: &mut Incoming,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        // Frames that have arrived are returned before more is read.
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
