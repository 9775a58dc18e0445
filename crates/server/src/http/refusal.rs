//! Refusals: errors that end a request before it reaches the engine, with their status, error code,
//! message and header.

use std::time::Duration;

use dialects::prisma::errors;
use engine::ErrorForm;
use graphql::problem::Located;
use graphql::{ErrorCode, GraphQLError};
use hyper::StatusCode;
use hyper::header::{
    ACCEPT_ENCODING, ALLOW, HeaderName, RETRY_AFTER, SEC_WEBSOCKET_VERSION, WWW_AUTHENTICATE,
};

use super::credentials::{AuthError, with_reason};
use super::hasura_sessions::SessionError;
use super::hook_refusal::HookRefusal;
use super::persisted::Missing;
use super::rate_limits::{Exceeded, NotCounted};
use super::upload_limits::UploadLimit;

/// The reason why a request does not reach the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No handler for the path.
    Path,
    /// The path supports other methods only.
    Method {
        allow: &'static str,
    },
    /// The `Host` header is missing or repeated.
    Host,
    /// The request names a host that is not allowed.
    OtherHost {
        named: Box<str>,
    },
    /// CSRF prevention: a page of another origin sent the request.
    OtherOrigin,
    NotAcceptable,
    /// The client refuses `identity`, and accepts no coding that the server supports.
    NoReadableCoding,
    ContentType,
    /// The request has files, and uploads are off.
    UploadsDisabled,
    /// CSRF prevention: any page may send such a body, unless a header makes the browser ask first.
    NoPreflight,
    UploadTooLarge(UploadLimit),
    /// The body has a transfer coding other than `chunked`.
    TransferEncoding,
    /// The body has an unknown content coding.
    ContentEncoding,
    /// The body cannot be decompressed.
    NotDecompressed,
    BodyTooLarge {
        most_bytes: usize,
    },
    BodyTimeout,
    /// The body is slow, and other requests need its memory or its connection.
    BodySlow,
    /// The memory budget of request bodies is exhausted.
    RequestMemory,
    BodyCutOff,
    /// The client does not send HTTP/1.1.
    NoHttp,
    /// The client sends plain HTTP to a listener with TLS.
    NoTls,
    /// Timeout of the head of the request.
    HeadTimeout,
    HeadTooLarge {
        most_bytes: usize,
    },
    /// The limit on operations of a WebSocket or of a shared event stream is reached.
    TooManyOperations {
        most: usize,
    },
    /// The limit on reserved event streams is reached.
    TooManyStreams {
        most: usize,
    },
    /// No event stream of the caller has the token of the request.
    UnknownStream,
    /// The event stream of a reservation was opened already.
    StreamOpen,
    /// An operation has the id of a running one.
    OperationIdInUse,
    /// The handshake of a WebSocket is malformed.
    SocketHandshake,
    /// The handshake names another version of the WebSocket protocol.
    SocketVersion,
    /// The URL of the request is longer than the HTTP library supports.
    TargetTooLong,
    /// The connection limit is reached.
    TooManyConnections {
        most: usize,
    },
    /// Batching is disabled.
    BatchingDisabled,
    EmptyBatch,
    BatchTooLarge {
        found: usize,
        most: usize,
    },
    /// The request has no document that may be executed.
    Document(Missing),
    /// The request timeout.
    RequestTimeout {
        most: Duration,
    },
    /// The schema has no fields yet.
    NothingYet,
    /// The Relay API cannot be made.
    NoRelay,
    /// Load shedding: the limit on concurrent requests and the queue are full.
    Overloaded,
    /// Authentication failed.
    Credentials(AuthError),
    /// Authentication failed, with the one error of Neo4j's library.
    Unauthenticated(AuthError),
    /// Authentication failed, with the one error of Prisma.
    ServiceToken(AuthError),
    /// The path names another service of Prisma, with this id.
    OtherService(Box<str>),
    /// The database of a request beside GraphQL cannot be reached, or fails.
    NoDatabase,
    /// An import has the rights of the connection's user, and the session has other ones.
    ImportRole,
    /// Authentication failed, with an error of Hasura.
    Session(SessionError),
    /// The parameters of a GraphQL request are missing or have wrong types.
    Malformed(GraphQLError),
    /// Settings of the API forbid the operation to the caller.
    Operation(GraphQLError),
    /// The client has sent more operations than a rate limit allows.
    RateLimited(Box<Exceeded>),
    /// A hook refuses the operation.
    Hook(Box<HookRefusal>),
    /// A hook fails, and operations need it.
    HookFailed,
    /// The store of the rate limits is not available, and operations are refused meanwhile.
    NotCounted,
}

impl Refusal {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Path | Self::UnknownStream => StatusCode::NOT_FOUND,
            Self::StreamOpen | Self::OperationIdInUse => StatusCode::CONFLICT,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::TransferEncoding => StatusCode::NOT_IMPLEMENTED,
            Self::OtherHost { .. } => StatusCode::MISDIRECTED_REQUEST,
            Self::OtherOrigin | Self::NoPreflight => StatusCode::FORBIDDEN,
            Self::NotAcceptable | Self::NoReadableCoding => StatusCode::NOT_ACCEPTABLE,
            Self::ContentType | Self::ContentEncoding | Self::UploadsDisabled => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Self::BodyTooLarge { .. } | Self::BatchTooLarge { .. } | Self::UploadTooLarge(_) => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            // Clients expect 200: they send the document next.
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
            Self::TooManyConnections { .. } | Self::TooManyStreams { .. } => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::RequestTimeout { .. } => StatusCode::GATEWAY_TIMEOUT,
            Self::NothingYet
            | Self::NoRelay
            | Self::NoDatabase
            | Self::NotCounted
            | Self::Overloaded
            | Self::TooManyOperations { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::Credentials(AuthError::Malformed | AuthError::Setting(_)) => {
                StatusCode::BAD_REQUEST
            }
            Self::Credentials(
                AuthError::Missing | AuthError::Expired | AuthError::Invalid { .. },
            )
            | Self::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            Self::Credentials(AuthError::NoKeys) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Session(error) => error.status(),
            // Clients of Prisma read errors of this status only.
            Self::ServiceToken(_) | Self::OtherService(_) => StatusCode::OK,
            Self::SocketVersion => StatusCode::UPGRADE_REQUIRED,
            Self::BodyCutOff
            | Self::NotDecompressed
            | Self::NoHttp
            | Self::NoTls
            | Self::SocketHandshake
            | Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Operation(_) | Self::ImportRole => StatusCode::FORBIDDEN,
            Self::RateLimited(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Hook(refusal) => refusal.status,
            Self::HookFailed => StatusCode::BAD_GATEWAY,
        }
    }

    pub(super) fn code(&self) -> ErrorCode {
        self.error().code
    }

    /// The header that a client needs to correct or repeat the request, if there is one.
    pub(super) fn header(&self) -> Option<(HeaderName, &'static str)> {
        match self {
            Self::Method { allow } => Some((ALLOW, allow)),
            // Within a second, most of the running requests have ended.
            Self::TooManyConnections { .. }
            | Self::TooManyStreams { .. }
            | Self::NothingYet
            | Self::NoRelay
            | Self::NoDatabase
            | Self::NotCounted
            | Self::Overloaded
            | Self::RequestMemory
            | Self::Credentials(AuthError::NoKeys)
            | Self::Session(SessionError::NoKeys) => Some((RETRY_AFTER, "1")),
            Self::Credentials(
                error @ (AuthError::Missing | AuthError::Expired | AuthError::Invalid { .. }),
            )
            | Self::Unauthenticated(error) => Some((WWW_AUTHENTICATE, challenge(error))),
            Self::ContentEncoding => Some((ACCEPT_ENCODING, clients::coding::Coding::NAMES)),
            Self::SocketVersion => Some((SEC_WEBSOCKET_VERSION, "13")),
            Self::Path
            | Self::Host
            | Self::OtherHost { .. }
            | Self::TransferEncoding
            | Self::OtherOrigin
            | Self::NotAcceptable
            | Self::NoReadableCoding
            | Self::ContentType
            | Self::UploadsDisabled
            | Self::NoPreflight
            | Self::UploadTooLarge(_)
            | Self::NotDecompressed
            | Self::BodyTooLarge { .. }
            | Self::BodyTimeout
            | Self::BodySlow
            | Self::BodyCutOff
            | Self::NoHttp
            | Self::NoTls
            | Self::HeadTimeout
            | Self::HeadTooLarge { .. }
            | Self::TargetTooLong
            | Self::SocketHandshake
            | Self::TooManyOperations { .. }
            | Self::UnknownStream
            | Self::StreamOpen
            | Self::OperationIdInUse
            | Self::BatchingDisabled
            | Self::EmptyBatch
            | Self::BatchTooLarge { .. }
            | Self::Credentials(AuthError::Malformed | AuthError::Setting(_))
            | Self::Session(_)
            | Self::ServiceToken(_)
            | Self::OtherService(_)
            | Self::ImportRole
            | Self::Document(_)
            | Self::RequestTimeout { .. }
            | Self::Malformed(_)
            // The time of its header is not constant.
            | Self::RateLimited(_)
            | Self::Hook(_)
            | Self::HookFailed
            | Self::Operation(_) => None,
        }
    }

    /// The JSON body of the response.
    pub(super) fn body(&self) -> Vec<u8> {
        let mut body = b"{\"errors\":[".to_vec();
        self.error().write_json(&mut body);
        body.extend_from_slice(b"]}");
        body
    }

    /// The JSON body in the form of an API.
    pub(super) fn body_in(&self, form: ErrorForm) -> Vec<u8> {
        match form {
            ErrorForm::GraphQL => self.body(),
            ErrorForm::Hasura | ErrorForm::Prisma => {
                engine::Response::request_error(&[self.error_in(form)]).body.into()
            }
        }
    }

    /// The error in the form of an API.
    pub(super) fn error_in(&self, form: ErrorForm) -> GraphQLError {
        let mut error = self.error();
        if let (ErrorForm::Hasura, Self::Malformed(_) | Self::Document(Missing::NotNamed(_))) =
            (form, self)
            && error.code == ErrorCode::BadUserInput
        {
            let code = match error.message.contains("is not valid JSON") {
                true => "invalid-json",
                false => "parse-failed",
            };
            error = error.with_extension("code", code);
        }
        let formed = form.form(&error, &Located::default());
        match form {
            ErrorForm::Prisma => engine::with_request_id(formed),
            ErrorForm::GraphQL | ErrorForm::Hasura => formed,
        }
    }

    /// The error of a socket in the form of an API.
    pub(super) fn socket_error_in(&self, form: ErrorForm) -> GraphQLError {
        let mut error = self.error_in(form);
        // Prisma has texts of their own for sockets.
        if let Self::ServiceToken(denied) = self {
            error.message = match denied {
                AuthError::Missing => errors::NO_SOCKET_TOKEN,
                AuthError::Malformed
                | AuthError::Setting(_)
                | AuthError::Expired
                | AuthError::Invalid { .. }
                | AuthError::NoKeys => errors::SOCKET_TOKEN_REFUSED,
            }
            .into();
        }
        error
    }

    /// The status at a path of GraphQL, by the form of the API: Hasura answers errors of requests with
    /// 200, and leaves other statuses to what fails before a request is read.
    pub(super) fn status_in(&self, form: ErrorForm) -> StatusCode {
        match (form, self) {
            (
                ErrorForm::Hasura,
                Self::Malformed(_)
                | Self::Operation(_)
                | Self::Document(_)
                | Self::EmptyBatch
                | Self::BatchTooLarge { .. }
                | Self::BatchingDisabled
                | Self::Unauthenticated(_)
                | Self::Credentials(
                    AuthError::Missing
                    | AuthError::Expired
                    | AuthError::Malformed
                    | AuthError::Setting(_)
                    | AuthError::Invalid { .. },
                ),
            ) => StatusCode::OK,
            (ErrorForm::Hasura, Self::Session(error)) => match error {
                // Clients try again.
                SessionError::NoKeys => self.status(),
                _ => StatusCode::OK,
            },
            (ErrorForm::Hasura | ErrorForm::GraphQL | ErrorForm::Prisma, _) => self.status(),
        }
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
            Self::UploadsDisabled => GraphQLError::new(
                ErrorCode::BadUserInput,
                "This server takes no files: requests of the media type \"multipart/form-data\" \
                 need --uploads, and others must be \"application/json\".",
            ),
            Self::NoPreflight => GraphQLError::new(
                ErrorCode::CsrfRefused,
                "A request with files must have the header \"GraphQL-Preflight: 1\" or \
                 \"Apollo-Require-Preflight: true\", which a page of another origin cannot send \
                 without permission.",
            ),
            Self::UploadTooLarge(limit) => {
                GraphQLError::new(ErrorCode::BodyTooLarge, limit.message())
            }
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
            Self::TooManyOperations { most } => GraphQLError::new(
                ErrorCode::TooManyOperations,
                format!(
                    "The socket has {most} running operations, as many as --max-socket-operations \
                     allows; end one, or open another socket."
                ),
            ),
            Self::TooManyStreams { most } => GraphQLError::new(
                ErrorCode::TooManyConnections,
                format!(
                    "The server has {most} event streams of the single connection mode, as many as \
                     --max-clients allows; try again."
                ),
            ),
            Self::UnknownStream => GraphQLError::new(
                ErrorCode::NotFound,
                "There is no event stream with this token for these credentials: PUT reserves one, \
                 which ends with its connection.",
            ),
            Self::StreamOpen => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The event stream of this token was opened already.",
            ),
            Self::OperationIdInUse => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The event stream has a running operation with this id.",
            ),
            Self::SocketHandshake => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The handshake of a WebSocket must be a GET of HTTP/1.1 with \"Connection: Upgrade\" and \
                 a \"Sec-WebSocket-Key\" of 16 bytes.",
            ),
            Self::SocketVersion => GraphQLError::new(
                ErrorCode::NotSupported,
                "The \"Sec-WebSocket-Version\" must be 13.",
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
            // Clients compare the next two messages.
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
            Self::Malformed(error)
            | Self::Operation(error)
            | Self::Document(Missing::NotNamed(error)) => error.clone(),
            Self::RateLimited(exceeded) => exceeded.error(),
            Self::Hook(refusal) => {
                let error = GraphQLError::new(ErrorCode::HookRefused, &*refusal.message);
                match &refusal.code {
                    Some(code) => error.with_extension("code", code),
                    None => error,
                }
            }
            Self::HookFailed => GraphQLError::new(
                ErrorCode::HookFailed,
                "A hook of this server fails, and operations need it; try again later.",
            ),
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
            Self::NoRelay => GraphQLError::new(
                ErrorCode::Unavailable,
                "The Relay API cannot be served; the log of the server has the reason.",
            ),
            Self::Credentials(denied) => denied.error(),
            Self::Session(error) => error.error(),
            Self::Unauthenticated(denied) => {
                let error = GraphQLError::new(ErrorCode::Unauthenticated, "Unauthenticated");
                with_reason(error, denied.reason())
            }
            Self::ServiceToken(_) => {
                GraphQLError::new(ErrorCode::Unauthenticated, errors::TOKEN_REFUSED)
            }
            Self::NoDatabase => GraphQLError::new(
                ErrorCode::Unavailable,
                "The database does not answer; the log of the server has the reason.",
            ),
            Self::NotCounted => GraphQLError::new(
                ErrorCode::Unavailable,
                "The store of the rate limits is not available (--rate-limit-failure closed); try \
                 again later.",
            ),
            Self::ImportRole => GraphQLError::new(
                ErrorCode::PermissionDenied,
                "An import has the rights of the connection's user: it is refused with policies, and \
                 for a session with a role or settings of its own.",
            ),
            Self::OtherService(id) => {
                GraphQLError::new(ErrorCode::NotFound, errors::service_not_found(id))
            }
        }
    }
}

impl From<NotCounted> for Refusal {
    fn from(reason: NotCounted) -> Self {
        match reason {
            NotCounted::Exceeded(exceeded) => Self::RateLimited(exceeded),
            NotCounted::NoStore => Self::NotCounted,
        }
    }
}

/// The challenge of a bearer token, <https://www.rfc-editor.org/rfc/rfc6750#section-3>.
fn challenge(error: &AuthError) -> &'static str {
    match error {
        AuthError::Expired | AuthError::Invalid { .. } | AuthError::Malformed => {
            "Bearer error=\"invalid_token\""
        }
        AuthError::Missing | AuthError::Setting(_) | AuthError::NoKeys => "Bearer",
    }
}
