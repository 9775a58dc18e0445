//! Answers, and the refusals that come before GraphQL.

use std::time::Duration;

use bytes::Bytes;
use engine::{Held, Kind};
use graphql::{ErrorCode, GraphQLError};
use hyper::StatusCode;
use hyper::header::{
    ACCEPT_ENCODING, ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};

use super::answer_body::AnswerBody;
use super::credentials::{Denied, with_reason};
use super::media_type::MediaType;
use super::persisted::Missing;
use super::streamed_body::StreamedBody;
use crate::memory;

pub(super) type Response = hyper::Response<AnswerBody>;

/// Why a request does not come as far as the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is nothing at this path.
    Path,
    /// The path has other methods.
    Method {
        allow: &'static str,
    },
    /// It is not said which host the request is for, or two are.
    Host,
    /// It is for another host.
    OtherHost {
        named: Box<str>,
    },
    /// A page of another origin sent the request.
    OtherOrigin,
    NotAcceptable,
    /// The client refuses an answer as it is, and reads no compression that the server has.
    NoReadableCoding,
    ContentType,
    /// The body is sent in another way than in chunks or by its length.
    TransferEncoding,
    /// The body is compressed in a way that the server does not know.
    ContentEncoding,
    /// The body is not what its `Content-Encoding` says.
    NotDecompressed,
    BodyTooLarge {
        most_bytes: usize,
    },
    BodyTimeout,
    /// The body comes slowly, and others need its memory or its place.
    BodySlow,
    /// The bodies of other requests take all their memory.
    RequestMemory,
    BodyCutOff,
    /// What came is not HTTP/1.1.
    NoHttp,
    /// What came is not encrypted.
    NoTls,
    /// The head of the request did not come in time.
    HeadTimeout,
    HeadTooLarge {
        most_bytes: usize,
    },
    /// The URL of the request is longer than HTTP libraries take.
    TargetTooLong,
    /// There are as many clients as there may be.
    TooManyConnections {
        most: usize,
    },
    /// A batch came where there may be none.
    BatchingDisabled,
    EmptyBatch,
    BatchTooLarge {
        found: usize,
        most: usize,
    },
    /// The request has no document that may be executed.
    Document(Missing),
    /// It was not answered in time.
    RequestTimeout {
        most: Duration,
    },
    /// The source has nothing to serve yet.
    NothingYet,
    /// As many requests run and wait as may.
    Overloaded,
    /// It is not known who asks.
    Credentials(Denied),
    /// The same in the one word that clients of Neo4j's library know.
    Unauthenticated(Denied),
    /// The parameters of a GraphQL request are not there or not of their types.
    Malformed(GraphQLError),
}

impl Refusal {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Path => StatusCode::NOT_FOUND,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::TransferEncoding => StatusCode::NOT_IMPLEMENTED,
            Self::OtherHost { .. } => StatusCode::MISDIRECTED_REQUEST,
            Self::OtherOrigin => StatusCode::FORBIDDEN,
            Self::NotAcceptable | Self::NoReadableCoding => StatusCode::NOT_ACCEPTABLE,
            Self::ContentType | Self::ContentEncoding => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodyTooLarge { .. } | Self::BatchTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            // Clients take these two for a question, and not for a failure, whatever they read.
            Self::Document(Missing::NotFound | Missing::NotSupported) => StatusCode::OK,
            Self::Document(Missing::NotTrusted) => StatusCode::FORBIDDEN,
            Self::Host
            | Self::BatchingDisabled
            | Self::EmptyBatch
            | Self::Document(Missing::NotNamed(_) | Missing::OtherDocument) => {
                StatusCode::BAD_REQUEST
            }
            Self::BodyTimeout | Self::BodySlow | Self::HeadTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::RequestMemory => StatusCode::SERVICE_UNAVAILABLE,
            Self::HeadTooLarge { .. } => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::TargetTooLong => StatusCode::URI_TOO_LONG,
            Self::TooManyConnections { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::RequestTimeout { .. } => StatusCode::GATEWAY_TIMEOUT,
            Self::NothingYet | Self::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
            Self::Credentials(Denied::Malformed | Denied::Setting(_)) => StatusCode::BAD_REQUEST,
            Self::Credentials(Denied::Missing | Denied::Expired | Denied::Invalid { .. })
            | Self::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            Self::Credentials(Denied::NoKeys) => StatusCode::SERVICE_UNAVAILABLE,
            Self::BodyCutOff
            | Self::NotDecompressed
            | Self::NoHttp
            | Self::NoTls
            | Self::Malformed(_) => StatusCode::BAD_REQUEST,
        }
    }

    pub(super) fn code(&self) -> ErrorCode {
        self.error().code
    }

    /// After how many seconds the request may be sent again.
    pub(super) fn retry_after(&self) -> Option<u32> {
        let may_soon = matches!(
            self,
            Self::TooManyConnections { .. }
                | Self::NothingYet
                | Self::Overloaded
                | Self::RequestMemory
                | Self::Credentials(Denied::NoKeys)
        );
        may_soon.then_some(1)
    }

    /// The JSON of the answer.
    pub(super) fn body(&self) -> Vec<u8> {
        let mut body = b"{\"errors\":[".to_vec();
        self.error().write_json(&mut body);
        body.extend_from_slice(b"]}");
        body
    }

    pub(super) fn error(&self) -> GraphQLError {
        match self {
            Self::Path => GraphQLError::new(
                ErrorCode::NotFound,
                "There is nothing at this path; the API is at /graphql.",
            ),
            Self::Method { allow } => GraphQLError::new(
                ErrorCode::MethodNotAllowed,
                ["This path can be reached by ", allow, " only."].concat(),
            ),
            Self::Host => GraphQLError::new(
                ErrorCode::BadUserInput,
                "A request of HTTP/1.1 must have one \"Host\" header.",
            ),
            Self::OtherHost { named } => GraphQLError::new(
                ErrorCode::HostRefused,
                format!(
                    "This server does not answer for the host \"{named}\"; --allowed-hosts names the \
                     hosts that it answers for besides its own machine, as behind a proxy."
                ),
            ),
            Self::TransferEncoding => GraphQLError::new(
                ErrorCode::NotSupported,
                "The \"Transfer-Encoding\" of the request must be \"chunked\", or missing.",
            ),
            Self::OtherOrigin => GraphQLError::new(
                ErrorCode::CsrfRefused,
                "The browser says that a page of another origin sent this request; \
                 --allowed-origins and --cors-origins allow origins.",
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
            Self::NoReadableCoding => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The \"Accept-Encoding\" header refuses \"identity\" and allows no compression that \
                 the server has.",
            ),
            Self::ContentEncoding => GraphQLError::new(
                ErrorCode::BadUserInput,
                [
                    "The \"Content-Encoding\" of the request must be one of ",
                    clients::coding::Coding::NAMES,
                    ", or missing.",
                ]
                .concat(),
            ),
            Self::NotDecompressed => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The request body is not what its \"Content-Encoding\" says, or is cut off.",
            ),
            Self::BodyTooLarge { most_bytes } => GraphQLError::new(
                ErrorCode::BodyTooLarge,
                format!(
                    "The request body has more than {most_bytes} bytes, decompressed if it is \
                     compressed; --max-body-size allows more."
                ),
            ),
            Self::BodyTimeout => GraphQLError::new(
                ErrorCode::BodyTimeout,
                "The request body did not come in time; --body-timeout allows more.",
            ),
            Self::BodySlow => GraphQLError::new(
                ErrorCode::BodyTooSlow,
                "The request body came slower than others, which needed its memory or its place; \
                 --request-memory and --max-clients allow more.",
            ),
            Self::RequestMemory => GraphQLError::new(
                ErrorCode::RequestMemoryExhausted,
                "The bodies of requests take all the memory that they may (--request-memory); try \
                 again later.",
            ),
            Self::BodyCutOff => {
                GraphQLError::new(ErrorCode::BadUserInput, "The request body is cut off.")
            }
            Self::NoHttp => {
                GraphQLError::new(ErrorCode::BadUserInput, "This is no request of HTTP/1.1.")
            }
            Self::NoTls => GraphQLError::new(
                ErrorCode::BadUserInput,
                "This address speaks TLS only; its URL begins with \"https://\".",
            ),
            Self::HeadTimeout => GraphQLError::new(
                ErrorCode::HeaderTimeout,
                "The head of the request did not come in time; --header-timeout allows more.",
            ),
            Self::HeadTooLarge { most_bytes } => GraphQLError::new(
                ErrorCode::HeaderTooLarge,
                format!(
                    "The head of the request has more than {most_bytes} bytes or 100 fields; \
                     --max-header-size allows more bytes."
                ),
            ),
            Self::TargetTooLong => GraphQLError::new(
                ErrorCode::HeaderTooLarge,
                "The URL of the request has more than 65534 bytes; POST takes longer queries.",
            ),
            Self::TooManyConnections { most } => GraphQLError::new(
                ErrorCode::TooManyConnections,
                format!(
                    "The server has {most} connections, as many as --max-clients allows; try again."
                ),
            ),
            Self::BatchingDisabled => GraphQLError::new(
                ErrorCode::BatchingDisabled,
                "Batches of requests are not supported (--batching).",
            ),
            Self::EmptyBatch => {
                GraphQLError::new(ErrorCode::BadUserInput, "The batch holds no request.")
            }
            Self::BatchTooLarge { found, most } => GraphQLError::new(
                ErrorCode::BatchTooLarge,
                format!("The batch has {found} requests; {most} are allowed (--max-batch)."),
            ),
            // The next two are the messages that clients compare.
            Self::Document(Missing::NotFound) => {
                GraphQLError::new(ErrorCode::PersistedQueryNotFound, "PersistedQueryNotFound")
            }
            Self::Document(Missing::NotSupported) => GraphQLError::new(
                ErrorCode::PersistedQueryNotSupported,
                "PersistedQueryNotSupported",
            ),
            Self::Document(Missing::OtherDocument) => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The id of the document is that of another: provided sha does not match query.",
            ),
            Self::Document(Missing::NotTrusted) => GraphQLError::new(
                ErrorCode::OperationNotTrusted,
                "Only documents that the server was given are executed (--only-trusted).",
            ),
            Self::Malformed(error) | Self::Document(Missing::NotNamed(error)) => error.clone(),
            Self::RequestTimeout { most } => GraphQLError::new(
                ErrorCode::Timeout,
                format!(
                    "The request was given up after {} (--request-timeout).",
                    humantime::format_duration(*most)
                ),
            ),
            Self::Overloaded => GraphQLError::new(
                ErrorCode::Overloaded,
                "The server runs as many requests as it may; try again later.",
            ),
            Self::NothingYet => GraphQLError::new(
                ErrorCode::Unavailable,
                "The data source has nothing to serve yet; the server waits until its schema has \
                 something.",
            ),
            Self::Credentials(denied) => denied.error(),
            Self::Unauthenticated(denied) => {
                let error = GraphQLError::new(ErrorCode::Unauthenticated, "Unauthenticated");
                with_reason(error, denied.reason())
            }
        }
    }
}

/// The answer to a request that did not come as far as the engine.
pub(super) fn refuse(media_type: MediaType, refusal: &Refusal) -> Response {
    let response = respond(refusal.status(), media_type, refusal.body());
    match refusal {
        Refusal::Method { allow } => with_allow(response, allow),
        Refusal::NothingYet
        | Refusal::Overloaded
        | Refusal::RequestMemory
        | Refusal::Credentials(Denied::NoKeys) => with_retry(response),
        Refusal::Credentials(
            denied @ (Denied::Missing | Denied::Expired | Denied::Invalid { .. }),
        )
        | Refusal::Unauthenticated(denied) => with_challenge(response, denied),
        Refusal::ContentEncoding => with_codings(response),
        Refusal::Path
        | Refusal::Host
        | Refusal::OtherHost { .. }
        | Refusal::TransferEncoding
        | Refusal::OtherOrigin
        | Refusal::NotAcceptable
        | Refusal::NoReadableCoding
        | Refusal::ContentType
        | Refusal::NotDecompressed
        | Refusal::BodyTooLarge { .. }
        | Refusal::BodyTimeout
        | Refusal::BodySlow
        | Refusal::BodyCutOff
        | Refusal::NoHttp
        | Refusal::NoTls
        | Refusal::HeadTimeout
        | Refusal::HeadTooLarge { .. }
        | Refusal::TargetTooLong
        | Refusal::TooManyConnections { .. }
        | Refusal::BatchingDisabled
        | Refusal::EmptyBatch
        | Refusal::BatchTooLarge { .. }
        | Refusal::Credentials(Denied::Malformed | Denied::Setting(_))
        | Refusal::Document(_)
        | Refusal::RequestTimeout { .. }
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
        (Kind::Overloaded, MediaType::Json | MediaType::GraphQLResponse) => {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return with_retry(respond(status, media_type, response.body));
        }
    };
    match response.rest {
        None => respond_held(status, media_type, response.body, response.held),
        Some(rest) => {
            let first = memory::answer(response.body, response.held);
            let body = AnswerBody::Streamed(Box::new(StreamedBody::new(first, rest)));
            respond_body(status, media_type, body)
        }
    }
}

pub(super) fn respond(status: StatusCode, media_type: MediaType, body: Vec<u8>) -> Response {
    respond_bytes(status, media_type, body.into())
}

/// The same with the memory that the body takes, for as long as it is here.
pub(super) fn respond_held(
    status: StatusCode,
    media_type: MediaType,
    body: Vec<u8>,
    held: Held,
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

/// What the body may be compressed by.
fn with_codings(mut response: Response) -> Response {
    let codings = HeaderValue::from_static(clients::coding::Coding::NAMES);
    response.headers_mut().insert(ACCEPT_ENCODING, codings);
    response
}

/// A second later there may be a place; by then most requests that run now have ended.
fn with_retry(mut response: Response) -> Response {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// How to say who asks, <https://www.rfc-editor.org/rfc/rfc6750#section-3>.
fn with_challenge(mut response: Response, denied: &Denied) -> Response {
    let challenge = match denied {
        Denied::Expired | Denied::Invalid { .. } | Denied::Malformed => {
            "Bearer error=\"invalid_token\""
        }
        Denied::Missing | Denied::Setting(_) | Denied::NoKeys => "Bearer",
    };
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    response
}

fn with_allow(mut response: Response, allow: &'static str) -> Response {
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    response
}
