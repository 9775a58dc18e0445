//! A request of a subscription over HTTP, and its response. Each has a connection of its own, so that
//! subscriptions do not use up the connections of queries.

use std::future::poll_fn;
use std::pin::Pin;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{HeaderMap, HeaderValue};
use hyper::http::response::Parts;
use hyper::{Response, StatusCode};

use super::super::body::{self, Frames, Limits};
use super::super::dial::Offer;
use super::super::head::Head;
use super::super::http1::Http1;
use super::super::http2::Http2;
use super::super::media::{self, Media};
use super::super::pool::{OpenGuard, protocol_error};
use super::super::request::SubgraphError;
use super::super::statistics::Counts;
use super::opener::SourceOpener;
use super::source_event::{OpenError, is_refusal};
use crate::connect::error_chain;

/// A response whose head was read.
pub(super) struct HttpResponse {
    connection: Connection,
    head: Parts,
    body: Incoming,
}

enum Connection {
    Http1(Box<Http1>),
    /// Its task drives it.
    Http2 {
        _connection: Http2,
    },
}

impl HttpResponse {
    /// Sends a request, and reads the head of the response.
    pub(super) async fn request(
        opener: &SourceOpener,
        body: Bytes,
        accept: HeaderValue,
    ) -> Result<Self, OpenError> {
        let SourceOpener { settings, shared, headers, .. } = opener;
        let head = Head::new(&settings.connection).accepting(accept);
        let unavailable = |error| OpenError::Failed(SubgraphError::Unavailable(error));
        let (socket, speaks_http2) = opener.dialer.dial(Offer::Best).await.map_err(unavailable)?;
        socket.keep_alive();
        let guard = OpenGuard::new(shared);
        let closed = |error: &hyper::Error| SubgraphError::Closed(error_chain(error).into());
        let opened = |error: hyper::Error| unavailable(protocol_error(&error));
        Counts::add(&shared.counts.bytes_out, body.len() as u64);
        let (connection, response) = match speaks_http2 {
            false => {
                let mut connection = Http1::open(socket, guard).await.map_err(opened)?;
                let response = connection.send(head.http1(headers, body, None)).await;
                let response = response.map_err(|error| closed(error.error()))?;
                (Connection::Http1(Box::new(connection)), response)
            }
            true => {
                let mut connection = Http2::open(socket, guard).await.map_err(opened)?;
                let response = connection.send(head.http2(headers, body, None)).await;
                let response = response.map_err(|error| closed(error.error()))?;
                (Connection::Http2 { _connection: connection }, response)
            }
        };
        Ok(Self::new(connection, response))
    }

    fn new(connection: Connection, response: Response<Incoming>) -> Self {
        let (head, body) = response.into_parts();
        Self { connection, head, body }
    }

    pub(super) fn status(&self) -> StatusCode {
        self.head.status
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Waits for the next frame of the body. Cancel safe.
    pub(super) async fn frame(&mut self) -> Option<Result<Frame<Bytes>, hyper::Error>> {
        let Self { connection, body, .. } = self;
        match connection {
            Connection::Http1(connection) => poll_fn(|cx| connection.poll_frame(body, cx)).await,
            Connection::Http2 { .. } => poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await,
        }
    }

    /// Reads the whole body.
    pub(super) async fn read(self, opener: &SourceOpener) -> Result<Bytes, SubgraphError> {
        let limits = Limits {
            most: opener.settings.connection.most_bytes,
            reserve: &|_| true,
            received: &opener.shared.counts.bytes_in,
        };
        match self.connection {
            Connection::Http1(mut connection) => {
                body::read(Frames::Http1(&mut connection, self.body), None, limits).await
            }
            Connection::Http2 { .. } => body::read(Frames::Http2(self.body), None, limits).await,
        }
    }

    /// The error of a response that does not begin the subscription: the errors that it has, or its
    /// status.
    pub(super) async fn refusal(self, opener: &SourceOpener) -> OpenError {
        let status = self.status();
        if !is_refusal(status) && !status.is_success() {
            return SubgraphError::Status(status.as_u16()).into();
        }
        let plain = || match status.is_success() {
            true => OpenError::refused(
                "it answered the subscription with another content type than a stream",
            ),
            false => {
                OpenError::refused(&format!("it refused the subscription with status {status}"))
            }
        };
        match media::media(status, self.headers()) {
            Ok(Media::GraphQl | Media::Json) => {}
            Err(_) => return plain(),
        }
        match self.read(opener).await {
            Ok(body) if media::may_be_graphql(&body) => OpenError::Refused(body),
            Ok(_) => plain(),
            Err(error) => error.into(),
        }
    }
}

impl std::fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpResponse").field("status", &self.status()).finish_non_exhaustive()
    }
}
