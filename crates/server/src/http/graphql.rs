//! A GraphQL request, from its head to its response.

use std::rc::Rc;
use std::sync::Arc;

use engine::gateway::headers::{REQUEST_ID, Trace};
use engine::{Allowed, Caller, ChangePosition, Delivery, ErrorForm, Kind};
use graphql::{Body, Parameters, Request};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Version};
use serde_json_bytes::{Map, Value as Json};
use tokio::time::Instant;

use super::accept_encoding::Readable;
use super::answer_body::AnswerBody;
use super::authenticated::Authenticated;
use super::batch;
use super::body::{self, ReadBody};
use super::cache_control::add_cache_control;
use super::cached_answer::CacheRequest;
use super::client_address::ClientAddress;
use super::connection_context::ConnectionContext;
use super::cors::{Permission, preflight};
use super::exchange::{Exchange, HttpRequest};
use super::execute::{Executed, Execution, execute, find_document};
use super::hooks::Hooks;
use super::log_position::may_write;
use super::media_type::{MediaType, is_readable, negotiate_in};
use super::origin::{self, OwnSchemes};
use super::refusal::Refusal;
use super::request_memory::BodyReservation;
use super::respond::{Response, complete, refuse_in};
use super::response_stream::{
    Format, Incremental, Operation, answer as answer_stream, choose, respond_incrementally,
};
use super::timeouts::ConnectionState;

use super::service::Service;
use super::transport::Peer;
use super::uploads::{self, ReadUpload};
use crate::request_id::RequestId;

/// The methods of `/graphql`. PUT and DELETE are those of [`super::single_stream`].
const METHODS: &str = "GET, HEAD, POST, PUT, DELETE";

/// Header by which a router requests a trace (Apollo's federated tracing), and its only value.
const INCLUDE_TRACE: HeaderName = HeaderName::from_static("apollo-federation-include-trace");
const FTV1: &[u8] = b"ftv1";

/// A parsed body, or the query string in its place, with its HTTP method and its caller.
#[derive(Debug)]
pub(super) struct Read<'s> {
    pub(super) body: Body,
    /// The memory reservation of the body, for as long as the request is executed.
    pub(super) memory: Option<BodyReservation<'s>>,
    /// GET allows queries only: browsers, caches and crawlers repeat it as they like.
    allowed: Allowed,
    pub(super) caller: Caller,
    /// The time at which the token of the caller expires, if it does.
    until: Option<Instant>,
}

/// Answers one request, and records it in the exchange.
pub(super) async fn answer(
    service: &Rc<Service>,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
    context: &Rc<ConnectionContext>,
) -> Response {
    let Some(cors) = &service.settings.cors else {
        return answer_request(service, request, readable, exchange, context).await;
    };
    let permission = Permission::new(cors, request.headers());
    let mut response = match preflight(cors, request.method(), request.headers()) {
        Some(response) => response,
        None => answer_request(service, request, readable, exchange, context).await,
    };
    permission.add_headers(&mut response);
    response
}

async fn answer_request(
    service: &Rc<Service>,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
    context: &Rc<ConnectionContext>,
) -> Response {
    let accept = request.headers().get_all(ACCEPT).iter();
    // A header that is not text matches no media type.
    let form = service.worker.error_form();
    let media_type = negotiate_in(form, accept.map(|header| header.to_str().unwrap_or("?")));
    let stream = Format::accepted(&request);
    let incremental = Incremental::accepted(&request);
    let delivery = delivery(service, &request);
    let trace = exchange.trace_context();
    let has_settings = service.settings.credentials.has_settings(request.headers());
    let positions = service.settings.positions;
    let freshness = positions.map(|positions| positions.freshness(request.headers()));
    let freshness = freshness.unwrap_or_default();
    let cache_request = CacheRequest::new(service, &request);
    let cache = cache_request.allowed;
    let read = match media_type {
        _ if !is_allowed_origin(service, &request, exchange.peer) => Err(Refusal::OtherOrigin),
        None if stream.is_none() && incremental.is_none() => Err(Refusal::NotAcceptable),
        _ if readable == Readable::Nothing => Err(Refusal::NoReadableCoding),
        _ => read(service, request, trace, &context.state).await,
    };
    let accepted = media_type;
    let media_type = media_type.unwrap_or(MediaType::Json);
    let answered = match read {
        Ok(Read { body: Body::One(parameters), allowed, caller, memory: _memory, until }) => {
            let caller = Caller { freshness, cache, ..caller };
            if let Some(format) = choose(service, stream, accepted, &parameters, &caller) {
                let may_write = may_write(&parameters);
                let operation = Operation { parameters, allowed, caller, until, incremental };
                // Boxed: streams are rare, and every request would need the space.
                let answered =
                    Box::pin(answer_stream(service, context, format, operation, exchange)).await;
                let mut response = answered
                    .unwrap_or_else(|refusal| refuse_one(form, media_type, refusal, exchange));
                // The head of the response is sent before the changes are made.
                if let Some(positions) = positions.filter(|_| may_write) {
                    positions.add(response.headers_mut(), ChangePosition::Unknown);
                }
                return response;
            }
            let (start, report) =
                ((exchange.client_address, exchange.started), &mut exchange.report);
            // A response as one part of a body is not streamed.
            let is_part = incremental.is_some() && accepted.is_none();
            let delivery = if is_part { delivery.whole() } else { delivery };
            let execution = Execution {
                caller: &caller,
                allowed,
                delivery,
                incremental: incremental.map(Incremental::format),
            };
            let executed = execute(service, parameters, execution, start, report).await;
            executed.map(|Executed { response, operation_name, counted }| {
                exchange.operation_name = operation_name;
                exchange.counted = counted;
                if response.kind != Kind::Executed {
                    exchange.record_errors(&response.body);
                }
                let is_single = response.payloads.is_none() && accepted.is_some();
                if let Some(form) = incremental.filter(|_| !is_single) {
                    return respond_incrementally(service, form, response);
                }
                let mut response = complete(media_type, response);
                let is_whole = !matches!(response.body(), AnswerBody::Streamed(_));
                if is_whole {
                    let (report, asker) = (&exchange.report, (&**service, &caller));
                    cache_request.complete(&mut response, report, asker, has_settings);
                    let headers = response.headers_mut();
                    add_cache_control(headers, &exchange.report, service, &caller, has_settings);
                }
                response
            })
        }
        Ok(Read { body: Body::Batch(_), .. }) if accepted.is_none() => Err(Refusal::NotAcceptable),
        Ok(Read { body: Body::Batch(members), caller, memory: _memory, .. }) => {
            let caller = Caller { freshness, cache, ..caller };
            // Boxed: batches are rare, and every request would need the space.
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
    answered.unwrap_or_else(|refusal| refuse_one(form, media_type, refusal, exchange))
}

fn refuse_one(
    form: ErrorForm,
    media_type: MediaType,
    refusal: Refusal,
    exchange: &mut Exchange,
) -> Response {
    let response = refuse_in(form, media_type, &refusal);
    exchange.refusal = Some(refusal);
    response
}

/// Chooses whether a response may be streamed: its client has to be able to tell a complete one from
/// an interrupted one, which HTTP/1.0 cannot, and has to read the body. A response with a trace is
/// not streamed: the trace stands at its end.
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

/// CSRF check: whether the page that sends the request is allowed to, if a page does. Other methods
/// do nothing.
pub(super) fn is_allowed_origin(service: &Service, request: &HttpRequest, peer: Peer) -> bool {
    let allowed = &service.settings.allowed_origins;
    let schemes = match (&service.settings.tls, peer) {
        (Some(_), Peer::Tcp(_)) => OwnSchemes::Https,
        (Some(_), Peer::Unix) | (None, Peer::Tcp(_) | Peer::Unix) => OwnSchemes::Either,
    };
    let has_effect = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::POST | Method::PUT | Method::DELETE
    );
    !has_effect || origin::is_allowed(allowed, schemes, request.uri(), request.headers())
}

/// Reads a single request, with its document and its caller. Nothing is executed.
pub(super) async fn read_one(
    service: &Service,
    request: HttpRequest,
    client: ClientAddress,
    state: &ConnectionState,
) -> Result<(Request, Caller), Refusal> {
    let Read { body, caller, .. } = read(service, request, None, state).await?;
    match body {
        Body::One(parameters) if !parameters.files.is_empty() => Err(Refusal::ContentType),
        Body::One(parameters) => {
            let found = find_document(service, parameters, &caller, client).await?;
            Ok((found.request, caller))
        }
        Body::Batch(_) => Err(Refusal::BatchingDisabled),
    }
}

pub(super) async fn read<'s>(
    service: &'s Service,
    request: HttpRequest,
    trace: Option<Trace>,
    state: &ConnectionState,
) -> Result<Read<'s>, Refusal> {
    let method = request.method().clone();
    let path = service.settings.hooks.as_ref().map(|_| request.uri().path().to_owned());
    let mut read = read_parts(service, request, trace, state).await?;
    if let Some(head) = read.caller.head.as_mut().and_then(Arc::get_mut) {
        head.method = Some(method.as_str().into());
        head.path = path.map(Into::into);
    }
    Ok(read)
}

async fn read_parts<'s>(
    service: &'s Service,
    request: HttpRequest,
    trace: Option<Trace>,
    state: &ConnectionState,
) -> Result<Read<'s>, Refusal> {
    match *request.method() {
        Method::POST => {
            let reads_request = service.settings.credentials.reads_request();
            let known = match reads_request {
                true => None,
                false => Some(authenticate(service, request.headers(), trace).await?),
            };
            let boundary = uploads::boundary(service.settings.uploads.as_ref(), request.headers())?;
            let (head, body) = request.into_parts();
            let (settings, bodies) = (service.settings.body, &service.process.bodies);
            let (body, memory) = match (boundary, &service.settings.uploads) {
                (Some(boundary), Some(uploads)) => {
                    let form = (&head.headers, boundary);
                    // Boxed: files are rare, and every request would need the space.
                    let read = uploads::read((uploads, settings), bodies, state, form, body);
                    let ReadUpload { body, memory } = Box::pin(read).await?;
                    (body, memory)
                }
                (None, _) | (_, None) => {
                    check_content(&head.headers)?;
                    let read = body::read(settings, bodies, state, &head.headers, body).await?;
                    let ReadBody { bytes, memory } = read;
                    let body = Body::from_json(&bytes, settings.json);
                    (body.map_err(Refusal::Malformed)?, memory)
                }
            };
            let (caller, until) = match known {
                Some(known) => known,
                None => {
                    let shown = shown_body(service, &body);
                    // Boxed: such webhooks are rare, and every request would need the space.
                    Box::pin(authenticate_by(service, &head.headers, trace, Some(&shown))).await?
                }
            };
            Ok(Read { body, allowed: Allowed::All, caller, until, memory: Some(memory) })
        }
        Method::GET | Method::HEAD => {
            let query_string = request.uri().query().unwrap_or_default();
            let limits = service.settings.body.json;
            let parameters = Parameters::from_query_string(query_string, limits);
            let shown = match (service.settings.credentials.reads_request(), &parameters) {
                (true, Ok(parameters)) => Some(shown_request(service, parameters)),
                (true, Err(_)) | (false, _) => None,
            };
            let (caller, until) =
                authenticate_by(service, request.headers(), trace, shown.as_ref()).await?;
            let body = Body::One(parameters.map_err(Refusal::Malformed)?);
            Ok(Read { body, allowed: Allowed::Queries, caller, until, memory: None })
        }
        _ => Err(Refusal::Method { allow: METHODS }),
    }
}

/// The caller: its session, and the headers to forward to other servers; with the time at which its
/// token expires, if it does.
pub(super) async fn authenticate(
    service: &Service,
    headers: &HeaderMap,
    trace: Option<Trace>,
) -> Result<(Caller, Option<Instant>), Refusal> {
    authenticate_by(service, headers, trace, None).await
}

/// The same, with the GraphQL request in the form that webhooks receive.
async fn authenticate_by(
    service: &Service,
    headers: &HeaderMap,
    trace: Option<Trace>,
    request: Option<&Json>,
) -> Result<(Caller, Option<Instant>), Refusal> {
    let found = service.settings.credentials.find(service, headers, request).await;
    let Authenticated { session, until } = found?;
    let head = service.settings.hooks.as_ref().map(|_| Hooks::head(headers));
    let forwarded = service.worker.read_headers().map(|wanted| {
        let mut forwarded = Box::new(wanted.collect(headers));
        forwarded.trace = trace;
        let id = RequestId::current();
        if let Some(id) = id.and_then(|id| HeaderValue::from_str(id.as_str()).ok()) {
            forwarded.set(REQUEST_ID, id);
        }
        forwarded
    });
    Ok((Caller { session, forwarded, head, ..Caller::default() }, until))
}

/// The contents of a body as webhooks receive them.
fn shown_body(service: &Service, body: &Body) -> Json {
    match body {
        Body::One(parameters) => shown_request(service, parameters),
        Body::Batch(members) => {
            let shown = members.iter().map(|member| match member {
                Ok(parameters) => shown_request(service, parameters),
                Err(_) => Json::Null,
            });
            Json::Array(shown.collect())
        }
    }
}

/// A request with its document, which the client may have given by id.
fn shown_request(service: &Service, parameters: &Parameters) -> Json {
    let found = service.settings.persisted.find(parameters.clone()).ok();
    let query = found.map(|found| found.request.query).or_else(|| parameters.query.clone());
    let mut shown = Map::new();
    if !parameters.variables.is_empty() {
        let variables = parameters.files.without(parameters.variables.clone());
        shown.insert("variables", Json::Object(variables));
    }
    if let Some(name) = &parameters.operation_name {
        shown.insert("operationName", Json::from(name.as_str()));
    }
    shown.insert("query", query.map(Json::from).unwrap_or_default());
    Json::Object(shown)
}

pub(super) fn check_content(headers: &HeaderMap) -> Result<(), Refusal> {
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
