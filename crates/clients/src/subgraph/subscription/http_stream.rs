//! Response with many events: server-sent events, or parts.

use std::sync::Arc;

use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use super::super::request::SubgraphError;
use super::super::shared::Shared;
use super::super::statistics::Counts;
use super::event_stream::EventStream;
use super::http_response::HttpResponse;
use super::multipart::Multipart;
use super::opener::SourceOpener;
use super::settings::SubscriptionProtocol;
use super::source_event::{OpenError, SourceEvent};
use crate::connect::error_chain;

/// Accepted media types. Servers such as those of graphql-sse compare the whole header.
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const PARTS: HeaderValue =
    HeaderValue::from_static("multipart/mixed;subscriptionSpec=\"1.0\", application/json");

/// A response with many events.
#[derive(Debug)]
pub(super) struct HttpStream {
    response: HttpResponse,
    parser: Parser,
    shared: Arc<Shared>,
}

#[derive(Debug)]
enum Parser {
    Events(EventStream),
    Parts(Multipart),
}

impl HttpStream {
    /// Sends the request, and reads the head of the response.
    pub(super) async fn open(opener: &SourceOpener) -> Result<Self, OpenError> {
        let protocol = opener.settings.protocol;
        let accepted = match protocol {
            SubscriptionProtocol::Multipart => PARTS,
            SubscriptionProtocol::Sse
            | SubscriptionProtocol::TransportWs
            | SubscriptionProtocol::LegacyWs
            | SubscriptionProtocol::Callback => EVENTS,
        };
        let response = HttpResponse::request(opener, opener.body.clone(), accepted).await?;
        if response.status().is_success() {
            let most = opener.settings.connection.most_bytes;
            let parser = match (content_type(response.headers()), protocol) {
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
                return Ok(Self { response, parser, shared });
            }
        }
        Err(response.refusal(opener).await)
    }

    /// Waits for the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<SourceEvent, SubgraphError> {
        loop {
            if let Some(event) = self.parser.next()? {
                return Ok(event);
            }
            let frame = self.response.frame().await.ok_or_else(|| {
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
