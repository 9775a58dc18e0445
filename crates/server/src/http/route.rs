//! Routing: the handler of each path.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use hyper::Version;
use hyper::body::Body;
use hyper::header::{HOST, HeaderName, HeaderValue};

use super::accept_encoding::Readable;
use super::answer_body::AnswerBody;
use super::connection_context::ConnectionContext;
use super::exchange::{Exchange, HttpRequest, Target, beginning};
use super::health;
use super::listen::Purpose;
use super::log_throttle::LogThrottle;
use super::media_type::MediaType;
use super::outgoing;
use super::refusal::Refusal;
use super::respond::{Response, refuse};
use super::service::Service;
use super::transport::Peer;
use super::{callback, explain, graphiql, graphql, single_stream, sockets};
use crate::request_id::RequestId;

/// The id of a request, from a proxy, and in the response.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The number of bytes of a host name that are logged: valid names are not longer.
const LOGGED_HOST_BYTES: usize = 253;

/// A misconfigured proxy sends another host name with each request.
static FOREIGN: LogThrottle = LogThrottle::new(Duration::from_secs(60));

/// Answers one request; there is always a response.
pub(super) async fn answer(
    service: &Rc<Service>,
    request: HttpRequest,
    context: &Rc<ConnectionContext>,
) -> Response {
    let given = request.headers().get(X_REQUEST_ID).map(HeaderValue::as_bytes);
    let id = RequestId::given_or_new(given);
    // Pinned here: it is large, and the scope would move it.
    let work = pin!(observe(service, request, context));
    let mut response = id.scope(work).await;
    // A request id consists of characters that are valid in a header.
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(X_REQUEST_ID, id);
    }
    response
}

/// Answers a request, and records it.
async fn observe(
    service: &Rc<Service>,
    request: HttpRequest,
    context: &Rc<ConnectionContext>,
) -> Response {
    let callbacks = service.settings.callbacks.as_ref();
    let target = match request.uri().path() {
        path if callbacks.is_some_and(|own| own.id(context.purpose, path).is_some()) => {
            Target::Callback
        }
        _ if context.purpose == Purpose::Callbacks => Target::Other,
        "/graphql" if sockets::is_handshake(&request) => Target::Handshake,
        "/graphql" if single_stream::is_addressed(service, &request) => Target::SingleStream,
        "/graphql" => Target::GraphQL,
        path if path.starts_with("/health/") => Target::Health,
        _ => Target::Other,
    };
    let mut exchange = Exchange::new(service, context.peer, &request, target);
    let readable = outgoing::readable(&service.settings, request.headers());
    let response = route(service, request, readable, &mut exchange, context).await;
    exchange.response_bytes = response.body().size_hint().lower();
    let mut response =
        outgoing::finish(&service.settings, response, readable, &service.process.memory);
    let status = response.status();
    match response.body() {
        AnswerBody::Streamed(_) => exchange.add_timing(response.headers_mut()),
        // A subscription may run for days: its record has its beginning.
        AnswerBody::Whole(_) | AnswerBody::Compressed(_) | AnswerBody::Events(_) => {
            exchange.finish(status, response.headers_mut())
        }
    }
    if let AnswerBody::Streamed(streamed) = response.body_mut() {
        let patience = service.settings.request_timeout;
        streamed.record(exchange, status, patience, Rc::clone(&context.state));
    }
    response
}

/// Whether the request names one host, so that proxies and the server cannot differ about it:
/// <https://www.rfc-editor.org/rfc/rfc9112#section-3.2>.
fn has_one_host(request: &HttpRequest) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (_, Some(_)) => false,
        (Some(_), None) => true,
        (None, None) => request.version() < Version::HTTP_11,
    }
}

/// The refusal of a request for another host. Pages cannot reach Unix sockets, and the responses to
/// probes are public.
fn refuse_host(service: &Service, request: &HttpRequest, peer: Peer) -> Option<Refusal> {
    let hosts = &service.settings.hosts;
    if !hosts.is_checked || peer == Peer::Unix || request.uri().path().starts_with("/health/") {
        return None;
    }
    let named = hosts.foreign_unless(&service.last_host, request.uri(), request.headers())?;
    let named = beginning(named, LOGGED_HOST_BYTES);
    if let Some(times) = FOREIGN.record() {
        tracing::warn!(
            host = named,
            times,
            "requests for another host are refused; if a proxy passes this name on, or clients know \
             the server by it, --allowed-hosts takes it"
        );
    }
    Some(Refusal::OtherHost { named: named.into() })
}

async fn route(
    service: &Rc<Service>,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
    context: &Rc<ConnectionContext>,
) -> Response {
    if !has_one_host(&request) {
        exchange.refusal = Some(Refusal::Host);
        return refuse(MediaType::Json, &Refusal::Host);
    }
    if let Some(endpoint) = &service.settings.callbacks
        && let Some(id) = endpoint.id(context.purpose, request.uri().path())
    {
        let id = id.to_owned();
        // Boxed: most servers have no such requests, and every request would need the space.
        return Box::pin(callback::answer(service, endpoint, &id, request, &context.state)).await;
    }
    if context.purpose == Purpose::Callbacks {
        exchange.refusal = Some(Refusal::Path);
        return refuse(MediaType::Json, &Refusal::Path);
    }
    if let Some(refusal) = refuse_host(service, &request, exchange.peer) {
        let response = refuse(MediaType::Json, &refusal);
        exchange.refusal = Some(refusal);
        return response;
    }
    match request.uri().path() {
        "/graphql" | "/explain" if service.is_empty => {
            exchange.refusal = Some(Refusal::NothingYet);
            refuse(MediaType::Json, &Refusal::NothingYet)
        }
        // Boxed: handshakes are rare, and every request would need the space.
        "/graphql" if exchange.target == Target::Handshake => {
            Box::pin(sockets::answer(service, request, exchange, context)).await
        }
        "/graphql" if exchange.target == Target::SingleStream => {
            Box::pin(single_stream::answer(service, request, readable, exchange, context)).await
        }
        "/graphql" => graphql::answer(service, request, readable, exchange, context).await,
        "/health/live" => health::answer_live(request.method()),
        "/health/ready" => health::answer_ready(service, request.method()).await,
        "/explain" if service.settings.development.explain => {
            // Boxed: these requests are rare, and every request would need the space.
            Box::pin(explain::answer(service, request, exchange, &context.state)).await
        }
        _ if service.settings.development.graphiql => graphiql::answer(service, &request),
        _ => refuse(MediaType::Json, &Refusal::Path),
    }
}
