//! The callback endpoint: subgraphs send the events of subscriptions to it, by the protocol
//! `callback/1.0`:
//! <https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/callback-protocol>.
//!
//! The id in the path and the verifier in the message authenticate a request, so tokens, hosts and
//! origins are not checked.

use std::sync::Arc;

use bytes::Bytes;
use clients::subgraph::{CallbackReply, Callbacks};
use graphql::{ErrorCode, GraphQLError};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, StatusCode};

use super::answer_body::AnswerBody;
use super::body::{self, ReadBody};
use super::exchange::HttpRequest;
use super::listen::Purpose;
use super::media_type::MediaType;
use super::refusal::Refusal;
use super::respond::{Response, refuse, respond};
use super::service::Service;
use super::settings::BodySettings;
use super::timeouts::ConnectionState;
use crate::options::CallbackAddress;

/// The header with the highest version of the protocol that the server supports.
const PROTOCOL: HeaderName = HeaderName::from_static("subscription-protocol");
const VERSION: HeaderValue = HeaderValue::from_static("callback/1.0");

/// The endpoint, with the subscriptions that wait for messages.
#[derive(Clone, Debug)]
pub(crate) struct CallbackEndpoint {
    path: Box<str>,
    /// The sockets that serve it.
    purpose: Purpose,
    callbacks: Arc<Callbacks>,
}

impl CallbackEndpoint {
    pub(crate) fn new(address: &CallbackAddress, callbacks: Arc<Callbacks>) -> Self {
        let purpose = if address.listen.is_empty() { Purpose::Api } else { Purpose::Callbacks };
        Self { path: address.path.clone(), purpose, callbacks }
    }

    /// The id of a subscription in the path of a request; `None` if the request is for another
    /// endpoint.
    pub(super) fn id<'p>(&self, purpose: Purpose, path: &'p str) -> Option<&'p str> {
        let id = path.strip_prefix(&*self.path)?.strip_prefix('/')?;
        (purpose == self.purpose && !id.is_empty() && !id.contains('/')).then_some(id)
    }
}

/// Answers a message for the subscription with this id.
pub(super) async fn answer(
    service: &Service,
    endpoint: &CallbackEndpoint,
    id: &str,
    request: HttpRequest,
    state: &ConnectionState,
) -> Response {
    if *request.method() != Method::POST {
        return refuse(MediaType::Json, &Refusal::Method { allow: "POST" });
    }
    let subscription = endpoint.callbacks.find(id);
    let most = subscription.as_ref().map_or(0, |subscription| subscription.most_bytes());
    let most_bytes = usize::try_from(most).unwrap_or(usize::MAX);
    let settings = BodySettings { most_bytes, ..service.settings.body };
    let (head, body) = request.into_parts();
    let read = body::read(settings, &service.process.bodies, state, &head.headers, body).await;
    let Some(subscription) = subscription else {
        // The body was discarded, so that the subgraph reads the response.
        return reply(CallbackReply::Ended);
    };
    match read {
        Ok(ReadBody { bytes, memory: _memory }) => {
            reply(subscription.receive(&Bytes::from(bytes)).await)
        }
        Err(refusal) => refuse(MediaType::Json, &refusal),
    }
}

fn reply(reply: CallbackReply) -> Response {
    let (status, code, message) = match reply {
        CallbackReply::Accepted => {
            let mut response = Response::new(AnswerBody::Whole(Bytes::new()));
            *response.status_mut() = StatusCode::NO_CONTENT;
            response.headers_mut().insert(PROTOCOL, VERSION);
            return response;
        }
        CallbackReply::Ended => {
            let message = "There is no subscription with this id: it has ended.";
            (StatusCode::NOT_FOUND, ErrorCode::NotFound, message)
        }
        CallbackReply::Unverified => {
            let message = "The verifier is not that of the subscription.";
            (StatusCode::UNAUTHORIZED, ErrorCode::Unauthenticated, message)
        }
        CallbackReply::Invalid => {
            let message = "This is no message of the protocol callback/1.0 for the subscription.";
            (StatusCode::BAD_REQUEST, ErrorCode::BadUserInput, message)
        }
    };
    tracing::debug!(%status, message, "a message of a subgraph is refused");
    let mut body = b"{\"errors\":[".to_vec();
    GraphQLError::new(code, message).write_json(&mut body);
    body.extend_from_slice(b"]}");
    respond(status, MediaType::Json, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_has_the_id() {
        let address =
            CallbackAddress { url: "http://a/x".into(), path: "/call/back".into(), listen: vec![] };
        let endpoint = CallbackEndpoint::new(&address, Arc::default());
        let check =
            |path, expected| assert_eq!(endpoint.id(Purpose::Api, path), expected, "{path}");
        check("/call/back/7", Some("7"));
        for other in ["/call/back", "/call/back/", "/call/back/7/8", "/call/backs/7", "/graphql"] {
            check(other, None);
        }
        assert_eq!(endpoint.id(Purpose::Callbacks, "/call/back/7"), None);
    }
}
