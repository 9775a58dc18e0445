//! Response with many events: server-sent events, or parts. Each has a connection of its own, so that
//! subscriptions do not use up the connections of queries.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Response, StatusCode};

use super::super::body::{self, Frames, Limits};
use super::super::dial::Offer;
use super::super::head::Head;
use super::super::http1::Http1;
use super::super::http2::Http2;
use super::super::media::{self, Media};
use super::super::pool::{OpenGuard, protocol_error};
use super::super::request::SubgraphError;
use super::super::shared::Shared;
use super::super::statistics::Counts;
use super::event_stream::EventStream;
use super::multipart::Multipart;
use super::opener::SourceOpener;
use super::settings::SubscriptionProtocol;
use super::source_event::{OpenError, SourceEvent, is_refusal};
use crate::connect::error_chain;

/// Accepted media types. Servers such as those of graphql-sse compare the whole header.
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const PARTS: HeaderValue =
    HeaderValue::from_static("multipart/mixed;subscriptionSpec=\"1.0\", application/json");

/// A response with many events.
pub(super) struct HttpStream {
    connection: Connection,
    body: Incoming,
    parser: Parser,
    shared: Arc<Shared>,
}

enum Connection {
    Http1(Box<Http1>),
    /// Its task drives it.
    Http2 {
        _connection: Http2,
    },
}

#[derive(Debug)]
enum Parser {
    Events(EventStream),
    Parts(Multipart),
}

impl HttpStream {
    /// Sends the request, and reads the head of the response.
    pub(super) async fn open(opener: &SourceOpener) -> Result<Self, OpenError> {
        let SourceOpener { settings, shared, headers, body, .. } = opener;
        let accepted = match settings.protocol {
            SubscriptionProtocol::Multipart => PARTS,
            SubscriptionProtocol::Sse
            | SubscriptionProtocol::TransportWs
            | SubscriptionProtocol::LegacyWs => EVENTS,
        };
        let head = Head::new(&settings.connection).accepting(accepted);
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
                let response = connection.send(head.http1(headers, body.clone(), None)).await;
                let response = response.map_err(|error| closed(error.error()))?;
                (Connection::Http1(Box::new(connection)), response)
            }
            true => {
                let mut connection = Http2::open(socket, guard).await.map_err(opened)?;
                let response = connection.send(head.http2(headers, body.clone(), None)).await;
                let response = response.map_err(|error| closed(error.error()))?;
                (Connection::Http2 { _connection: connection }, response)
            }
        };
        Self::from_response(opener, connection, response).await
    }

    async fn from_response(
        opener: &SourceOpener,
        connection: Connection,
        response: Response<Incoming>,
    ) -> Result<Self, OpenError> {
        let (head, body) = response.into_parts();
        let most = opener.settings.connection.most_bytes;
        let protocol = opener.settings.protocol;
        if head.status.is_success() {
            let parser = match (content_type(&head.headers), protocol) {
                (ContentType::Events, SubscriptionProtocol::Sse) => {
                    Some(Parser::Events(EventStream::new(most)))
                }
                (ContentType::Parts(boundary), SubscriptionProtocol::Multipart) => {
                    Some(Parser::Parts(Multipart::new(&boundary, most)))
                }
                _ => None,
            };
            if let Some(parser) = parser {
                let shared = Arc::clone(&opener.shared);
                return Ok(Self { connection, body, parser, shared });
            }
        }
        Err(refusal(opener, connection, (head.status, &head.headers), body).await)
    }

    /// Waits for the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<SourceEvent, SubgraphError> {
        loop {
            if let Some(event) = self.parser.next()? {
                return Ok(event);
            }
            let frame = match &mut self.connection {
                Connection::Http1(connection) => {
                    let body = &mut self.body;
                    poll_fn(|cx| connection.poll_frame(body, cx)).await
                }
                Connection::Http2 { .. } => {
                    poll_fn(|cx| Pin::new(&mut self.body).poll_frame(cx)).await
                }
            };
            let frame = frame.ok_or_else(|| {
                SubgraphError::Closed("it ended the stream without its last event".into())
            })?;
            let frame = frame.map_err(|error| SubgraphError::Broken(error_chain(&error).into()))?;
            if let Ok(data) = frame.into_data() {
                Counts::add(&self.shared.counts.bytes_in, data.len() as u64);
                self.parser.push(&data)?;
            }
        }
    }
}

impl Parser {
    fn push(&mut self, bytes: &[u8]) -> Result<(), SubgraphError> {
        match self {
            Self::Events(events) => events.push(bytes),
            Self::Parts(parts) => parts.push(bytes),
        }
    }

    fn next(&mut self) -> Result<Option<SourceEvent>, SubgraphError> {
        match self {
            Self::Events(events) => Ok(events.next()),
            Self::Parts(parts) => parts.next(),
        }
    }
}

/// The error of a response that is no stream: the errors that it has, or its status.
async fn refusal(
    opener: &SourceOpener,
    connection: Connection,
    (status, headers): (StatusCode, &HeaderMap),
    body: Incoming,
) -> OpenError {
    if !is_refusal(status) && !status.is_success() {
        return SubgraphError::Status(status.as_u16()).into();
    }
    let plain = || match status.is_success() {
        true => OpenError::refused(
            "it answered the subscription with another content type than a stream",
        ),
        false => OpenError::refused(&format!("it refused the subscription with status {status}")),
    };
    match media::media(status, headers) {
        Ok(Media::GraphQl | Media::Json) => {}
        Err(_) => return plain(),
    }
    let limits = Limits {
        most: opener.settings.connection.most_bytes,
        reserve: &|_| true,
        received: &opener.shared.counts.bytes_in,
    };
    let read = match connection {
        Connection::Http1(mut connection) => {
            body::read(Frames::Http1(&mut connection, body), None, limits).await
        }
        Connection::Http2 { .. } => body::read(Frames::Http2(body), None, limits).await,
    };
    match read {
        Ok(body) if media::may_be_graphql(&body) => OpenError::Refused(body),
        Ok(_) => plain(),
        Err(error) => error.into(),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum ContentType {
    Events,
    /// With its boundary.
    Parts(String),
    Other,
}

fn content_type(headers: &HeaderMap) -> ContentType {
    let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = text.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    if essence.eq_ignore_ascii_case("text/event-stream") {
        return ContentType::Events;
    }
    if !essence.eq_ignore_ascii_case("multipart/mixed") {
        return ContentType::Other;
    }
    let boundary = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then_some(value.trim().trim_matches('"'))
    });
    // Apollo's protocol has a fixed boundary.
    ContentType::Parts(boundary.unwrap_or("graphql").to_owned())
}

impl std::fmt::Debug for HttpStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpStream").field("parser", &self.parser).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_type_has_the_boundary() {
        let check = |text: &'static str, expected: ContentType| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(text));
            assert_eq!(content_type(&headers), expected, "{text}");
        };
        check("text/event-stream; charset=utf-8", ContentType::Events);
        let parts = |boundary: &str| ContentType::Parts(boundary.to_owned());
        check("multipart/mixed;boundary=\"a\";subscriptionSpec=\"1.0\"", parts("a"));
        check("Multipart/Mixed; Boundary=a", parts("a"));
        check("multipart/mixed", parts("graphql"));
        check("application/json", ContentType::Other);
    }
}
