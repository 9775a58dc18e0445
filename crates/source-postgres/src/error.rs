//! PostgreSQL's errors in the terms of all sources.

use source::{Details, SourceError, SourceErrorKind};

use super::circuit_breaker::Unreached;
use super::pool::PoolError;
use super::wire::{DatabaseError, WireError};

impl From<DatabaseError> for SourceError {
    fn from(error: DatabaseError) -> Self {
        let boxed = |text: Option<String>| text.map(String::into_boxed_str);
        let details = Details {
            constraint: boxed(error.constraint),
            schema: boxed(error.schema),
            table: boxed(error.table),
            columns: boxed(error.column).into_iter().collect(),
            detail: boxed(error.detail),
            hint: boxed(error.hint),
        };
        let is_unknown = error.is_of_settings && OF_SETTINGS.contains(&&*error.code);
        let kind = match is_raised(error.routine.as_deref(), &error.code) {
            _ if is_unknown => SourceErrorKind::Credentials,
            true => SourceErrorKind::Raised,
            false => kind(&error.code),
        };
        Self {
            kind,
            message: error.message.into(),
            code: Some(error.code.into()),
            details: (details != Details::default()).then(|| Box::new(details)),
        }
    }
}

impl From<WireError> for SourceError {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Database { error, .. } | WireError::StalePlan(error) => (*error).into(),
            WireError::TooLarge { .. } => Self::new(SourceErrorKind::TooLarge, error.to_string()),
            WireError::BudgetExceeded(_) => {
                Self::new(SourceErrorKind::BudgetExceeded, error.to_string())
            }
            WireError::Io(_)
            | WireError::Timeout
            | WireError::Tls(_)
            | WireError::Authentication(_)
            | WireError::OutOfSync(_)
            | WireError::Closed { .. } => {
                let unreached = Unreached::from(&error);
                let kind = match unreached.code.as_deref() {
                    // The session was ended because it took too long.
                    Some(code) if TIMEOUTS.contains(&code) => SourceErrorKind::Timeout,
                    _ => SourceErrorKind::Unavailable,
                };
                Self { kind, ..unreached.into() }
            }
            WireError::Protocol(_) | WireError::Configuration(_) => {
                Self::new(SourceErrorKind::Internal, error.to_string())
            }
        }
    }
}

impl From<PoolError> for SourceError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Unreached(error) => error.into(),
            PoolError::Timeout(_) => Self::new(SourceErrorKind::Busy, error.to_string()),
        }
    }
}

impl From<Unreached> for SourceError {
    fn from(error: Unreached) -> Self {
        let kind = match error.is_full() {
            true => SourceErrorKind::Overloaded,
            false => SourceErrorKind::Unavailable,
        };
        Self {
            kind,
            message: (&*error.message).into(),
            code: error.code.as_deref().map(Into::into),
            details: None,
        }
    }
}

/// The purpose of a failed statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    /// Values that the client sent are stored by it.
    Write,
}

/// A failed statement's error. `sent` are the client's own values in it, as text.
///
/// A data exception is the client's fault only if it came when its values were read, and is shown
/// only if it speaks of one of them: a view may fail in the same way at values of the database,
/// and as early, if they are constants in its text. A value that is stored is the client's whenever
/// it fails, unless a function divides by it; but a trigger may store others, which are not shown.
pub(super) fn statement_error<'s>(
    error: DatabaseError,
    mut sent: impl Iterator<Item = &'s [u8]>,
    has_pattern: bool,
    purpose: Purpose,
) -> SourceError {
    if is_raised(error.routine.as_deref(), &error.code) {
        return SourceError { kind: SourceErrorKind::Raised, ..error.into() };
    }
    // A function that is declared as reading, and writes: the request is no mutation.
    if error.code == READ_ONLY && purpose == Purpose::Read {
        return SourceError { kind: SourceErrorKind::Internal, ..error.into() };
    }
    // The request compares or orders by a type without such an operator. PostgreSQL's function of
    // this name raises the error, in whatever language.
    if error.is_of_parse && error.routine.as_deref() == Some("op_error") {
        return SourceError { kind: SourceErrorKind::Input, ..error.into() };
    }
    let is_data_exception = error.code.starts_with("22") && error.code != DIVISION_BY_ZERO
        || matches!(&*error.code, SYNTAX_ERROR | INVALID_NAME);
    // A value was read that its domain does not allow; the message names only the domain.
    let is_of_domain = matches!(&*error.code, NOT_NULL_VIOLATION | CHECK_VIOLATION);
    if is_of_domain && error.is_of_bind && purpose == Purpose::Read && sent.next().is_some() {
        return SourceError { kind: SourceErrorKind::Input, ..error.into() };
    }
    // The value was read as the name of an object of the database that does not exist.
    let is_unknown_name = UNKNOWN_NAMES.contains(&&*error.code) && !quoted(&error).is_empty();
    let is_of_pattern =
        has_pattern && matches!(&*error.code, INVALID_ESCAPE_SEQUENCE | INVALID_REGULAR_EXPRESSION);
    if is_of_pattern
        || ((is_data_exception || is_unknown_name)
            && error.is_of_bind
            && names_one_of(&error, &mut sent))
    {
        return SourceError { kind: SourceErrorKind::Input, ..error.into() };
    }
    if purpose == Purpose::Write && is_data_exception {
        let message = match names_one_of(&error, &mut sent) {
            true => error.message.as_str().into(),
            false => UNSTORABLE.into(),
        };
        return SourceError { kind: SourceErrorKind::Input, message, ..error.into() };
    }
    error.into()
}

/// Whether a function raised it on purpose.
fn is_raised(routine: Option<&str>, code: &str) -> bool {
    routine == Some(RAISE) || code == RAISE_EXCEPTION
}

/// The last quotation of the message: PostgreSQL quotes invalid values.
fn quoted(error: &DatabaseError) -> &[u8] {
    let is_mark = |character| matches!(character, '"' | '«' | '»' | '“' | '”' | '„' | '「' | '」');
    error.message.rsplit(is_mark).nth(1).unwrap_or_default().trim().as_bytes()
}

/// Whether the quotation of the message is a sent value. A message without a quotation shows no
/// value.
fn names_one_of<'s>(error: &DatabaseError, sent: &mut impl Iterator<Item = &'s [u8]>) -> bool {
    sent.any(|text| contains(text, quoted(error)))
}

/// Whether a part was sent. Within arrays and rows it was sent in quotes and with backslashes, and
/// the message shows it without, and names of time zones in lower case.
fn contains(text: &[u8], part: &[u8]) -> bool {
    let plain = |bytes: &[u8]| -> Vec<u8> {
        let meant = bytes.iter().filter(|byte| !matches!(byte, b'"' | b'\\'));
        meant.map(u8::to_ascii_lowercase).collect()
    };
    let (text, part) = (plain(text), plain(part));
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}

/// The message of a value that cannot be stored, if the database's own message shows another value.
const UNSTORABLE: &str = "A value cannot be stored as the type of its column.";
/// A role or a value that there is not, a name that no setting can have, a text that is none.
const OF_SETTINGS: [&str; 4] = ["22021", "22023", "42602", "42704"];
/// A schema, a table, a type, a function.
const UNKNOWN_NAMES: [&str; 4] = ["3F000", "42P01", "42704", "42883"];
/// While parameters are read, these codes are about a value that should name an object.
const SYNTAX_ERROR: &str = "42601";
const INVALID_NAME: &str = "42602";
const NOT_NULL_VIOLATION: &str = "23502";
const CHECK_VIOLATION: &str = "23514";
/// The routine of PostgreSQL that runs RAISE of PL/pgSQL, with whatever code it is given.
const RAISE: &str = "exec_stmt_raise";
/// The code of a RAISE without one; other languages use it, too.
const RAISE_EXCEPTION: &str = "P0001";
const READ_ONLY: &str = "25006";
/// A cancelled statement, by `statement_timeout` for instance; a lock that was not acquired in time
/// (`lock_timeout`, NOWAIT); and errors that end the session: idle-in-transaction and transaction
/// timeouts.
const TIMEOUTS: [&str; 4] = ["57014", "55P03", "25P03", "25P04"];
const DIVISION_BY_ZERO: &str = "22012";
const INVALID_ESCAPE_SEQUENCE: &str = "22025";
const INVALID_REGULAR_EXPRESSION: &str = "2201B";

/// The kind of an SQLSTATE, <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
fn kind(code: &str) -> SourceErrorKind {
    match code {
        "23505" => SourceErrorKind::UniqueViolation,
        // The second is that of ON DELETE RESTRICT since version 18.
        "23503" | "23001" => SourceErrorKind::ForeignKeyViolation,
        NOT_NULL_VIOLATION => SourceErrorKind::NotNullViolation,
        // The second is WITH CHECK OPTION of a view.
        CHECK_VIOLATION | "44000" => SourceErrorKind::CheckViolation,
        "23P01" => SourceErrorKind::ExclusionViolation,
        "42501" => SourceErrorKind::PermissionDenied,
        // The last is a snapshot that is too old, which version 17 does not use any more.
        "40001" | "40P01" | "72000" => SourceErrorKind::Conflict,
        // CockroachDB's answer to a COMMIT whose outcome it does not know.
        "40003" => SourceErrorKind::OutcomeUnknown,
        READ_ONLY => SourceErrorKind::ReadOnly,
        code if TIMEOUTS.contains(&code) => SourceErrorKind::Timeout,
        // More columns, tables or parameters than a statement may have.
        "54000" | "54001" | "54011" | "54023" => SourceErrorKind::TooComplex,
        // More room for temporary files than a session may take.
        "53400" => SourceErrorKind::TooComplex,
        // A file of the server's cannot be read or written.
        "58030" => SourceErrorKind::Unavailable,
        _ => match code.get(..2) {
            // Memory, disk, connections; or others had to go first.
            Some("40" | "53") => SourceErrorKind::Overloaded,
            Some("08" | "57") => SourceErrorKind::Unavailable,
            _ => SourceErrorKind::Internal,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, is_of_bind: bool, sent: &[&str], expected: SourceErrorKind) {
        let (code, message) = ("22P02".to_owned(), message.to_owned());
        let error = DatabaseError { code, message, is_of_bind, ..DatabaseError::default() };
        let sent = sent.iter().map(|text| text.as_bytes());
        assert_eq!(statement_error(error, sent, false, Purpose::Read).kind, expected);
    }

    #[test]
    fn what_a_function_raises_is_shown() {
        let check = |code: &str, routine: &str, expected| {
            let (code, routine) = (code.to_owned(), Some(routine.to_owned()));
            let error = DatabaseError { code, routine, ..DatabaseError::default() };
            let told = statement_error(error, std::iter::empty(), false, Purpose::Write);
            assert_eq!(told.kind, expected);
        };
        check("P0001", "exec_stmt_raise", SourceErrorKind::Raised);
        check("23505", "exec_stmt_raise", SourceErrorKind::Raised);
        check("P0001", "plperl_call_perl_func", SourceErrorKind::Raised);
        check("22012", "int4div", SourceErrorKind::Internal);
    }

    #[test]
    fn what_a_deferred_trigger_raises_at_the_end_is_shown() {
        let of = |code: &str, routine: Option<&str>| {
            let (code, routine) = (code.to_owned(), routine.map(str::to_owned));
            let error = DatabaseError { code, routine, ..DatabaseError::default() };
            SourceError::from(WireError::Database { error: Box::new(error), execution: None }).kind
        };
        assert_eq!(of("P0001", Some("exec_stmt_raise")), SourceErrorKind::Raised);
        assert_eq!(of("23505", Some("exec_stmt_raise")), SourceErrorKind::Raised);
        assert_eq!(of("23505", Some("_bt_check_unique")), SourceErrorKind::UniqueViolation);
    }

    #[test]
    fn a_value_of_a_domain_is_the_clients_fault() {
        let (code, message) = ("23514".to_owned(), "violates \"c\"".to_owned());
        let error = DatabaseError { code, message, is_of_bind: true, ..DatabaseError::default() };
        let kind =
            |error, purpose| statement_error(error, [&b"x"[..]].into_iter(), false, purpose).kind;
        assert_eq!(kind(error.clone(), Purpose::Read), SourceErrorKind::Input);
        // As that of its table.
        assert_eq!(kind(error.clone(), Purpose::Write), SourceErrorKind::CheckViolation);
        let error = DatabaseError { is_of_bind: false, ..error };
        assert_eq!(kind(error, Purpose::Read), SourceErrorKind::CheckViolation);
    }

    #[test]
    fn a_value_that_cannot_be_stored_is_the_clients_fault_whenever_it_fails() {
        let check =
            |code: &str, message: &str, sent: &[&str], expected: (SourceErrorKind, &str)| {
                let (code, message) = (code.to_owned(), message.to_owned());
                let error = DatabaseError { code, message, ..DatabaseError::default() };
                let sent = sent.iter().map(|text| text.as_bytes());
                let told = statement_error(error, sent, false, Purpose::Write);
                assert_eq!((told.kind, &*told.message), expected);
            };
        let input = SourceErrorKind::Input;
        let too_long = "value too long for type character varying(12)";
        check("22001", too_long, &["a very long text"], (input, too_long));
        check("22003", "integer out of range", &["2147483648"], (input, "integer out of range"));
        let date = "invalid input syntax for type date: \"hush\"";
        check("22007", date, &["hush"], (input, date));
        // A trigger's own.
        check("22007", date, &["x"], (input, UNSTORABLE));
        let division = (SourceErrorKind::Internal, "division by zero");
        check("22012", "division by zero", &["0"], division);
    }

    #[test]
    fn codes_have_their_kinds_and_details_are_kept() {
        let check = |code: &str, expected| assert_eq!(kind(code), expected, "{code}");
        check("23505", SourceErrorKind::UniqueViolation);
        check("23001", SourceErrorKind::ForeignKeyViolation);
        check("23P01", SourceErrorKind::ExclusionViolation);
        check("44000", SourceErrorKind::CheckViolation);
        check("40001", SourceErrorKind::Conflict);
        check("40P01", SourceErrorKind::Conflict);
        check("25006", SourceErrorKind::ReadOnly);
        check("72000", SourceErrorKind::Conflict);
        check("40000", SourceErrorKind::Overloaded);
        check("53300", SourceErrorKind::Overloaded);
        check("53400", SourceErrorKind::TooComplex);
        check("57014", SourceErrorKind::Timeout);
        check("55P03", SourceErrorKind::Timeout);
        check("25P03", SourceErrorKind::Timeout);
        check("25P04", SourceErrorKind::Timeout);
        check("57P01", SourceErrorKind::Unavailable);
        check("57P05", SourceErrorKind::Unavailable);
        check("58030", SourceErrorKind::Unavailable);
        check("58P01", SourceErrorKind::Internal);
        check("55006", SourceErrorKind::Internal);
        check("25P02", SourceErrorKind::Internal);
        let error = DatabaseError {
            constraint: Some("person_mail_key".into()),
            table: Some("person".into()),
            column: Some("mail".into()),
            ..DatabaseError::default()
        };
        let details = SourceError::from(error).details.expect("there are some");
        assert_eq!(details.constraint.as_deref(), Some("person_mail_key"));
        assert_eq!((&*details.columns, details.hint.as_deref()), (&["mail".into()][..], None));
        assert_eq!(SourceError::from(DatabaseError::default()).details, None);
    }

    #[test]
    fn values_within_values_are_the_clients_too() {
        let message = "invalid input syntax for type uuid: \"a\"b\\c\"";
        check(message, true, &[r#"{"(\"a\\\"b\\\\c\")"}"#], SourceErrorKind::Input);
        check(message, true, &["{\"other\"}"], SourceErrorKind::Internal);
    }

    #[test]
    fn a_value_is_the_clients_fault_only_if_the_client_sent_it() {
        let message = "invalid input value for enum \"Mood\": \"sad\"";
        check(message, true, &["1", "{\"ok\",\"sad\"}"], SourceErrorKind::Input);
        check(message, true, &["Mood", "ok"], SourceErrorKind::Internal);
        check(message, true, &[], SourceErrorKind::Internal);
        check(message, false, &["sad"], SourceErrorKind::Internal);
        let german = "ungültige Eingabesyntax für Typ integer: »sad«";
        check(german, true, &["sad"], SourceErrorKind::Input);
        check(german, true, &["ok"], SourceErrorKind::Internal);
        check("value overflows numeric format", true, &["1e999999"], SourceErrorKind::Input);
    }
}
