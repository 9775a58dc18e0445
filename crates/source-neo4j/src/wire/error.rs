//! Errors between this process and Neo4j.

use std::fmt;
use std::io;

use response::BudgetExceeded;
use response::packed::{Entries, Malformed, Packed};
use source::wire::buffers::ReceiveError;
use source::wire::tls::TlsError;

use crate::program::Access;

/// An error as Neo4j reports it, see <https://neo4j.com/docs/status-codes/current/>.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseError {
    /// `Neo.ClientError.Schema.ConstraintValidationFailed`.
    pub code: String,
    pub message: String,
    /// The status of GQL, from Bolt 5.7 on.
    pub gql_status: Option<String>,
    /// The meaning of the status.
    pub description: Option<String>,
}

/// The class of an error, by its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// The statement or its values are wrong, or may not be run.
    Client,
    /// A retry may succeed later.
    Transient,
    /// The database's own.
    Database,
    Unknown,
}

/// The reason why a connection or an exchange failed.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("{0}")]
    Io(io::Error),
    #[error("TLS: {0}")]
    Tls(String),
    /// The server refused the user, the password or the token.
    #[error("{0}")]
    Authentication(Box<DatabaseError>),
    /// A message failed. `result` is its place among the results of its exchange; none if it has
    /// none, as a constraint that is checked at COMMIT.
    #[error("{error}")]
    Database { error: Box<DatabaseError>, result: Option<usize> },
    #[error("the connection is closed")]
    Closed,
    /// The server sent an answer that the protocol does not allow here, or a message cannot be
    /// sent.
    #[error("protocol: {0}")]
    Protocol(String),
    #[error("the connection was not made in time")]
    Timeout,
    /// The server's keep-alive messages have ceased.
    #[error("the server has not been heard for longer than it said it would be silent")]
    Silent,
    /// The answers of one exchange are larger than the configuration allows.
    #[error("the answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error(transparent)]
    BudgetExceeded(#[from] BudgetExceeded),
    #[error("{0}")]
    Configuration(String),
    /// The routing table names no server for this, as while a leader is elected.
    #[error("no server of the cluster serves {} just now", plural(*.0))]
    NoServer(Access),
}

impl DatabaseError {
    /// Reads the metadata of a FAILURE; missing entries stay empty.
    pub(super) fn from_metadata(entries: Entries<'_>) -> Result<DatabaseError, Malformed> {
        let mut error = DatabaseError::default();
        for entry in entries {
            let (name, value) = entry?;
            let Packed::Text(text) = value else { continue };
            let text = String::from_utf8_lossy(text).into_owned();
            match name {
                // Its name before, and since the status of GQL has the other.
                b"code" | b"neo4j_code" => error.code = text,
                b"message" => error.message = text,
                b"gql_status" => error.gql_status = Some(text),
                b"description" => error.description = Some(text),
                _ => {}
            }
        }
        Ok(error)
    }

    pub fn class(&self) -> ErrorClass {
        match self.code.split('.').nth(1) {
            Some("ClientError") => ErrorClass::Client,
            Some("TransientError") => ErrorClass::Transient,
            Some("DatabaseError") => ErrorClass::Database,
            _ => ErrorClass::Unknown,
        }
    }

    /// The last part of the code, `ConstraintValidationFailed`.
    pub fn title(&self) -> &str {
        self.code.rsplit('.').next().unwrap_or_default()
    }

    /// Whether the same transaction may succeed if it is begun again, perhaps on another server.
    pub fn is_transient(&self) -> bool {
        match (self.class(), self.title()) {
            // Terminated on purpose. Only 4.4 and older classify that as transient.
            (ErrorClass::Transient, "Terminated" | "LockClientStopped") => false,
            // It would take as much memory again, or meet the same limit.
            (
                ErrorClass::Transient,
                "OutOfMemoryError"
                | "MemoryPoolOutOfMemoryError"
                | "StackOverFlowError"
                | "MaximumTransactionLimitReached",
            ) => false,
            (ErrorClass::Transient, _) => true,
            // The server's cached authorization has expired: a new connection renews it.
            (ErrorClass::Client, "AuthorizationExpired") => true,
            (ErrorClass::Client | ErrorClass::Database | ErrorClass::Unknown, _) => {
                self.is_of_leader()
            }
        }
    }

    /// Whether a transaction whose COMMIT failed so may be committed nevertheless. A server that is
    /// stopped fails while it closes a transaction that is written already; refused transactions
    /// and victims of deadlocks are rolled back.
    pub(super) fn leaves_a_commit_in_doubt(&self) -> bool {
        match self.class() {
            ErrorClass::Client => false,
            ErrorClass::Transient => self.code.split('.').nth(2) != Some("Transaction"),
            ErrorClass::Database | ErrorClass::Unknown => true,
        }
    }

    /// Whether the session cannot be used again: it has to authenticate anew.
    pub(super) fn is_of_the_session(&self) -> bool {
        matches!(
            self.code.as_str(),
            "Neo.ClientError.Security.AuthorizationExpired"
                | "Neo.ClientError.Security.TokenExpired"
        )
    }

    /// Whether the server is not, or no longer, the one that writes.
    pub(super) fn is_of_leader(&self) -> bool {
        matches!(
            self.code.as_str(),
            "Neo.ClientError.Cluster.NotALeader"
                | "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"
        )
    }

    /// Whether the routing table is wrong, and another server may succeed.
    pub fn is_of_routing(&self) -> bool {
        self.is_of_leader() || self.title() == "DatabaseUnavailable"
    }

    /// Whether the server does not support routing: it is a single one.
    pub(super) fn is_of_a_single_server(&self) -> bool {
        self.title() == "ProcedureNotFound"
    }
}

impl WireError {
    /// Whether a retry may succeed. Whether it is safe is another question, see
    /// [`super::Connection::outcome_is_unknown`].
    pub fn is_transient(&self) -> bool {
        match self {
            WireError::Database { error, .. } => error.is_transient(),
            WireError::NoServer(_) => true,
            _ => self.is_of_connection(),
        }
    }

    /// Whether it concerns the connection, and not the request.
    pub fn is_of_connection(&self) -> bool {
        match self {
            WireError::Io(_) | WireError::Closed | WireError::Timeout | WireError::Silent => true,
            WireError::Tls(_)
            | WireError::Authentication(_)
            | WireError::Database { .. }
            | WireError::Protocol(_)
            | WireError::TooLarge { .. }
            | WireError::BudgetExceeded(_)
            | WireError::Configuration(_)
            | WireError::NoServer(_) => false,
        }
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for DatabaseError {}

/// The end of the stream is distinguished from other failures: it is the sign of a restart.
impl From<io::Error> for WireError {
    fn from(error: io::Error) -> WireError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::NotConnected => WireError::Closed,
            _ => WireError::Io(error),
        }
    }
}

impl From<ReceiveError> for WireError {
    fn from(error: ReceiveError) -> WireError {
        match error {
            ReceiveError::Io(error) => error.into(),
            ReceiveError::TooLarge { limit } => WireError::TooLarge { limit },
            ReceiveError::BudgetExceeded(error) => error.into(),
            ReceiveError::Finished => {
                WireError::Protocol("a finished exchange was read again".to_owned())
            }
        }
    }
}

impl From<TlsError> for WireError {
    fn from(error: TlsError) -> WireError {
        match error {
            TlsError::Failed(reason) => WireError::Tls(reason),
            TlsError::Unreadable { .. } => WireError::Configuration(error.to_string()),
            TlsError::NoSystemRoots => WireError::Configuration(
                [&error.to_string(), "; name a file with trusted_certificates"].concat(),
            ),
        }
    }
}

impl From<Malformed> for WireError {
    fn from(error: Malformed) -> WireError {
        WireError::Protocol(["the server's message is malformed: ", &error.to_string()].concat())
    }
}

fn plural(access: Access) -> &'static str {
    match access {
        Access::Read => "reads",
        Access::Write => "writes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str) -> DatabaseError {
        DatabaseError { code: code.to_owned(), ..DatabaseError::default() }
    }

    #[test]
    fn what_may_succeed_later_is_told_from_what_will_not() {
        let check = |code: &str, transient: bool, routing: bool| {
            let error = error(code);
            assert_eq!(
                (error.is_transient(), error.is_of_routing()),
                (transient, routing),
                "{code}"
            );
        };
        check("Neo.TransientError.Transaction.DeadlockDetected", true, false);
        check("Neo.TransientError.Transaction.LockAcquisitionTimeout", true, false);
        check("Neo.TransientError.General.MemoryPoolOutOfMemoryError", false, false);
        check("Neo.TransientError.Transaction.MaximumTransactionLimitReached", false, false);
        check("Neo.TransientError.General.DatabaseUnavailable", true, true);
        check("Neo.TransientError.Transaction.Terminated", false, false);
        check("Neo.TransientError.Transaction.LockClientStopped", false, false);
        check("Neo.ClientError.Transaction.Terminated", false, false);
        check("Neo.ClientError.Transaction.TransactionTimedOut", false, false);
        check("Neo.ClientError.Schema.ConstraintValidationFailed", false, false);
        check("Neo.ClientError.Security.AuthorizationExpired", true, false);
        check("Neo.ClientError.Cluster.NotALeader", true, true);
        check("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", true, true);
        check("Neo.DatabaseError.General.UnknownError", false, false);
        check("", false, false);
    }

    #[test]
    fn a_lost_connection_is_transient_and_a_wrong_password_is_not() {
        assert!(WireError::Closed.is_transient());
        assert!(WireError::Silent.is_transient());
        assert!(WireError::NoServer(Access::Write).is_transient());
        let unauthorized = error("Neo.ClientError.Security.Unauthorized");
        assert!(!WireError::Authentication(Box::new(unauthorized)).is_transient());
        assert!(!WireError::TooLarge { limit: 1 }.is_transient());
        assert_eq!(
            WireError::NoServer(Access::Write).to_string(),
            "no server of the cluster serves writes just now"
        );
    }

    #[test]
    fn a_failure_says_its_code_under_either_name() {
        let read = |bytes: &[u8]| match response::packed::begin(bytes) {
            Ok(Packed::Map(entries)) => DatabaseError::from_metadata(entries),
            other => panic!("{other:?}"),
        };
        let old = read(b"\xa2\x84code\x83A.B\x87message\x81m").unwrap();
        assert_eq!((old.code.as_str(), old.message.as_str(), old.gql_status), ("A.B", "m", None));
        let new = read(b"\xa3\x8agql_status\x8550N42\x8aneo4j_code\x83A.B\x81x\x91\x01").unwrap();
        assert_eq!((new.code.as_str(), new.gql_status.as_deref()), ("A.B", Some("50N42")));
        assert!(read(b"\xa2\x84code\x83A.B").is_err());
    }
}
