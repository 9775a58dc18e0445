//! Which path gets which answer.

use std::pin::pin;
use std::time::Duration;

use hyper::Version;
use hyper::body::{Body, Incoming};
use hyper::header::{HOST, HeaderName, HeaderValue};

use super::accept_encoding::Readable;
use super::answer_body::AnswerBody;
use super::exchange::{Asked, Exchange, beginning};
use super::health;
use super::media_type::MediaType;
use super::outgoing;
use super::progress::Progress;
use super::respond::{Refusal, Response, refuse};
use super::seldom::Seldom;
use super::service::Service;
use super::settings::Settings;
use super::streamed_body::StreamPatience;
use super::transport::Peer;
use super::{explain, graphiql, graphql};
use crate::request_id::RequestId;

/// By which a proxy tells what it calls the request, and the answer what it is called here.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// As much of a host as is told: names are not longer.
const LOGGED_HOST_BYTES: usize = 253;

/// A proxy that passes on another name does so with each request.
static FOREIGN: Seldom = Seldom::new(Duration::from_secs(60));

pub(super) type HttpRequest = hyper::Request<Incoming>;

/// Answers one request; whatever it is, there is an answer.
pub(super) async fn answer(
    service: &Service,
    request: HttpRequest,
    peer: Peer,
    progress: &Progress,
) -> Response {
    let given = request.headers().get(X_REQUEST_ID).map(HeaderValue::as_bytes);
    let id = RequestId::given_or_new(given);
    // Pinned here: it is large, and the scope would move it.
    let work = pin!(observe(service, request, peer, progress));
    let mut response = id.scope(work).await;
    // An id has only characters that a header may have.
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(X_REQUEST_ID, id);
    }
    response
}

/// Answers a request, and writes down what became of it.
async fn observe(
    service: &Service,
    request: HttpRequest,
    peer: Peer,
    progress: &Progress,
) -> Response {
    let asked = match request.uri().path() {
        "/graphql" => Asked::GraphQL,
        path if path.starts_with("/health/") => Asked::Health,
        _ => Asked::Other,
    };
    let mut exchange = Exchange::new(service, peer, &request, asked);
    let readable = outgoing::readable(&service.settings, request.headers());
    let response = route(service, request, readable, &mut exchange, progress).await;
    exchange.response_bytes = response.body().size_hint().lower();
    let mut response =
        outgoing::finish(&service.settings, response, readable, &service.process.memory);
    let status = response.status();
    match response.body() {
        AnswerBody::Streamed(_) => exchange.tell_timing(&mut response),
        AnswerBody::Whole(_) | AnswerBody::Compressed(_) => exchange.finish(&mut response),
    }
    if let AnswerBody::Streamed(streamed) = response.body_mut() {
        let Settings { request_timeout: database, patience, .. } = &*service.settings;
        let patience = StreamPatience { database: *database, client: patience.stall };
        streamed.watch(exchange, status, patience);
    }
    response
}

/// Whether everybody on the way, proxies included, takes the request to be for the same host:
/// <https://www.rfc-editor.org/rfc/rfc9112#section-3.2>.
fn has_one_host(request: &HttpRequest) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (_, Some(_)) => false,
        (Some(_), None) => true,
        (None, None) => request.version() < Version::HTTP_11,
    }
}

/// The refusal of a request for another host. No page reaches a Unix socket, and what probes are told
/// everybody may know.
fn refuse_host(service: &Service, request: &HttpRequest, peer: Peer) -> Option<Refusal> {
    let hosts = &service.settings.hosts;
    if !hosts.is_checked || peer == Peer::Unix || request.uri().path().starts_with("/health/") {
        return None;
    }
    let named = hosts.foreign_unless(&service.last_host, request.uri(), request.headers())?;
    let named = beginning(named, LOGGED_HOST_BYTES);
    if let Some(times) = FOREIGN.happens() {
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
    service: &Service,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
    progress: &Progress,
) -> Response {
    if !has_one_host(&request) {
        exchange.refusal = Some(Refusal::Host);
        return refuse(MediaType::Json, &Refusal::Host);
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
        "/graphql" => graphql::answer(service, request, readable, exchange, progress).await,
        "/health/live" => health::answer_live(request.method()),
        "/health/ready" => health::answer_ready(service, request.method()).await,
        "/explain" if service.settings.development.explain => {
            // Apart: it is seldom, and every request would have room for it.
            Box::pin(explain::answer(service, request, exchange, progress)).await
        }
        _ if service.settings.development.graphiql => graphiql::answer(service, &request),
        _ => refuse(MediaType::Json, &Refusal::Path),
    }
}
