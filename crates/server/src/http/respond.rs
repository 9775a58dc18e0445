//! HTTP responses of results and refusals.

use bytes::Bytes;
use engine::{ErrorForm, JsonBody, Kind, MemoryReservation};
use hyper::StatusCode;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER};

use super::answer_body::AnswerBody;
use super::media_type::MediaType;
use super::refusal::Refusal;
use super::streamed_body::StreamedBody;
use crate::memory;

pub(super) type Response = hyper::Response<AnswerBody>;

/// The response to a request that did not reach the engine.
pub(super) fn refuse(media_type: MediaType, refusal: &Refusal) -> Response {
    refuse_in(ErrorForm::GraphQL, media_type, refusal)
}

/// The response of a path of GraphQL to a request that did not reach the engine, in the form of the
/// API.
pub(super) fn refuse_in(form: ErrorForm, media_type: MediaType, refusal: &Refusal) -> Response {
    let mut response = respond(refusal.status_in(form), media_type, refusal.body_in(form));
    if let Some((name, value)) = refusal.header() {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Refusal::RateLimited(exceeded) = refusal
        && let Some(retry) = exceeded.retry_after()
    {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry));
    }
    response
}

/// The response of the engine.
pub(super) fn complete(media_type: MediaType, response: engine::Response) -> Response {
    let status = match (response.kind, media_type) {
        (Kind::Executed, MediaType::Json | MediaType::GraphQLResponse)
        | (Kind::RequestError, MediaType::Json) => StatusCode::OK,
        (Kind::RequestError, MediaType::GraphQLResponse) => StatusCode::BAD_REQUEST,
        (Kind::MutationRefused, MediaType::Json | MediaType::GraphQLResponse) => {
            let response =
                respond_bytes(StatusCode::METHOD_NOT_ALLOWED, media_type, response.body.into());
            return with_allow(response, "POST");
        }
        (Kind::Overloaded, MediaType::Json | MediaType::GraphQLResponse) => {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return with_retry(respond_bytes(status, media_type, response.body.into()));
        }
    };
    let body = match response.body {
        JsonBody::Own(body) => memory::answer(body, response.held),
        JsonBody::Cached(body) => body,
    };
    match response.rest {
        None => respond_bytes(status, media_type, body),
        Some(rest) => {
            let body = AnswerBody::Streamed(Box::new(StreamedBody::new(body, rest)));
            respond_body(status, media_type, body)
        }
    }
}

pub(super) fn respond(status: StatusCode, media_type: MediaType, body: Vec<u8>) -> Response {
    respond_bytes(status, media_type, body.into())
}

/// A response with the memory reservation of its body, for as long as the body lives.
pub(super) fn respond_held(
    status: StatusCode,
    media_type: MediaType,
    body: Vec<u8>,
    held: MemoryReservation,
) -> Response {
    respond_bytes(status, media_type, memory::answer(body, held))
}

fn respond_bytes(status: StatusCode, media_type: MediaType, body: Bytes) -> Response {
    respond_body(status, media_type, AnswerBody::Whole(body))
}

fn respond_body(status: StatusCode, media_type: MediaType, body: AnswerBody) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static(media_type.content_type());
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// Adds `Retry-After`: within a second, most of the running requests have ended.
fn with_retry(mut response: Response) -> Response {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

fn with_allow(mut response: Response, allow: &'static str) -> Response {
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    response
}
