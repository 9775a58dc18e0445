//! Answers and errors as JSON.

use std::sync::atomic::{AtomicU64, Ordering};

use graphql::operation::Location;
use graphql::{ErrorCode, GraphQLError, PathSegment};
use response::{Failure, Held, Segment, TooLarge, WriteError, Written};
use sources::{ExecuteError, SourceError, SourceErrorKind, Streamed};

use crate::rest::Rest;

/// A response, ready to be sent.
#[derive(Debug)]
pub struct Response {
    pub kind: Kind,
    /// The JSON text.
    pub body: Vec<u8>,
    /// The memory that it takes, for as long as it is here.
    pub held: Held,
    /// What comes after it, where the answer is made while it is sent.
    pub rest: Option<Box<Rest>>,
}

/// How far the request came. HTTP derives its status from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request itself is at fault; there is no `data`.
    RequestError,
    /// There is a `data`, complete or not.
    Executed,
    /// A mutation came where only queries may.
    MutationRefused,
    /// The server has too much to do; the same request may be sent again after a while.
    Overloaded,
}

/// The beginning of every response that has data.
pub(crate) const DATA: &[u8] = b"{\"data\":";

impl Response {
    /// A response without data.
    #[must_use]
    pub fn request_error(errors: &[GraphQLError]) -> Self {
        let mut body = Vec::from(*b"{\"errors\":");
        write_errors(errors, &mut body);
        body.push(b'}');
        Self { kind: Kind::RequestError, body, held: Held::default(), rest: None }
    }

    /// The response of a request that ran.
    pub(crate) fn executed(written: Written<SourceError>, codes: &mut Vec<ErrorCode>) -> Self {
        let (body, held) = complete(written, codes);
        Self { kind: Kind::Executed, body, held, rest: None }
    }

    /// The response of a request whose answer is long.
    pub(crate) fn begun(streamed: Streamed) -> Self {
        let rest = Some(Box::new(Rest::new(streamed.rest)));
        Self { kind: Kind::Executed, body: streamed.first, held: Held::default(), rest }
    }

    /// The response of a request of which nothing could be read.
    pub(crate) fn failed(error: ExecuteError, codes: &mut Vec<ErrorCode>) -> Self {
        let error = execute_error(error);
        if matches!(error.code, ErrorCode::ResponseMemoryExhausted | ErrorCode::Overloaded) {
            codes.push(error.code);
            return Self { kind: Kind::Overloaded, ..Self::request_error(&[error]) };
        }
        codes.push(error.code);
        let mut body = Vec::from(*b"{\"data\":null,\"errors\":");
        write_errors(&[error], &mut body);
        body.push(b'}');
        Self { kind: Kind::Executed, body, held: Held::default(), rest: None }
    }
}

/// The end of a response, after what the source has written.
pub(crate) fn complete(
    written: Written<SourceError>,
    codes: &mut Vec<ErrorCode>,
) -> (Vec<u8>, Held) {
    let Written { data: mut body, held, errors } = written;
    if !errors.is_empty() {
        let errors: Vec<_> = errors.into_iter().map(execution_error).collect();
        codes.extend(errors.iter().map(|error| error.code));
        body.extend_from_slice(b",\"errors\":");
        write_errors(&errors, &mut body);
    }
    body.push(b'}');
    (body, held)
}

/// Why there is no answer, or no whole one.
pub(crate) fn execute_error(error: ExecuteError) -> GraphQLError {
    match error {
        ExecuteError::Source(error) => source_error(&error),
        ExecuteError::TooLarge(error @ TooLarge::Answer { .. }) => {
            GraphQLError::new(ErrorCode::ResponseTooLarge, error.to_string())
        }
        ExecuteError::TooLarge(TooLarge::Together(_)) => no_memory(),
        ExecuteError::Broken(Some(error)) => execution_error(*error),
        ExecuteError::Broken(None) | ExecuteError::Refused(_) => our_bug(&error.to_string()),
    }
}

fn no_memory() -> GraphQLError {
    GraphQLError::new(
        ErrorCode::ResponseMemoryExhausted,
        "The answers that the server is making take all the memory that they may; try again later.",
    )
}

fn write_errors(errors: &[GraphQLError], body: &mut Vec<u8>) {
    body.push(b'[');
    for (index, error) in errors.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        error.write_json(body);
    }
    body.push(b']');
}

fn execution_error(error: WriteError<SourceError>) -> GraphQLError {
    let path = error.path.into_iter().map(|segment| match segment {
        Segment::Name(name) => PathSegment::Field(name),
        Segment::Index(index) => PathSegment::Index(usize::try_from(index).unwrap_or(usize::MAX)),
    });
    let path: Vec<_> = path.collect();
    let location = error.location;
    let error = match error.failure {
        Failure::Leaf(error) => GraphQLError::new(ErrorCode::InvalidValue, error.to_string()),
        Failure::Null => GraphQLError::new(
            ErrorCode::InvalidValue,
            "The source has no value here, and the schema promises one.",
        ),
        Failure::Source(error) => source_error(&error),
        Failure::TooDeep(message) => GraphQLError::new(ErrorCode::QueryTooDeep, message),
        Failure::Refused(message) => GraphQLError::new(ErrorCode::BadUserInput, message),
    };
    let error = match location {
        Some((line, column)) => error.at(Location { line, column }),
        None => error,
    };
    error.with_path(path)
}

/// A source's failure as a client may see it: its own request's fault in the source's words,
/// everything else by a code and an id that stands in the log.
pub(crate) fn source_error(error: &SourceError) -> GraphQLError {
    let code = match error.kind {
        SourceErrorKind::Input => return in_own_words(ErrorCode::BadUserInput, error),
        SourceErrorKind::Raised => return in_own_words(ErrorCode::Raised, error),
        SourceErrorKind::TooLarge => return in_own_words(ErrorCode::ResponseTooLarge, error),
        // Not the source's fault, and nothing to look up in the log.
        SourceErrorKind::NoMemory => return no_memory(),
        SourceErrorKind::Busy => {
            return GraphQLError::new(
                ErrorCode::Overloaded,
                "All connections to the data source are in use; try again later.",
            );
        }
        // Said by us, of the request's own rows.
        SourceErrorKind::Aborted => return in_own_words(ErrorCode::TransactionAborted, error),
        SourceErrorKind::Missing => return in_own_words(ErrorCode::NotFound, error),
        SourceErrorKind::TooMany => return in_own_words(ErrorCode::TooManyRows, error),
        SourceErrorKind::Refused => return in_own_words(ErrorCode::PermissionDenied, error),
        SourceErrorKind::UniqueViolation => ErrorCode::UniqueViolation,
        SourceErrorKind::ForeignKeyViolation => ErrorCode::ForeignKeyViolation,
        SourceErrorKind::NotNullViolation => ErrorCode::NotNullViolation,
        SourceErrorKind::CheckViolation => ErrorCode::CheckViolation,
        SourceErrorKind::ExclusionViolation => ErrorCode::ExclusionViolation,
        SourceErrorKind::PermissionDenied => ErrorCode::PermissionDenied,
        SourceErrorKind::Conflict => ErrorCode::Conflict,
        SourceErrorKind::ReadOnly => ErrorCode::ReadOnly,
        SourceErrorKind::OutcomeUnknown => ErrorCode::OutcomeUnknown,
        SourceErrorKind::Credentials => ErrorCode::Unauthenticated,
        SourceErrorKind::Timeout => ErrorCode::Timeout,
        SourceErrorKind::Unavailable | SourceErrorKind::Overloaded => ErrorCode::Unavailable,
        SourceErrorKind::TooComplex => ErrorCode::QueryTooComplex,
        SourceErrorKind::Internal => ErrorCode::SourceError,
    };
    let id = error_id();
    tracing::error!(
        error_id = %id,
        code = code.as_str(),
        source_code = error.code.as_deref().unwrap_or(""),
        // Quoted: a message may have several lines.
        error = ?error.message,
        "the source failed"
    );
    let message = match error.kind {
        SourceErrorKind::Unavailable => "The data source cannot be reached.",
        SourceErrorKind::Overloaded => "The data source has no room for this now.",
        SourceErrorKind::Timeout => "The data source took too long.",
        SourceErrorKind::PermissionDenied => "The data source denies permission.",
        SourceErrorKind::UniqueViolation
        | SourceErrorKind::ForeignKeyViolation
        | SourceErrorKind::NotNullViolation
        | SourceErrorKind::CheckViolation
        | SourceErrorKind::ExclusionViolation => "The data source refused the change.",
        SourceErrorKind::Conflict => {
            "Another transaction changed the same rows; the request may be sent again."
        }
        SourceErrorKind::ReadOnly => "The data source takes no changes.",
        SourceErrorKind::OutcomeUnknown => {
            "The connection was lost before the data source said whether the change was made: look \
             before you send it again."
        }
        SourceErrorKind::Credentials => "The data source does not know who asks.",
        SourceErrorKind::TooComplex => "The request is more than the data source can take at once.",
        SourceErrorKind::Input
        | SourceErrorKind::Raised
        | SourceErrorKind::TooLarge
        | SourceErrorKind::NoMemory
        | SourceErrorKind::Busy
        | SourceErrorKind::Aborted
        | SourceErrorKind::Missing
        | SourceErrorKind::TooMany
        | SourceErrorKind::Refused
        | SourceErrorKind::Internal => "The data source failed.",
    };
    GraphQLError::new(code, message).with_extension("errorId", &id)
}

/// An error in the words that it has already.
fn in_own_words(code: ErrorCode, error: &SourceError) -> GraphQLError {
    GraphQLError::new(code, String::from(&*error.message))
}

/// A fault of our own, by an id that stands in the log.
pub(crate) fn our_bug(message: &str) -> GraphQLError {
    let id = error_id();
    tracing::error!(error_id = %id, error = message, "a fault of Thalweg's own");
    GraphQLError::new(ErrorCode::InternalServerError, "Something went wrong within the server.")
        .with_extension("errorId", &id)
}

/// An id that a log line and a response share: unique within a run of the process, and told
/// apart between runs by the time of the first.
fn error_id() -> String {
    use std::sync::OnceLock;
    use std::time::{SystemTime, UNIX_EPOCH};
    static START: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let start = START.get_or_init(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
    });
    format!("{start:x}-{:x}", NEXT.fetch_add(1, Ordering::Relaxed))
}
