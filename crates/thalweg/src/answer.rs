//! The answer to a request.

use std::time::Duration;

use bytes::Bytes;
use engine::{Kind, Response};
use graphql::{ErrorCode, GraphQLError};

/// An answer: JSON as bytes, and the outcome of its request.
#[derive(Debug)]
pub struct Answer {
    body: Bytes,
    outcome: Outcome,
    codes: Vec<ErrorCode>,
}

/// Outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The operation was executed: there is a `data`, perhaps with errors beside it.
    Executed,
    /// The request is at fault, and nothing was executed.
    RequestError,
    /// A mutation came where only queries may ([`Thalweg::query`](crate::Thalweg::query)).
    MutationRefused,
    /// There is too much to do, or the API is closed: the same request may be sent again later.
    Unavailable,
    /// The request took longer than [`Options::timeout`](crate::Options::timeout), and was cancelled.
    TimedOut,
    /// Internal error; the log has details.
    Failed,
}

impl Outcome {
    /// The status of HTTP for a response of the media type `application/graphql-response+json`.
    /// <https://graphql.github.io/graphql-over-http/draft/#sec-application-graphql-response-json>
    #[must_use]
    pub fn http_status(self) -> u16 {
        match self {
            Self::Executed => 200,
            Self::RequestError => 400,
            Self::MutationRefused => 405,
            Self::Failed => 500,
            Self::Unavailable => 503,
            Self::TimedOut => 504,
        }
    }
}

impl Answer {
    /// The answer to a request that is not executed, with an error of its own: that of a body that is no
    /// request, or of the program that embeds the library.
    #[must_use]
    pub fn refused(error: GraphQLError) -> Self {
        Self::of_error(error, Outcome::RequestError)
    }

    pub(crate) fn closed() -> Self {
        let error = GraphQLError::new(ErrorCode::Unavailable, "The API is closed.");
        Self::of_error(error, Outcome::Unavailable)
    }

    pub(crate) fn timed_out(most: Duration) -> Self {
        let message = format!("The request was given up after {} ms.", most.as_millis());
        Self::of_error(GraphQLError::new(ErrorCode::Timeout, message), Outcome::TimedOut)
    }

    /// The thread has lost the request by a panic, which the log has.
    pub(crate) fn lost() -> Self {
        let message = "Something went wrong within the server.";
        let error = GraphQLError::new(ErrorCode::InternalServerError, message);
        Self::of_error(error, Outcome::Failed)
    }

    fn of_error(error: GraphQLError, outcome: Outcome) -> Self {
        let codes = vec![error.code];
        Self { outcome, ..Self::new(Response::request_error(&[error]), codes) }
    }

    pub(crate) fn new(response: Response, codes: Vec<ErrorCode>) -> Self {
        let outcome = match response.kind {
            Kind::Executed => Outcome::Executed,
            Kind::RequestError => Outcome::RequestError,
            Kind::MutationRefused => Outcome::MutationRefused,
            Kind::Overloaded => Outcome::Unavailable,
        };
        Self { body: response.into_bytes(), outcome, codes }
    }

    /// The JSON of the answer, an object with `data` or `errors` or both. Its memory counts towards
    /// [`Options::answers`](crate::Options::answers) until the last handle of the bytes is dropped.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The body, without a copy.
    #[must_use]
    pub fn into_body(self) -> Bytes {
        self.body
    }

    /// What became of the request.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The codes of its errors, as in `extensions.code`.
    #[must_use]
    pub fn codes(&self) -> &[ErrorCode] {
        &self.codes
    }
}
