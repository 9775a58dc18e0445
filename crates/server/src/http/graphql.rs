//! A GraphQL request, from its head to its answer.

use std::pin::pin;
use std::time::Instant;

use engine::gateway::headers::{REQUEST_ID, Trace};
use engine::{Allowed, Caller, Delivery, Kind, Report};
use graphql::{Body, Parameters, Request};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Version};

use super::accept_encoding::Readable;
use super::batch;
use super::bodies::BodyMemory;
use super::body::{self, ReadBody};
use super::cors::{Permission, preflight};
use super::exchange::Exchange;
use super::media_type::{MediaType, is_readable, negotiate};
use super::origin::{self, OwnSchemes};
use super::persisted::Found;
use super::progress::Progress;
use super::respond::{Refusal, Response, complete, refuse};
use super::route::HttpRequest;
use super::service::Service;
use super::session;
use super::transport::Peer;
use super::turn::in_turn;
use crate::request_id::RequestId;

/// What a router asks a subgraph to tell beside the answer, and the one thing that there is.
const INCLUDE_TRACE: HeaderName = HeaderName::from_static("apollo-federation-include-trace");
const FTV1: &[u8] = b"ftv1";

/// A body, or what stands for one in a URL, with what HTTP says about it and who sent it.
#[derive(Debug)]
struct Read<'s> {
    body: Body,
    /// What the body takes, for as long as the request is executed.
    memory: Option<BodyMemory<'s>>,
    /// Only queries by GET: browsers, caches and crawlers repeat it as they like.
    allowed: Allowed,
    caller: Caller,
}

/// Who wants an operation, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'w> {
    pub(super) caller: &'w Caller,
    pub(super) allowed: Allowed,
    pub(super) delivery: Delivery,
}

/// A response with the name that the request gave.
#[derive(Debug)]
pub(super) struct Executed {
    pub(super) response: engine::Response,
    pub(super) operation_name: Option<String>,
}

/// Answers one request, and tells the exchange what happened.
pub(super) async fn answer(
    service: &Service,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
    progress: &Progress,
) -> Response {
    let Some(cors) = &service.settings.cors else {
        return answer_request(service, request, readable, exchange, progress).await;
    };
    let permission = Permission::new(cors, request.headers());
    let mut response = match preflight(cors, request.method(), request.headers()) {
        Some(response) => response,
        None => answer_request(service, request, readable, exchange, progress).await,
    };
    permission.tell(&mut response);
    response
}

async fn answer_request(
    service: &Service,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
    progress: &Progress,
) -> Response {
    let accept = request.headers().get_all(ACCEPT).iter();
    // A header that is no text names no media type.
    let media_type = negotiate(accept.map(|header| header.to_str().unwrap_or("?")));
    let delivery = delivery(service, &request);
    let trace = exchange.told_trace();
    let read = match media_type {
        _ if !may_be_sent(service, &request, exchange.peer) => Err(Refusal::OtherOrigin),
        Some(_) if readable == Readable::Nothing => Err(Refusal::NoReadableCoding),
        Some(_) => read(service, request, trace, progress).await,
        None => Err(Refusal::NotAcceptable),
    };
    let media_type = media_type.unwrap_or(MediaType::Json);
    let answered = match read {
        Ok(Read { body: Body::One(parameters), allowed, caller, memory: _memory }) => {
            let (began, report) = (exchange.started, &mut exchange.report);
            let wanted = Wanted { caller: &caller, allowed, delivery };
            let executed = execute(service, parameters, wanted, began, report).await;
            executed.map(|Executed { response, operation_name }| {
                exchange.operation_name = operation_name;
                if response.kind != Kind::Executed {
                    exchange.refused(&response.body);
                }
                complete(media_type, response)
            })
        }
        Ok(Read { body: Body::Batch(members), caller, memory: _memory, .. }) => {
            // Apart: it is seldom, and every request would have room for it.
            Box::pin(batch::answer(
                service,
                media_type,
                members,
                caller,
                delivery.whole(),
                exchange,
            ))
            .await
        }
        Err(refusal) => Err(refusal),
    };
    answered.unwrap_or_else(|refusal| {
        let response = refuse(media_type, &refusal);
        exchange.refusal = Some(refusal);
        response
    })
}

/// Executes a request that began at a time, with the document that it holds or names.
pub(super) async fn execute(
    service: &Service,
    parameters: Parameters,
    Wanted { caller, allowed, delivery }: Wanted<'_>,
    began: Instant,
    report: &mut Report,
) -> Result<Executed, Refusal> {
    let persisted = &service.settings.persisted;
    let Found { request, learn } = persisted.find(parameters).map_err(Refusal::Document)?;
    let response = {
        // Pinned here: it is large, and would be moved again by everything that waits for it.
        let worker = &service.worker;
        let work = pin!(worker.deliver_reported(&request, caller, allowed, delivery, report));
        in_turn(service, began, work).await?
    };
    // There is a document only if it is valid.
    if let (Some(hash), Some(_)) = (learn, &report.document) {
        persisted.learn(hash, &request.query);
    }
    Ok(Executed { response, operation_name: request.operation_name })
}

/// Whether an answer may be sent while it is made: its end has to be told from its breaking off,
/// which HTTP/1.0 cannot, and somebody has to read it. One with a trace tells at its end what
/// became of it.
fn delivery(service: &Service, request: &HttpRequest) -> Delivery {
    if service.worker.is_of_subgraph()
        && request.headers().get(INCLUDE_TRACE).is_some_and(|wanted| wanted.as_bytes() == FTV1)
    {
        return Delivery::Traced;
    }
    match request.version() < Version::HTTP_11 || request.method() == Method::HEAD {
        true => Delivery::Whole,
        false => Delivery::Streamed,
    }
}

/// Whether the page that sends the request may, if one does. Other methods do nothing.
pub(super) fn may_be_sent(service: &Service, request: &HttpRequest, peer: Peer) -> bool {
    let allowed = &service.settings.allowed_origins;
    let schemes = match (&service.settings.tls, peer) {
        (Some(_), Peer::Tcp(_)) => OwnSchemes::Https,
        (Some(_), Peer::Unix) | (None, Peer::Tcp(_) | Peer::Unix) => OwnSchemes::Either,
    };
    !matches!(*request.method(), Method::GET | Method::HEAD | Method::POST)
        || origin::is_allowed(allowed, schemes, request.uri(), request.headers())
}

/// The one request that came, with its document and who sent it; nothing is executed.
pub(super) async fn read_one(
    service: &Service,
    request: HttpRequest,
    progress: &Progress,
) -> Result<(Request, Caller), Refusal> {
    let Read { body, caller, .. } = read(service, request, None, progress).await?;
    match body {
        Body::One(parameters) => {
            let found = service.settings.persisted.find(parameters);
            Ok((found.map_err(Refusal::Document)?.request, caller))
        }
        Body::Batch(_) => Err(Refusal::BatchingDisabled),
    }
}

async fn read<'s>(
    service: &'s Service,
    request: HttpRequest,
    trace: Option<Trace>,
    progress: &Progress,
) -> Result<Read<'s>, Refusal> {
    match *request.method() {
        Method::POST => {
            let caller = caller(service, request.headers(), trace).await?;
            check_content(request.headers())?;
            let (head, body) = request.into_parts();
            let (settings, bodies) = (service.settings.body, &service.process.bodies);
            let read = body::read(settings, bodies, progress, &head.headers, body).await?;
            let ReadBody { bytes, memory } = read;
            let body = Body::from_json(&bytes, settings.json).map_err(Refusal::Malformed)?;
            Ok(Read { body, allowed: Allowed::All, caller, memory: Some(memory) })
        }
        Method::GET | Method::HEAD => {
            let caller = caller(service, request.headers(), trace).await?;
            let query_string = request.uri().query().unwrap_or_default();
            let limits = service.settings.body.json;
            let parameters = Parameters::from_query_string(query_string, limits);
            let body = Body::One(parameters.map_err(Refusal::Malformed)?);
            Ok(Read { body, allowed: Allowed::Queries, caller, memory: None })
        }
        _ => Err(Refusal::Method { allow: "GET, HEAD, POST" }),
    }
}

/// Who asks, and what subgraphs may be told of it where there are any.
async fn caller(
    service: &Service,
    headers: &HeaderMap,
    trace: Option<Trace>,
) -> Result<Caller, Refusal> {
    let session = session::find(&service.settings.credentials, headers).await?;
    let forwarded = service.worker.read_headers().map(|wanted| {
        let mut forwarded = Box::new(wanted.collect(headers));
        forwarded.trace = trace;
        let id = RequestId::current();
        if let Some(id) = id.and_then(|id| HeaderValue::from_str(id.as_str()).ok()) {
            forwarded.set(REQUEST_ID, id);
        }
        forwarded
    });
    Ok(Caller { session, forwarded })
}

fn check_content(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut content_types = headers.get_all(CONTENT_TYPE).iter().map(|header| header.to_str());
    let content_type = match (content_types.next(), content_types.next()) {
        (Some(Ok(content_type)), None) => Some(content_type),
        (_, _) => None,
    };
    match content_type.is_some_and(is_readable) {
        true => Ok(()),
        false => Err(Refusal::ContentType),
    }
}
