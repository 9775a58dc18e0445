//! The requests of the single connection mode.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use graphql::heap::HeapSize;
use graphql::{Body, ErrorCode, GraphQLError, Parameters};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json_bytes::Value as Json;
use tokio::time::Instant;

use super::driver::drive;
use crate::http::accept_encoding::Readable;
use crate::http::answer_body::AnswerBody;
use crate::http::connection_context::ConnectionContext;
use crate::http::cors::Permission;
use crate::http::event_body::EventBody;
use crate::http::exchange::{Exchange, HttpRequest};
use crate::http::graphql::{Read, authenticate, is_allowed_origin, read};
use crate::http::media_type::{MediaType, negotiate};
use crate::http::refusal::Refusal;
use crate::http::reservations::{NewOperation, Owner, Reservation};
use crate::http::respond::{Response, complete, refuse};
use crate::http::response_stream::{Format, respond};
use crate::http::service::Service;

/// The header with the token of a reservation.
const TOKEN: HeaderName = HeaderName::from_static("x-graphql-event-stream-token");

/// The parameters of URLs with a token, and with the id of an operation.
const TOKEN_PARAMETER: &str = "token";
const ID_PARAMETER: &str = "operationId";

/// The length limit of an id: it is repeated in each event of its operation.
const MOST_ID_BYTES: usize = 256;

/// Returns true if a request belongs to the single connection mode: it has another method than those of
/// other requests, or names a stream. In a URL, other programs may have a parameter of the same name.
pub(in crate::http) fn is_addressed(service: &Service, request: &HttpRequest) -> bool {
    match *request.method() {
        Method::PUT | Method::DELETE => true,
        Method::GET | Method::POST if request.headers().contains_key(TOKEN) => true,
        Method::GET if parameter(request, "query").is_none() => {
            parameter(request, TOKEN_PARAMETER).is_some() && is_for_events(request)
        }
        Method::GET | Method::POST => {
            parameter(request, TOKEN_PARAMETER).is_some_and(|token| find(service, &token).is_some())
        }
        _ => false,
    }
}

/// Answers a request of the single connection mode.
pub(in crate::http) async fn answer(
    service: &Rc<Service>,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
    context: &Rc<ConnectionContext>,
) -> Response {
    let cors = service.settings.cors.as_ref();
    let permission = cors.map(|cors| Permission::new(cors, request.headers()));
    let accept = request.headers().get_all(ACCEPT).iter();
    let media_type = negotiate(accept.map(|header| header.to_str().unwrap_or("?")));
    let answered = match *request.method() {
        _ if !is_allowed_origin(service, &request, context.peer) => Err(Refusal::OtherOrigin),
        _ if readable == Readable::Nothing => Err(Refusal::NoReadableCoding),
        Method::PUT => reserve(service, request.headers()).await,
        Method::DELETE => end(service, &request).await,
        Method::POST => begin(service, request, media_type, exchange, context).await,
        _ if !is_for_events(&request) => Err(Refusal::NotAcceptable),
        _ => open(service, &request, context).await,
    };
    let mut response = answered.unwrap_or_else(|refusal| {
        service.count_refused(&refusal);
        let response = refuse(media_type.unwrap_or(MediaType::Json), &refusal);
        exchange.refusal = Some(refusal);
        response
    });
    if let Some(permission) = permission {
        permission.add_headers(&mut response);
    }
    response
}

/// Reserves a stream.
async fn reserve(service: &Service, headers: &HeaderMap) -> Result<Response, Refusal> {
    let (owner, until) = owner(service, headers).await?;
    let reservation = Reservation::new(owner, until);
    let token = service.process.streams.add(reservation, service.settings.max_clients)?;
    let mut response = empty(StatusCode::CREATED);
    *response.body_mut() = AnswerBody::Whole(token.into_string().into());
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    Ok(response)
}

/// Opens the stream of a reservation. The token suffices, since browsers add no headers to such
/// requests; credentials that are there have to be the same.
async fn open(
    service: &Service,
    request: &HttpRequest,
    context: &Rc<ConnectionContext>,
) -> Result<Response, Refusal> {
    let headers = request.headers();
    let (token, reservation) = named(service, request)?;
    if service.settings.credentials.has_credentials(headers)? {
        let (owner, _) = owner(service, headers).await?;
        check_owner(&reservation, &owner)?;
    }
    reservation.open()?;
    let stream = drive(context, token.into(), reservation);
    Ok(respond(Format::Events, AnswerBody::Events(Box::new(EventBody::new(stream)))))
}

/// Adds an operation to a stream. Errors of its document are in this response.
async fn begin(
    service: &Service,
    request: HttpRequest,
    media_type: Option<MediaType>,
    exchange: &mut Exchange,
    context: &ConnectionContext,
) -> Result<Response, Refusal> {
    let media_type = media_type.ok_or(Refusal::NotAcceptable)?;
    let (_, reservation) = named(service, &request)?;
    let authorization = request.headers().get(AUTHORIZATION).cloned();
    let trace = exchange.trace_context();
    let Read { body, caller, memory: _memory, .. } =
        read(service, request, trace, &context.state).await?;
    let owner = Owner { session: caller.session.clone(), authorization };
    check_owner(&reservation, &owner)?;
    let Body::One(parameters) = body else {
        return Err(malformed("A stream takes the operations of a batch one by one."));
    };
    let id = operation_id(&parameters)?;
    let found = service.settings.persisted.find(parameters.clone()).map_err(Refusal::Document)?;
    if let Err(response) = service.worker.document(&found.request, &caller) {
        exchange.record_errors(&response.body);
        let mut response = complete(media_type, response);
        // The client must not take this for the acceptance of its operation.
        if response.status() == StatusCode::OK {
            *response.status_mut() = StatusCode::BAD_REQUEST;
        }
        return Ok(response);
    }
    let extensions = parameters.extensions.heap_size() + parameters.variables.heap_size();
    let extensions = extensions + parameters.numbers.heap_size();
    let bytes = (found.request.query.len() + extensions + parameters.files.bytes()) as u64;
    let held = service.process.bodies.reserve(bytes)?;
    let operation = NewOperation { id, caller, parameters, bytes, held };
    reservation.begin(operation, service.settings.subscriptions.most_operations)?;
    Ok(empty(StatusCode::ACCEPTED))
}

/// Ends an operation of a stream.
async fn end(service: &Service, request: &HttpRequest) -> Result<Response, Refusal> {
    let (_, reservation) = named(service, request)?;
    let (owner, _) = owner(service, request.headers()).await?;
    check_owner(&reservation, &owner)?;
    let id = parameter(request, ID_PARAMETER)
        .ok_or_else(|| malformed("The URL must have the id of the operation: \"operationId\"."))?;
    reservation.end(&id);
    Ok(empty(StatusCode::OK))
}

/// The credentials of a request, and the time at which they expire, if they do.
async fn owner(
    service: &Service,
    headers: &HeaderMap,
) -> Result<(Owner, Option<Instant>), Refusal> {
    let (caller, until) = authenticate(service, headers, None).await?;
    let authorization = headers.get(AUTHORIZATION).cloned();
    Ok((Owner { session: caller.session, authorization }, until))
}

/// Streams of others are as unknown as those that do not exist.
fn check_owner(reservation: &Reservation, owner: &Owner) -> Result<(), Refusal> {
    match reservation.belongs_to(owner) {
        true => Ok(()),
        false => Err(Refusal::UnknownStream),
    }
}

/// The reservation whose token a request has, with the token.
fn named<'r>(
    service: &Service,
    request: &'r HttpRequest,
) -> Result<(Cow<'r, str>, Arc<Reservation>), Refusal> {
    let token = match request.headers().get(TOKEN) {
        Some(token) => token.to_str().ok().map(Cow::Borrowed),
        None => parameter(request, TOKEN_PARAMETER),
    };
    let token = token.ok_or(Refusal::UnknownStream)?;
    let reservation = find(service, &token).ok_or(Refusal::UnknownStream)?;
    Ok((token, reservation))
}

fn find(service: &Service, token: &str) -> Option<Arc<Reservation>> {
    service.process.streams.find(token, service.settings.subscriptions.init_timeout)
}

/// The id in the extensions of an operation.
fn operation_id(parameters: &Parameters) -> Result<Arc<str>, Refusal> {
    match parameters.extensions.get(ID_PARAMETER) {
        Some(Json::String(id)) if !id.as_str().is_empty() && id.as_str().len() <= MOST_ID_BYTES => {
            Ok(id.as_str().into())
        }
        Some(_) | None => Err(malformed(
            "An operation of a stream must have an id of at most 256 bytes: \
             \"extensions.operationId\", a string.",
        )),
    }
}

fn malformed(message: &'static str) -> Refusal {
    Refusal::Malformed(GraphQLError::new(ErrorCode::BadUserInput, message))
}

/// Returns true if the client accepts server-sent events by name.
fn is_for_events(request: &HttpRequest) -> bool {
    Format::accepted(request) == Some(Format::Events)
}

/// A parameter of the URL.
fn parameter<'r>(request: &'r HttpRequest, name: &str) -> Option<Cow<'r, str>> {
    let query = request.uri().query()?;
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    parameters.find(|(known, _)| known == name).map(|(_, value)| value)
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(AnswerBody::Whole(Bytes::new()));
    *response.status_mut() = status;
    response
}
