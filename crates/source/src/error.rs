//! Errors of sources.

use ir::OtherwiseKind;
use response::{BudgetExceeded, Refused, Stopped, TooLarge, WriteError};

/// A failure of a source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SourceError {
    pub kind: SourceErrorKind,
    /// The source's own message.
    pub message: Box<str>,
    /// The source's code: an SQLSTATE, or SQLite's extended result code.
    pub code: Option<Box<str>>,
    /// The objects that the error names, where the source reports them.
    pub details: Option<Box<Details>>,
}

/// Objects of a source that an error names, by the source's own names.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Details {
    pub constraint: Option<Box<str>>,
    pub schema: Option<Box<str>>,
    pub table: Option<Box<str>>,
    pub columns: Vec<Box<str>>,
    pub detail: Option<Box<str>>,
    pub hint: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceErrorKind {
    /// The request's fault: a value that the source cannot read as the type it must have.
    Input,
    /// Raised on purpose by a function of the source, with the message of its author.
    Raised,
    UniqueViolation,
    ForeignKeyViolation,
    NotNullViolation,
    CheckViolation,
    ExclusionViolation,
    PermissionDenied,
    /// Another transaction changed the same rows: the request may be sent again.
    Conflict,
    /// The source is read-only.
    ReadOnly,
    /// The connection was lost before the source confirmed the change.
    OutcomeUnknown,
    /// The source does not accept the session's role or credentials.
    Credentials,
    /// The change was taken back because another of the same request failed.
    Aborted,
    /// The row to change does not exist.
    Missing,
    /// More rows would be changed than the request allows.
    TooMany,
    /// The new row violates an access rule.
    Refused,
    /// Two rows are not related that the change names as related.
    Unrelated,
    /// A row would lack a related one that it must have.
    RequiredRelation,
    /// The statement exceeded its timeout or was cancelled.
    Timeout,
    /// The source has no index by which it could search.
    NoIndex,
    /// Stored data refers to a function or a collation that only another program has.
    MissingFunction,
    /// The source cannot be reached.
    Unavailable,
    /// All connections to the source are in use, and none became free in time.
    Busy,
    /// The answers that are being made take all the memory that they may.
    BudgetExceeded,
    /// The source is reachable and at its limits: no connection, memory or disk space left.
    Overloaded,
    /// The request is more than the source can take at once.
    TooComplex,
    /// The answer exceeds the limit of its size.
    TooLarge,
    /// An error that clients can neither cause nor repair.
    Internal,
}

/// The reason why a request cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The request tree can express it, this source does not support it.
    #[error("This source cannot do this yet: {what}.")]
    NotSupported { what: &'static str },
    #[error("Nodes are labelled with the claim `{claim}`, which is missing or no text.")]
    NoLabel { claim: Box<str> },
    #[error("The operation needs too many statements.")]
    TooManyLevels,
    #[error("A statement of the operation would have more than {most} parameters.")]
    TooManyParameters { most: usize },
    #[error("A statement of the operation would join more than {most} tables.")]
    TooManyTables { most: usize },
    #[error("A statement of the operation would have more than {most} columns.")]
    TooManyColumns { most: usize },
}

/// The reason why a plan has no answer at all.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The output refused the written bytes.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// An error came after the first part was sent, which would have to differ.
    #[error("an error came after the beginning of the answer was sent")]
    Broken(Option<Box<WriteError<SourceError>>>),
}

impl From<BudgetExceeded> for SourceError {
    fn from(error: BudgetExceeded) -> Self {
        Self::new(SourceErrorKind::BudgetExceeded, error.to_string())
    }
}

impl From<OtherwiseKind> for SourceErrorKind {
    fn from(kind: OtherwiseKind) -> Self {
        match kind {
            OtherwiseKind::Missing => Self::Missing,
            OtherwiseKind::TooMany => Self::TooMany,
            OtherwiseKind::Refused => Self::Refused,
            OtherwiseKind::Invalid => Self::Input,
            OtherwiseKind::Unrelated => Self::Unrelated,
            OtherwiseKind::RequiredRelation => Self::RequiredRelation,
        }
    }
}

impl From<Stopped<SourceError>> for ExecuteError {
    fn from(stopped: Stopped<SourceError>) -> Self {
        match stopped {
            Stopped::TooLarge(error) => Self::TooLarge(error),
            Stopped::Refused(refused) => Self::Refused(refused),
            Stopped::Ended(error) => Self::Source(error),
            Stopped::Broken(cause) => Self::Broken(cause.map(Box::new)),
        }
    }
}

impl CompileError {
    /// A request of a kind that the source does not support yet.
    #[must_use]
    pub fn not_built(what: &'static str) -> Self {
        Self::NotSupported { what }
    }
}

impl SourceError {
    #[must_use]
    pub fn new(kind: SourceErrorKind, message: impl Into<Box<str>>) -> Self {
        Self { kind, message: message.into(), code: None, details: None }
    }

    #[must_use]
    pub fn input(message: impl Into<Box<str>>) -> Self {
        Self::new(SourceErrorKind::Input, message)
    }

    /// The error of an invalid value, with PostgreSQL's text of it.
    #[must_use]
    pub fn invalid(type_name: &str, text: &str) -> Self {
        Self::input(format!("invalid input syntax for type {type_name}: \"{text}\""))
    }
}
