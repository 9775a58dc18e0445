//! Answers and errors as JSON.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use graphql::operation::Location;
use graphql::{ErrorCode, GraphQLError, PathSegment};
use response::{
    Failure, MemoryReservation, NotRead, Segment, SentPiece, TooLarge, WriteError, Written,
};
use source::{ExecuteError, SourceError, Streamed};

use crate::engine::Engine;
use crate::live::reserved;
use crate::log_throttle::{Cause, Logged};
use crate::payloads::Payloads;
use crate::repeated_errors::judge_once;
use crate::rest::Rest;

/// A response, ready to be sent.
#[derive(Debug)]
pub struct Response {
    pub kind: Kind,
    /// The JSON text.
    pub body: JsonBody,
    /// The memory reservation of the body.
    pub held: MemoryReservation,
    /// The rest of a streamed answer.
    pub rest: Option<Box<Rest>>,
    /// The payloads after this initial one, if it has deferred fragments.
    pub payloads: Option<Payloads>,
    /// The errors of a response without data, which the form of a dialect may write again.
    pub(crate) errors: Vec<GraphQLError>,
}

/// The JSON text of a response.
#[derive(Debug)]
pub enum JsonBody {
    Own(Vec<u8>),
    /// Shared with the cache and with other responses.
    Cached(Bytes),
}

impl Default for JsonBody {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl Deref for JsonBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(text) => text,
            Self::Cached(text) => text,
        }
    }
}

impl From<Vec<u8>> for JsonBody {
    fn from(text: Vec<u8>) -> Self {
        Self::Own(text)
    }
}

impl From<JsonBody> for Bytes {
    fn from(body: JsonBody) -> Self {
        match body {
            JsonBody::Own(text) => text.into(),
            JsonBody::Cached(text) => text,
        }
    }
}

impl From<JsonBody> for Vec<u8> {
    fn from(body: JsonBody) -> Self {
        match body {
            JsonBody::Own(text) => text,
            JsonBody::Cached(text) => text.to_vec(),
        }
    }
}

/// The progress of the request. HTTP derives its status from it.
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

/// The message if answers have used up their memory.
pub(crate) const NO_MEMORY: &str =
    "The answers that the server is making take all the memory that they may; try again later.";

/// The beginning of every response that has data.
pub(crate) const DATA: &[u8] = b"{\"data\":";

impl Response {
    /// A response without data.
    #[must_use]
    pub fn request_error(errors: &[GraphQLError]) -> Self {
        let mut body = Vec::from(*b"{\"errors\":");
        write_errors(errors, &mut body);
        body.push(b'}');
        let kind = Kind::RequestError;
        Self { kind, errors: errors.to_vec(), ..Self::complete(body, MemoryReservation::default()) }
    }

    /// A response that was made elsewhere.
    #[must_use]
    pub fn given(kind: Kind, body: Vec<u8>) -> Self {
        Self { kind, ..Self::complete(body, MemoryReservation::default()) }
    }

    /// The response of errors without data; its body follows when the form of the dialect is applied.
    pub(crate) fn of_errors(errors: Vec<GraphQLError>) -> Self {
        Self { errors, ..Self::complete(Vec::new(), MemoryReservation::default()) }
    }

    /// The bytes of the body, whose memory stays reserved as long as they are used.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        match self.body {
            JsonBody::Own(text) => reserved(text, self.held),
            JsonBody::Cached(text) => text,
        }
    }

    /// A complete response.
    pub(crate) fn complete(body: Vec<u8>, held: MemoryReservation) -> Self {
        let (kind, body, errors) = (Kind::Executed, body.into(), Vec::new());
        Self { kind, body, held, rest: None, payloads: None, errors }
    }

    /// The response of a request that ran.
    pub(crate) fn executed(
        engine: &Engine,
        written: Written<SourceError>,
        codes: &mut Vec<ErrorCode>,
    ) -> Self {
        if engine.drops_data() && !written.errors.is_empty() {
            let errors = execution_errors(engine, written.errors, codes);
            return Self::of_errors(errors);
        }
        let (body, held) = complete(engine, written, codes);
        Self::complete(body, held)
    }

    /// The response of a request whose answer is streamed.
    pub(crate) fn begun(engine: &Arc<Engine>, streamed: Streamed) -> Self {
        let rest = Some(Box::new(Rest::new(Arc::clone(engine), streamed.rest)));
        let SentPiece { bytes: body, held } = streamed.first;
        Self { rest, ..Self::complete(body, held) }
    }

    /// The response of a request of which nothing could be read.
    pub(crate) fn failed(engine: &Engine, error: ExecuteError, codes: &mut Vec<ErrorCode>) -> Self {
        let error = execute_error(engine, error);
        if matches!(error.code, ErrorCode::ResponseMemoryExhausted | ErrorCode::Overloaded) {
            codes.push(error.code);
            return Self { kind: Kind::Overloaded, ..Self::request_error(&[error]) };
        }
        Self::without_data(&error, codes)
    }

    /// The response to a mutation whose changes are committed, but whose answer failed: it must not
    /// be sent again.
    pub(crate) fn changed(error: &TooLarge, codes: &mut Vec<ErrorCode>) -> Self {
        let code = match error {
            TooLarge::Answer { .. } => ErrorCode::ResponseTooLarge,
            TooLarge::Together(_) => ErrorCode::ResponseMemoryExhausted,
        };
        let message =
            format!("The changes were made, but there is no answer to show them: {error}.");
        Self::without_data(&GraphQLError::new(code, message), codes)
    }

    pub(crate) fn without_data(error: &GraphQLError, codes: &mut Vec<ErrorCode>) -> Self {
        codes.push(error.code);
        let mut body = Vec::from(*b"{\"data\":null,\"errors\":");
        write_errors(std::slice::from_ref(error), &mut body);
        body.push(b'}');
        let errors = vec![error.clone()];
        Self { errors, ..Self::complete(body, MemoryReservation::default()) }
    }
}

/// The end of a response, after the data.
pub(crate) fn complete(
    engine: &Engine,
    written: Written<SourceError>,
    codes: &mut Vec<ErrorCode>,
) -> (Vec<u8>, MemoryReservation) {
    let Written { data: mut body, mut held, errors } = written;
    let errors = execution_errors(engine, errors, codes);
    if !errors.is_empty() {
        // Beside data, each error keeps its place.
        let errors = list_of(&engine.form_beside_data(&errors).unwrap_or(errors));
        let more = errors.len() + b",\"errors\":}".len();
        // The errors were counted when they were recorded, so a complete response is not refused.
        if held.make_room_for(&mut body, more).is_err() {
            body.reserve_exact(more);
        }
        body.extend_from_slice(b",\"errors\":");
        body.extend_from_slice(&errors);
    }
    body.push(b'}');
    (body, held)
}

/// The JSON of the list of errors, if there are some.
pub(crate) fn error_list(
    engine: &Engine,
    errors: Vec<WriteError<SourceError>>,
    codes: &mut Vec<ErrorCode>,
) -> Option<Vec<u8>> {
    let errors = execution_errors(engine, errors, codes);
    (!errors.is_empty()).then(|| list_of(&errors))
}

fn execution_errors(
    engine: &Engine,
    errors: Vec<WriteError<SourceError>>,
    codes: &mut Vec<ErrorCode>,
) -> Vec<GraphQLError> {
    let errors: Vec<_> = errors.into_iter().map(|error| execution_error(engine, error)).collect();
    codes.extend(errors.iter().map(|error| error.code));
    errors
}

fn list_of(errors: &[GraphQLError]) -> Vec<u8> {
    let mut list = Vec::new();
    write_errors(errors, &mut list);
    list
}

/// The error of a missing or incomplete answer.
pub(crate) fn execute_error(engine: &Engine, error: ExecuteError) -> GraphQLError {
    match error {
        ExecuteError::Source(error) => engine.map_error(&error),
        ExecuteError::TooLarge(error @ TooLarge::Answer { .. }) => {
            GraphQLError::new(ErrorCode::ResponseTooLarge, error.to_string())
        }
        ExecuteError::TooLarge(TooLarge::Together(_)) => {
            GraphQLError::new(ErrorCode::ResponseMemoryExhausted, NO_MEMORY)
        }
        ExecuteError::Broken(Some(error)) => execution_error(engine, *error),
        ExecuteError::Broken(None) | ExecuteError::Refused(_) => our_bug(&error.to_string()),
    }
}

pub(crate) fn write_errors(errors: &[GraphQLError], body: &mut Vec<u8>) {
    body.push(b'[');
    for (index, error) in errors.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        error.write_json(body);
    }
    body.push(b']');
}

pub(crate) fn execution_error(engine: &Engine, error: WriteError<SourceError>) -> GraphQLError {
    let path = error.path.into_iter().map(|segment| match segment {
        Segment::Name(name) => PathSegment::Field(name),
        Segment::Index(index) => PathSegment::Index(usize::try_from(index).unwrap_or(usize::MAX)),
    });
    let path: Vec<_> = path.collect();
    let location = error.location;
    let error = match error.failure {
        Failure::Leaf(error) => GraphQLError::new(ErrorCode::InvalidValue, error.to_string()),
        // Under policies an invalid null is nearly always a hidden value.
        Failure::Null if engine.has_policies() => GraphQLError::new(
            ErrorCode::PermissionDenied,
            "There is no value here that you may see, and the schema promises one.",
        ),
        Failure::Null => GraphQLError::new(
            ErrorCode::InvalidValue,
            "The source has no value here, and the schema promises one.",
        ),
        Failure::Source(error) => engine.map_error(&error),
        Failure::TooDeep(message) => GraphQLError::new(ErrorCode::QueryTooDeep, message),
        Failure::Refused(message) => GraphQLError::new(ErrorCode::BadUserInput, message),
        Failure::NotRead(why) => not_read(&why),
    };
    let error = match location {
        Some((line, column)) => error.at(Location { line, column }),
        None => error,
    };
    error.with_path(path)
}

fn not_read(why: &NotRead) -> GraphQLError {
    match why {
        NotRead::NotAuthorized { message, field } => {
            let error = GraphQLError::new(ErrorCode::PermissionDenied, message.clone());
            match field {
                Some(field) => error.with_extension("field", field),
                None => error,
            }
        }
        NotRead::MissingClaim { message } => {
            GraphQLError::new(ErrorCode::MissingSessionVariable, message.clone())
        }
        NotRead::Undone => GraphQLError::new(
            ErrorCode::TransactionAborted,
            "The mutation was not done because another of the same request is refused.",
        ),
    }
}

/// A fault of our own, with the id of its log line.
pub(crate) fn our_bug(message: &str) -> GraphQLError {
    let cause = Cause { code: ErrorCode::InternalServerError, detail: Box::default() };
    let written = |_| Logged::Written { id: error_id().into(), suppressed: 0 };
    let id = match judge_once(cause, message, written) {
        Logged::Counted { id } => id,
        Logged::Written { id, .. } => {
            tracing::error!(error_id = %id, error = message, "a fault of Thalweg's own");
            id
        }
    };
    GraphQLError::new(ErrorCode::InternalServerError, "Something went wrong within the server.")
        .with_extension("errorId", &id)
}

/// An id that a log line and a response share: unique within a run of the process, and
/// distinguished between runs by the time of the first.
pub(crate) fn error_id() -> String {
    use std::sync::OnceLock;
    use std::time::{SystemTime, UNIX_EPOCH};
    static START: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let start = START.get_or_init(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
    });
    format!("{start:x}-{:x}", NEXT.fetch_add(1, Ordering::Relaxed))
}
