//! Errors between this process and PostgreSQL.

use std::fmt;
use std::io;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::ErrorFields;
use response::BudgetExceeded;

use source::wire::buffers::ReceiveError;
use source::wire::tls::TlsError;

/// An error or notice as PostgreSQL reports it, see
/// <https://www.postgresql.org/docs/current/protocol-error-fields.html>.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseError {
    /// `ERROR`, `FATAL`, `PANIC`, or a notice's level; never translated.
    pub severity: String,
    /// The SQLSTATE.
    pub code: String,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    /// The character in the statement's text, counted from one.
    pub position: Option<u32>,
    pub schema: Option<String>,
    pub table: Option<String>,
    pub column: Option<String>,
    pub constraint: Option<String>,
    /// The function of PostgreSQL's source that reported it.
    pub routine: Option<String>,
    /// Whether it came before the execution, when the parameters were read and the plan was made.
    pub is_of_bind: bool,
    /// Whether it came when the statement's text was parsed.
    pub is_of_parse: bool,
    /// Whether it came from the settings, in front of all executions.
    pub is_of_settings: bool,
}

/// The reason why a connection, a round of statements or a cancel request failed.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("{0}")]
    Io(io::Error),
    #[error("TLS: {0}")]
    Tls(String),
    /// The server refused the user, the password or the host.
    #[error("{0}")]
    Authentication(Box<DatabaseError>),
    /// A statement failed. `execution` is its place among the executions of its round (BEGIN and
    /// COMMIT are not counted); none if it was not one of them, as a constraint checked at COMMIT.
    #[error("{error}")]
    Database { error: Box<DatabaseError>, execution: Option<usize> },
    /// The server closed the connection; with its last error, if it sent one.
    #[error("the connection is closed{}", reason_text(.reason.as_deref()))]
    Closed { reason: Option<Box<DatabaseError>> },
    /// The server sent an answer that the protocol does not allow here, or a message cannot be
    /// sent.
    #[error("protocol: {0}")]
    Protocol(String),
    /// An answer does not belong to the statement: a pooler has mixed up the answers of several
    /// clients. The connection cannot be used again.
    #[error("an answer does not belong to its statement: {0}")]
    OutOfSync(String),
    #[error("the connection was not made in time")]
    Timeout,
    /// A prepared statement is gone or was made for another shape of its tables. The connection has
    /// forgotten its prepared statements; the same round may be sent again.
    #[error("prepared statements have become stale: {0}")]
    StalePlan(Box<DatabaseError>),
    /// The answers of one round are larger than the configuration allows.
    #[error("the answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error(transparent)]
    BudgetExceeded(#[from] BudgetExceeded),
    #[error("{0}")]
    Configuration(String),
}

impl WireError {
    /// What the operator can do about a connection that cannot be made, after a semicolon.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::Io(_) => {
                "; start PostgreSQL there, or correct the host and the port of the address"
            }
            Self::Authentication(error) | Self::Database { error, .. } => remedy_of(&error.code),
            Self::Closed { reason: Some(error) } => remedy_of(&error.code),
            Self::Timeout => {
                "; check the host and the port of the address, and firewalls before it"
            }
            Self::Closed { reason: None }
            | Self::Tls(_)
            | Self::Protocol(_)
            | Self::OutOfSync(_)
            | Self::StalePlan(_)
            | Self::TooLarge { .. }
            | Self::BudgetExceeded(_)
            | Self::Configuration(_) => "",
        }
    }
}

/// The remedy for a SQLSTATE of a start-up.
fn remedy_of(code: &str) -> &'static str {
    match code {
        "28P01" => "; correct the password: in the address, in PGPASSWORD or in ~/.pgpass",
        "28000" => {
            "; correct the user of the address, postgres://USER@HOST/DATABASE, or pg_hba.conf"
        }
        "3D000" => "; correct the database of the address, or create it with `createdb`",
        "53300" => "; lower --connections, or raise max_connections of PostgreSQL",
        _ => "",
    }
}

/// A statement of that name is not prepared, or is prepared already.
const UNKNOWN_STATEMENT: &str = "26000";
const DUPLICATE_STATEMENT: &str = "42P05";

/// The beginning of the context of an error that Citus passes on.
const ON_ANOTHER_SERVER: &str = "while executing command on ";

/// The fewest digits of the number of a part of a table.
const PART_DIGITS: usize = 6;

/// A text without the numbers of parts, which end names; names in messages are quoted.
fn without_numbers(text: &str) -> String {
    let parts = text.split('"').map(|part| {
        let name = part.trim_end_matches(|last: char| last.is_ascii_digit());
        let digits = part.len() - name.len();
        match name.strip_suffix('_') {
            Some(name) if digits >= PART_DIGITS && !name.is_empty() => name,
            Some(_) | None => part,
        }
    });
    parts.collect::<Vec<_>>().join("\"")
}

/// The constraint that the message of a violation names, in English: Citus passes the message of
/// another server on without the fields beside it.
fn constraint_of<'m>(code: &str, message: &'m str) -> Option<&'m str> {
    let is_violation = matches!(code, "23503" | "23505" | "23514" | "23P01");
    let (_, named) = message.split_once(" constraint \"").filter(|_| is_violation)?;
    named.split_once('"').map(|(name, _)| name)
}

impl DatabaseError {
    /// Reads the fields; a field that is cut off ends the reading, what came before is kept.
    pub(super) fn from_fields(mut fields: ErrorFields<'_>) -> DatabaseError {
        let mut error = DatabaseError::default();
        let mut translated_severity = String::new();
        let mut is_of_shard = false;
        while let Ok(Some(field)) = fields.next() {
            let text = String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                b'S' => translated_severity = text,
                b'V' => error.severity = text,
                b'C' => error.code = text,
                b'M' => error.message = text,
                b'D' => error.detail = Some(text),
                b'H' => error.hint = Some(text),
                b'P' => error.position = text.parse().ok(),
                b's' => error.schema = Some(text),
                b't' => error.table = Some(text),
                b'c' => error.column = Some(text),
                b'n' => error.constraint = Some(text),
                b'R' => error.routine = Some(text),
                b'W' => is_of_shard = text.starts_with(ON_ANOTHER_SERVER),
                // The rest names places inside PostgreSQL and its functions.
                _ => {}
            }
        }
        if error.severity.is_empty() {
            error.severity = translated_severity;
        }
        if is_of_shard {
            error.name_tables();
        }
        error
    }

    /// Names tables and constraints as the client knows them: another server of Citus names its part of
    /// a table, by the name of the table and the number of the part.
    fn name_tables(&mut self) {
        let texts = [&mut self.detail, &mut self.hint, &mut self.table, &mut self.constraint];
        for text in texts.into_iter().flatten().chain([&mut self.message]) {
            *text = without_numbers(text);
        }
        if self.constraint.is_none() {
            self.constraint = constraint_of(&self.code, &self.message).map(str::to_owned);
        }
    }

    /// Whether the session ends with it.
    pub(super) fn is_fatal(&self) -> bool {
        self.severity == "FATAL" || self.severity == "PANIC"
    }

    /// Whether preparing the statements again may help: the statement's name is unknown (a pooler
    /// moved the session, or a client ran DEALLOCATE), or its tables have changed their columns.
    pub(super) fn is_stale_plan(&self) -> bool {
        match self.code.as_str() {
            UNKNOWN_STATEMENT | DUPLICATE_STATEMENT => true,
            // `feature_not_supported` means many things; this routine reports only one of them.
            "0A000" => self.routine.as_deref() == Some("RevalidateCachedQuery"),
            _ => false,
        }
    }

    /// Whether the name of a prepared statement is not one that this session gave.
    pub(super) fn is_of_names(&self) -> bool {
        matches!(self.code.as_str(), UNKNOWN_STATEMENT | DUPLICATE_STATEMENT)
    }

    /// Whether the text of the statement does not fit its tables: prepared before, it may have
    /// types that the columns do not have any more.
    pub(super) fn is_of_text(&self) -> bool {
        self.code.starts_with("42") && self.code != "42501"
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
            | io::ErrorKind::NotConnected => WireError::Closed { reason: None },
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
                WireError::Protocol("a finished round was read again".to_owned())
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
                [&error.to_string(), "; name a file with sslrootcert"].concat(),
            ),
        }
    }
}

fn reason_text(reason: Option<&DatabaseError>) -> String {
    match reason {
        Some(error) => [": ", &error.message].concat(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{constraint_of, without_numbers};

    #[test]
    fn names_of_parts_are_those_of_their_tables() {
        let check = |text: &str, expected: &str| assert_eq!(without_numbers(text), expected);
        check("person_pkey_102048", "person_pkey");
        check(
            "insert or update on table \"task_102080\" violates foreign key constraint \"task_fk_102080\"",
            "insert or update on table \"task\" violates foreign key constraint \"task_fk\"",
        );
        check(
            "Key (id)=(3) is not present in table \"person_102048\".",
            "Key (id)=(3) is not present in table \"person\".",
        );
        check("value \"year_2026\" of 100000", "value \"year_2026\" of 100000");
        check("_102048", "_102048");
    }

    #[test]
    fn the_message_of_a_violation_names_its_constraint() {
        let check = |code: &str, message: &str, expected: Option<&str>| {
            assert_eq!(constraint_of(code, message), expected, "{message}");
        };
        let unique = "duplicate key value violates unique constraint \"Person_pkey\"";
        check("23505", unique, Some("Person_pkey"));
        check("P0001", unique, None);
        let deleted = "update or delete on table \"person\" violates foreign key constraint \
                       \"task_person_fk\" on table \"task\"";
        check("23503", deleted, Some("task_person_fk"));
        check("23505", "la clé dupliquée rompt la contrainte unique « person_pkey »", None);
    }
}
