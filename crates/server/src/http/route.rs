//! Routing: the handler of each path.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use clients::log_throttle::LogThrottle;
use hyper::body::Body;
use hyper::header::{HOST, HeaderName, HeaderValue};
use hyper::{StatusCode, Version};

use super::accept_encoding::Readable;
use super::answer_body::AnswerBody;
use super::connection_context::ConnectionContext;
use super::exchange::{Exchange, HttpRequest, Target, beginning};
use super::hasura::{self, GraphqlPath};
use super::health;
use super::listen::Purpose;
use super::media_type::MediaType;
use super::outgoing;
use super::rate_limits::add_rates;
use super::refusal::Refusal;
use super::respond::{Response, refuse};
use super::service::Service;
use super::transport::Peer;
use super::{
    cache_invalidation, callback, console, explain, graphiql, graphql, mcp, prisma, relay,
    single_stream, sockets,
};
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
    let is_relay = request.uri().path() == relay::PATH && service.settings.hasura.is_some();
    let mut response = match is_relay {
        // Boxed: most servers have no such requests, and every request would need the space.
        true => Box::pin(id.scope(answer_relay(service, request, context))).await,
        false => {
            let work = pin!(observe(service, request, context));
            id.scope(work).await
        }
    };
    // A request id consists of characters that are valid in a header.
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(X_REQUEST_ID, id);
    }
    response
}

/// Answers a request of the Relay API.
async fn answer_relay(
    service: &Rc<Service>,
    request: HttpRequest,
    context: &Rc<ConnectionContext>,
) -> Response {
    match service.open_relay().await {
        Some(Ok(relay)) => {
            let own = context.of_relay();
            let response = observe(&relay, request, &own).await;
            context.take_handshake(&own);
            response
        }
        Some(Err(refusal)) => {
            service.count_refused(&refusal);
            refuse(MediaType::Json, &refusal)
        }
        None => refuse(MediaType::Json, &Refusal::Path),
    }
}

/// Answers a request, and records it.
async fn observe(
    service: &Rc<Service>,
    request: HttpRequest,
    context: &Rc<ConnectionContext>,
) -> Response {
    let callbacks = service.settings.callbacks.as_ref();
    let path = request.uri().path();
    let is_handshake = sockets::is_handshake(&request);
    let graphql = GraphqlPath::find(service, &request, is_handshake);
    let target = match path {
        path if callbacks.is_some_and(|own| own.id(context.purpose, path).is_some()) => {
            Target::Callback
        }
        _ if context.purpose == Purpose::Callbacks => Target::Other,
        _ if graphql.is_some() && is_handshake => Target::Handshake,
        _ if graphql.is_some() && single_stream::is_addressed(service, &request) => {
            Target::SingleStream
        }
        _ if graphql.is_some() => Target::GraphQL,
        mcp::PATH if service.settings.mcp.is_some() => Target::Mcp,
        path if path.starts_with("/health/") => Target::Health,
        _ => Target::Other,
    };
    let mut exchange = Exchange::new(service, context.peer, &request, target);
    let readable = outgoing::readable(&service.settings, request.headers());
    let mut response = route(service, request, readable, &mut exchange, context).await;
    if let Some(positions) = service.settings.positions {
        let is_refused = exchange.refusal.is_some();
        positions.add_changes(response.headers_mut(), &exchange.report, is_refused);
    }
    let exceeded = match &exchange.refusal {
        Some(Refusal::RateLimited(exceeded)) => &exceeded.counted,
        Some(_) | None => &exchange.counted,
    };
    add_rates(response.headers_mut(), exceeded);
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
/// <https://www.rfc-editor.org/rfc/rfc9112#section-3.2>. In HTTP/2 the pseudo-header `:authority` names
/// it, beside which a proxy may send an equal `Host`:
/// <https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1>.
fn has_one_host(request: &HttpRequest) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let authority = request.uri().authority().filter(|_| request.version() == Version::HTTP_2);
    match (hosts.next(), hosts.next(), authority) {
        (_, Some(_), _) => false,
        (Some(host), None, Some(authority)) => {
            host.as_bytes().eq_ignore_ascii_case(authority.as_str().as_bytes())
        }
        (Some(_), None, None) | (None, None, Some(_)) => true,
        (None, None, None) => request.version() < Version::HTTP_11,
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
    if let Some(secret) = &service.settings.cache_secret
        && request.uri().path() == cache_invalidation::PATH
    {
        // Boxed: these requests are rare, and every request would need the space.
        return Box::pin(cache_invalidation::answer(service, secret, request, &context.state))
            .await;
    }
    if let Some(refusal) = refuse_host(service, &request, exchange.peer) {
        let response = refuse(MediaType::Json, &refusal);
        exchange.refusal = Some(refusal);
        return response;
    }
    let is_handshake = exchange.target == Target::Handshake;
    if let Some(path) = GraphqlPath::find(service, &request, is_handshake) {
        return route_graphql(service, request, (path, readable), exchange, context).await;
    }
    if let Some(settings) = &service.settings.mcp
        && request.uri().path() == mcp::PATH
    {
        // Boxed: these requests are rare, and every request would need the space.
        return Box::pin(mcp::answer(service, settings, request, readable, exchange, context))
            .await;
    }
    if let Some(endpoint) = hasura::Endpoint::find(service, request.uri().path()) {
        // Boxed: these requests are rare, and every request would need the space.
        return Box::pin(hasura::answer(endpoint, service, request, exchange, context)).await;
    }
    if let Some(endpoint) = prisma::Endpoint::find(service, &request) {
        // Boxed: these requests are rare, and every request would need the space.
        return Box::pin(prisma::answer(endpoint, service, request, exchange, context)).await;
    }
    match request.uri().path() {
        "/explain" if service.is_empty => {
            exchange.refusal = Some(Refusal::NothingYet);
            refuse(MediaType::Json, &Refusal::NothingYet)
        }
        "/health/live" => health::answer_live(request.method()),
        "/health/ready" => health::answer_ready(service, request.method()).await,
        "/explain" if service.settings.development.explain => {
            // Boxed: these requests are rare, and every request would need the space.
            Box::pin(explain::answer(service, request, exchange, &context.state)).await
        }
        path if path.starts_with(console::PREFIX) && console::is_served(service) => {
            // Boxed: these requests are rare, and every request would need the space.
            Box::pin(console::answer(service, request, exchange, context)).await
        }
        _ if service.settings.development.graphiql => graphiql::answer(service, &request),
        _ => refuse(MediaType::Json, &Refusal::Path),
    }
}

/// Answers a request at a path of GraphQL.
async fn route_graphql(
    service: &Rc<Service>,
    request: HttpRequest,
    (path, readable): (GraphqlPath, Readable),
    exchange: &mut Exchange,
    context: &Rc<ConnectionContext>,
) -> Response {
    if service.is_empty {
        exchange.refusal = Some(Refusal::NothingYet);
        return refuse(MediaType::Json, &Refusal::NothingYet);
    }
    match exchange.target {
        // Boxed: handshakes are rare, and every request would need the space.
        Target::Handshake => Box::pin(sockets::answer(service, request, exchange, context)).await,
        Target::SingleStream => {
            Box::pin(single_stream::answer(service, request, readable, exchange, context)).await
        }
        Target::GraphQL | Target::Mcp | Target::Health | Target::Callback | Target::Other => {
            let mut response = graphql::answer(service, request, readable, exchange, context).await;
            let has_failed = exchange.refusal.is_some() || !exchange.report.codes.is_empty();
            if path == GraphqlPath::Legacy && has_failed && response.status() == StatusCode::OK {
                *response.status_mut() = StatusCode::BAD_REQUEST;
            }
            response
        }
    }
}
