//! Answers, and the refusals that come before GraphQL.

use bytes::Bytes;
use engine::Kind;
use graphql::{ErrorCode, GraphQLError};
use http_body_util::Full;
use hyper::StatusCode;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};

use super::media_type::MediaType;
use crate::memory;

pub(super) type Response = hyper::Response<Full<Bytes>>;

/// Why a request does not come as far as the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is nothing at this path.
    Path,
    /// The path has other methods.
    Method {
        allow: &'static str,
    },
    NotAcceptable,
    ContentType,
    ContentEncoding,
    BodyTooLarge {
        most_bytes: usize,
    },
    BodyTimeout,
    BodyCutOff,
    /// The parameters of a GraphQL request are not there or not of their types.
    Malformed(GraphQLError),
}

impl Refusal {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Path => StatusCode::NOT_FOUND,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Self::ContentType | Self::ContentEncoding => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::BodyCutOff | Self::Malformed(_) => StatusCode::BAD_REQUEST,
        }
    }

    pub(super) fn code(&self) -> ErrorCode {
        self.error().code
    }

    fn error(&self) -> GraphQLError {
        match self {
            Self::Path => GraphQLError::new(
                ErrorCode::NotFound,
                "There is nothing at this path; the API is at /graphql.",
            ),
            Self::Method { allow } => GraphQLError::new(
                ErrorCode::MethodNotAllowed,
                ["This path can be reached by ", allow, " only."].concat(),
            ),
            Self::NotAcceptable => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The \"Accept\" header allows neither \"application/graphql-response+json\" nor \
                 \"application/json\".",
            ),
            Self::ContentType => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The \"Content-Type\" of the request must be \"application/json\", in UTF-8.",
            ),
            Self::ContentEncoding => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The request body must not be compressed.",
            ),
            Self::BodyTooLarge { most_bytes } => GraphQLError::new(
                ErrorCode::BadUserInput,
                format!("The request body is larger than {most_bytes} bytes."),
            ),
            Self::BodyTimeout => {
                GraphQLError::new(ErrorCode::Timeout, "The request body did not come in time.")
            }
            Self::BodyCutOff => {
                GraphQLError::new(ErrorCode::BadUserInput, "The request body is cut off.")
            }
            Self::Malformed(error) => error.clone(),
        }
    }
}

/// The answer to a request that did not come as far as the engine.
pub(super) fn refuse(media_type: MediaType, refusal: &Refusal) -> Response {
    let mut body = b"{\"errors\":[".to_vec();
    refusal.error().write_json(&mut body);
    body.extend_from_slice(b"]}");
    let response = respond(refusal.status(), media_type, body);
    match refusal {
        Refusal::Method { allow } => with_allow(response, allow),
        Refusal::Path
        | Refusal::NotAcceptable
        | Refusal::ContentType
        | Refusal::ContentEncoding
        | Refusal::BodyTooLarge { .. }
        | Refusal::BodyTimeout
        | Refusal::BodyCutOff
        | Refusal::Malformed(_) => response,
    }
}

/// The answer of the engine.
pub(super) fn complete(media_type: MediaType, response: engine::Response) -> Response {
    let status = match (response.kind, media_type) {
        (Kind::Executed, MediaType::Json | MediaType::GraphQLResponse)
        | (Kind::RequestError, MediaType::Json) => StatusCode::OK,
        (Kind::RequestError, MediaType::GraphQLResponse) => StatusCode::BAD_REQUEST,
        (Kind::MutationRefused, MediaType::Json | MediaType::GraphQLResponse) => {
            let response = respond(StatusCode::METHOD_NOT_ALLOWED, media_type, response.body);
            return with_allow(response, "POST");
        }
    };
    respond(status, media_type, response.body)
}

pub(super) fn respond(status: StatusCode, media_type: MediaType, body: Vec<u8>) -> Response {
    let mut response = Response::new(Full::new(memory::answer(body)));
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static(media_type.content_type());
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

fn with_allow(mut response: Response, allow: &'static str) -> Response {
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    response
}
