//! Errors of a source as clients see them: always a stable code, and a message without details of
//! the source unless an option discloses them.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use catalog::{Catalog, Entity, FieldId};
use dialects::ConstraintMessage;
use dialects::error_form::Refused;
use graphql::{ErrorCode, GraphQLError};
use serde_json::Value;
use source::{Details, SourceError, SourceErrorKind};

use crate::engine::Engine;
use crate::log_throttle::{Cause, LOG_THROTTLE, Logged};
use crate::repeated_errors::judge_once;
use crate::respond::{NO_MEMORY, error_id};

/// Options of disclosing errors beyond their codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorOptions {
    /// Whether the constraint, the table and the columns of an error are shown.
    pub show_constraints: bool,
    /// Whether the source's own messages are shown.
    pub show_database_errors: bool,
    /// Parts of errors that PostGraphile's `extendedErrors` shows.
    pub extended: Vec<ExtendedError>,
    /// Messages by the names of constraints, or by columns, as [`Messages`] finds them.
    pub messages: Vec<(Box<str>, Box<str>)>,
}

/// A part of a database's error that PostGraphile can show under this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtendedError {
    Hint,
    Detail,
    /// The SQLSTATE, or SQLite's result code.
    Errcode,
    Schema,
    Table,
    Column,
    Constraint,
}

/// Messages of constraint violations, prepared once.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    options: ErrorOptions,
    /// By `constraint`, `table.constraint`, `schema.table.constraint`, `table.column` or
    /// `table.column,column`.
    configured: HashMap<Box<str>, Box<str>>,
    tagged: Vec<ConstraintMessage>,
}

/// The form in which clients see a kind of error.
struct ClientError {
    code: ErrorCode,
    message: Message,
}

/// The message that clients see.
enum Message {
    /// The error's own message, which is meant for clients.
    Own,
    /// A fixed text; nothing is logged.
    Fixed(&'static str),
    /// A fixed text for a constraint violation. The constraint may have a configured message; its
    /// name is logged.
    Violation(&'static str),
    /// A fixed text, since the fault is not the request's; the error itself is logged.
    Masked(&'static str),
}

impl ExtendedError {
    fn key(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Detail => "detail",
            Self::Errcode => "errcode",
            Self::Schema => "schema",
            Self::Table => "table",
            Self::Column => "column",
            Self::Constraint => "constraint",
        }
    }

    fn find(self, error: &SourceError) -> Option<&str> {
        let details = error.details.as_deref();
        match self {
            Self::Errcode => error.code.as_deref(),
            Self::Hint => details?.hint.as_deref(),
            Self::Detail => details?.detail.as_deref(),
            Self::Schema => details?.schema.as_deref(),
            Self::Table => details?.table.as_deref(),
            Self::Column => details?.columns.first().map(|column| &**column),
            Self::Constraint => details?.constraint.as_deref(),
        }
    }
}

impl Messages {
    pub(crate) fn new(mut options: ErrorOptions, tagged: Vec<ConstraintMessage>) -> Self {
        let configured = std::mem::take(&mut options.messages).into_iter().collect();
        Self { options, configured, tagged }
    }

    /// The configured message of a constraint violation; options precede tags of the schema.
    fn find(&self, details: &Details) -> Option<&str> {
        let Details { constraint, schema, table, columns, .. } = details;
        let columns = (!columns.is_empty()).then(|| columns.join(","));
        for name in [constraint.as_deref(), columns.as_deref()].into_iter().flatten() {
            let mut key = name.to_owned();
            let outer = [table.as_deref(), schema.as_deref()];
            // A column alone is no name of anything.
            let mut found = None;
            if constraint.as_deref() == Some(name) {
                found = self.configured.get(&*key);
            }
            for outer in outer.into_iter().map_while(|outer| outer) {
                key = [outer, ".", &key].concat();
                found = self.configured.get(&*key).or(found);
            }
            if let Some(message) = found {
                return Some(message);
            }
        }
        let name = constraint.as_deref()?;
        let is_of = |own: Option<&str>, reported: &Option<Box<str>>| {
            // A source that does not report where a constraint is has one of this name.
            own.is_none() || reported.as_deref().is_none_or(|reported| own == Some(reported))
        };
        let message = self.tagged.iter().find(|message| {
            &*message.constraint == name
                && is_of(message.namespace.as_deref(), schema)
                && is_of(Some(&message.owner), table)
        });
        message.map(|message| &*message.text)
    }
}

impl Engine {
    /// A source's failure as a client may see it.
    pub(crate) fn map_error(&self, error: &SourceError) -> GraphQLError {
        let completed = error.details.as_deref().map(|details| complete(details, &self.catalog));
        let details = completed.as_ref();
        let options = &self.messages.options;
        let ClientError { code, message } = client_error(error.kind);
        if let Some(mapped) = self.map_to_form(error, code, details) {
            return mapped;
        }
        // An error without a code does not come from the database.
        let shows_own = options.show_database_errors && error.code.is_some();
        let own = || GraphQLError::new(code, String::from(&*error.message));
        let mut mapped = match message {
            Message::Own => own(),
            Message::Fixed(_) if shows_own => own(),
            Message::Fixed(text) => GraphQLError::new(code, text),
            Message::Violation(text) => {
                let message = details.and_then(|details| self.messages.find(details));
                match message {
                    Some(message) => GraphQLError::new(code, message),
                    None if shows_own => own(),
                    None if options.show_constraints => GraphQLError::new(code, text),
                    None => GraphQLError::new(code, text)
                        .with_extension("errorId", &log_refusal(error, code, details)),
                }
            }
            Message::Masked(text) => {
                let id = log_failure(error, code);
                let mapped = if shows_own { own() } else { GraphQLError::new(code, text) };
                mapped.with_extension("errorId", &id)
            }
        };
        if let Some(details) = details.filter(|_| options.show_constraints) {
            show_constraint(details, &mut mapped);
        }
        if !options.extended.is_empty() && error.code.is_some() {
            extend(&options.extended, error, &mut mapped);
        }
        mapped
    }
}

impl Engine {
    /// The error of a row or a value that the source refuses, if the form of the dialect has its own
    /// codes and texts for it. Such a form shows the constraint: clients look for it.
    fn map_to_form(
        &self,
        error: &SourceError,
        code: ErrorCode,
        details: Option<&Details>,
    ) -> Option<GraphQLError> {
        let form = self.error_form;
        let own = Some(&*error.message).filter(|_| {
            // Values of the request are checked with PostgreSQL's messages for all sources.
            error.kind == SourceErrorKind::Input || (error.code.is_some() && !self.is_sqlite())
        });
        let (told, text) = match error.kind {
            SourceErrorKind::Refused => ("permission-error", form.refused_by_permission()?.into()),
            SourceErrorKind::Raised => {
                let (told, text) = form.raised()?;
                let internal = serde_json::json!({ "error": {
                    "message": &*error.message,
                    "status_code": error.code.as_deref(),
                    "hint": details.and_then(|details| details.hint.as_deref()),
                    "description": details.and_then(|details| details.detail.as_deref()),
                }});
                let mut mapped = GraphQLError::new(code, text).with_extension("code", told);
                mapped.extensions.push(("internal".into(), internal.to_string().into()));
                return Some(mapped);
            }
            _ => {
                let (table, column) = details.map(|own| self.named(own)).unwrap_or_default();
                form.refused_by_database(Refused {
                    code,
                    message: own,
                    constraint: details.and_then(|details| details.constraint.as_deref()),
                    table,
                    column,
                })?
            }
        };
        let configured = details.and_then(|details| self.messages.find(details));
        let text = configured.map_or(text, str::to_owned);
        Some(GraphQLError::new(code, text).with_extension("code", told))
    }

    /// The table and the first column of an error, by the names of the API where its changes have
    /// some for them.
    fn named<'n>(&'n self, details: &'n Details) -> (Option<&'n str>, Option<&'n str>) {
        let own = details.table.as_deref();
        let column = details.columns.first().map(|column| &**column);
        let entity =
            own.and_then(|table| self.catalog.find_entity(details.schema.as_deref(), table));
        let names = entity.and_then(|entity| {
            let mut fields = entity.fields.iter().copied();
            let field = fields.find(|field| Some(&*self.catalog[*field].name) == column);
            self.api.names_in_errors(entity.id, field)
        });
        match names {
            Some((rows, field)) => (Some(rows), field.or(column)),
            None => (own, column),
        }
    }
}

/// The form of each kind of error.
fn client_error(kind: SourceErrorKind) -> ClientError {
    use SourceErrorKind as Kind;
    let (code, message) = match kind {
        Kind::Input => (ErrorCode::BadUserInput, Message::Own),
        Kind::Raised => (ErrorCode::Raised, Message::Own),
        Kind::TooLarge => (ErrorCode::ResponseTooLarge, Message::Own),
        Kind::Aborted => (ErrorCode::TransactionAborted, Message::Own),
        Kind::Missing => (ErrorCode::NotFound, Message::Own),
        Kind::Unrelated => (ErrorCode::NotRelated, Message::Own),
        Kind::RequiredRelation => (ErrorCode::RequiredRelation, Message::Own),
        Kind::TooMany => (ErrorCode::TooManyRows, Message::Own),
        Kind::Refused => (ErrorCode::PermissionDenied, Message::Own),
        // Not the source's fault, and nothing to look up in the log.
        Kind::BudgetExceeded => (ErrorCode::ResponseMemoryExhausted, Message::Fixed(NO_MEMORY)),
        Kind::Busy => (
            ErrorCode::Overloaded,
            Message::Fixed("All connections to the data source are in use; try again later."),
        ),
        Kind::Conflict => (
            ErrorCode::Conflict,
            Message::Fixed(
                "Another transaction changed the same rows; the request may be sent again.",
            ),
        ),
        Kind::UniqueViolation => (
            ErrorCode::UniqueViolation,
            Message::Violation("There is a row already that has the same value of a unique key."),
        ),
        Kind::ForeignKeyViolation => (
            ErrorCode::ForeignKeyViolation,
            Message::Violation("A row would refer to a row that is not there."),
        ),
        Kind::NotNullViolation => (
            ErrorCode::NotNullViolation,
            Message::Violation("A value is missing where one is required."),
        ),
        Kind::CheckViolation => (
            ErrorCode::CheckViolation,
            Message::Violation("A value or a row breaks a rule for it."),
        ),
        Kind::ExclusionViolation => (
            ErrorCode::ExclusionViolation,
            Message::Violation("There is a row already that excludes this one."),
        ),
        Kind::PermissionDenied => {
            (ErrorCode::PermissionDenied, Message::Masked("The data source denies permission."))
        }
        Kind::ReadOnly => {
            (ErrorCode::ReadOnly, Message::Masked("The data source takes no changes."))
        }
        Kind::OutcomeUnknown => (
            ErrorCode::OutcomeUnknown,
            Message::Masked(
                "The data source did not say whether the change was made: look before you send it \
                 again.",
            ),
        ),
        Kind::Credentials => {
            let text =
                "The data source does not accept the role or the credentials of this request.";
            (ErrorCode::Unauthenticated, Message::Masked(text))
        }
        Kind::Timeout => (ErrorCode::Timeout, Message::Masked("The data source took too long.")),
        Kind::NoIndex => (
            ErrorCode::NotSupported,
            Message::Masked("The data source has no index for this search."),
        ),
        Kind::MissingFunction => (
            ErrorCode::NotSupported,
            Message::Masked(
                "The data source needs a function or a collation that this server does not have; \
                 `thalweg check` names it.",
            ),
        ),
        Kind::Unavailable => {
            (ErrorCode::Unavailable, Message::Masked("The data source cannot be reached."))
        }
        Kind::Overloaded => {
            (ErrorCode::Unavailable, Message::Masked("The data source has no room for this now."))
        }
        Kind::TooComplex => (
            ErrorCode::QueryTooComplex,
            Message::Masked("The request is more than the data source can take at once."),
        ),
        Kind::Internal => (ErrorCode::SourceError, Message::Masked("The data source failed.")),
    };
    ClientError { code, message }
}

/// Completes details from the catalog: the columns of a constraint, or the constraint of columns.
fn complete(details: &Details, catalog: &Catalog) -> Details {
    let mut completed = details.clone();
    if details.table.is_none()
        && let Some(name) = details.constraint.as_deref()
        && let Some(entity) = only_constrained(catalog, name)
    {
        completed.schema.clone_from(&entity.namespace);
        completed.table = Some(entity.name.clone());
    }
    let details = &completed.clone();
    let Some(table) = details.table.as_deref() else { return completed };
    let entity = catalog.find_entity(details.schema.as_deref(), table);
    let Some(entity) = entity else { return completed };
    match details.constraint.as_deref() {
        Some(name) if details.columns.is_empty() => {
            let fields = constrained(entity, catalog, name);
            completed.columns = fields.iter().map(|field| catalog[*field].name.clone()).collect();
        }
        None if !details.columns.is_empty() => {
            let is_these = |fields: &[FieldId]| {
                let names = fields.iter().map(|field| &catalog[*field].name);
                names.eq(&details.columns)
            };
            let key = entity.keys.iter().find(|key| !key.name.is_empty() && is_these(&key.fields));
            completed.constraint = key.map(|key| key.name.clone());
        }
        Some(_) | None => {}
    }
    completed
}

/// The table that has a constraint of this name, if it is one: Citus passes the constraint on that a row on
/// another server breaks, and not its table.
fn only_constrained<'c>(catalog: &'c Catalog, name: &str) -> Option<&'c Entity> {
    let mut having =
        catalog.entities().filter(|entity| !constrained(entity, catalog, name).is_empty());
    let only = having.next();
    only.filter(|_| having.next().is_none())
}

/// The fields of a key, of a unique index, which PostgreSQL names in its errors as a constraint, or
/// of a foreign key.
fn constrained<'c>(entity: &'c Entity, catalog: &'c Catalog, name: &str) -> &'c [FieldId] {
    let key = entity.keys.iter().find(|key| &*key.name == name).map(|key| &*key.fields);
    let relationship = || {
        let mut all = entity.outgoing.iter().map(|id| &catalog[*id]);
        all.find(|one| &*one.name == name).map(|one| &*one.from_fields)
    };
    let index = || {
        let mut unique = entity.indexes.iter().filter(|index| index.unique);
        unique.find(|index| &*index.name == name).map(|index| &*index.fields)
    };
    key.or_else(index).or_else(relationship).unwrap_or_default()
}

fn show_constraint(details: &Details, mapped: &mut GraphQLError) {
    for (key, value) in [("constraint", &details.constraint), ("table", &details.table)] {
        if let Some(value) = value {
            mapped.extensions.push((key.into(), json(value)));
        }
    }
    if !details.columns.is_empty() {
        let columns: Vec<&str> = details.columns.iter().map(|column| &**column).collect();
        mapped.extensions.push(("columns".into(), Value::from(columns).to_string().into()));
    }
}

/// PostGraphile's format: each part is a member beside the message, and of `exception` together
/// with the others.
fn extend(wanted: &[ExtendedError], error: &SourceError, mapped: &mut GraphQLError) {
    let mut exception = String::from("{");
    let mut members = Vec::new();
    for part in wanted {
        let Some(text) = part.find(error) else { continue };
        let text = json(text);
        let comma = if exception.len() > 1 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(exception, "{comma}\"{}\":{text}", part.key());
        members.push((part.key().into(), text));
    }
    exception.push('}');
    mapped.members = members.into();
    mapped.extensions.push(("exception".into(), exception.into()));
}

fn json(text: &str) -> Box<str> {
    Value::from(text).to_string().into()
}

/// Judges the log line of an error: few are written of one cause, and one of a subscription whose
/// executions fail for the same reason.
fn judge(cause: Cause, message: &str) -> Logged {
    judge_once(cause, message, |cause| LOG_THROTTLE.judge(cause, Instant::now(), error_id))
}

/// Logs details that clients do not receive. The level is info, since a client's change is refused
/// and nothing has failed.
fn log_refusal(error: &SourceError, code: ErrorCode, details: Option<&Details>) -> Arc<str> {
    let constraint = details.and_then(|details| details.constraint.as_deref()).unwrap_or("");
    let cause = Cause { code, detail: constraint.into() };
    match judge(cause, &error.message) {
        Logged::Counted { id } => id,
        Logged::Written { id, suppressed } => {
            tracing::info!(
                error_id = %id,
                code = code.as_str(),
                source_code = error.code.as_deref().unwrap_or(""),
                constraint,
                error = ?error.message,
                untold = (suppressed > 0).then_some(suppressed),
                "the source refused a change"
            );
            id
        }
    }
}

fn log_failure(error: &SourceError, code: ErrorCode) -> Arc<str> {
    let source_code = error.code.as_deref().unwrap_or("");
    let cause = Cause { code, detail: source_code.into() };
    let logged = match code {
        // Operators have to check each of them.
        ErrorCode::OutcomeUnknown => Logged::Written { id: error_id().into(), suppressed: 0 },
        _ => judge(cause, &error.message),
    };
    match logged {
        Logged::Counted { id } => id,
        Logged::Written { id, suppressed } => {
            tracing::error!(
                error_id = %id,
                code = code.as_str(),
                source_code,
                // Quoted: a message may have several lines.
                error = ?error.message,
                untold = (suppressed > 0).then_some(suppressed),
                "the source failed"
            );
            id
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(constraint: Option<&str>, table: Option<&str>, columns: &[&str]) -> Details {
        Details {
            constraint: constraint.map(Into::into),
            schema: table.map(|_| "app".into()),
            table: table.map(Into::into),
            columns: columns.iter().map(|column| (*column).into()).collect(),
            ..Details::default()
        }
    }

    fn messages(configured: &[(&str, &str)]) -> Messages {
        let tagged = |owner: &str, constraint: &str, text: &str| ConstraintMessage {
            namespace: Some("app".into()),
            owner: owner.into(),
            constraint: constraint.into(),
            text: text.into(),
        };
        let pairs = configured.iter().map(|(key, text)| ((*key).into(), (*text).into()));
        let options = ErrorOptions { messages: pairs.collect(), ..ErrorOptions::default() };
        let tagged = vec![
            tagged("person", "mail_key", "tagged"),
            tagged("post", "mail_key", "of posts"),
            tagged("mail", "mail_check", "of a domain"),
        ];
        Messages::new(options, tagged)
    }

    #[test]
    fn the_message_of_what_names_most_is_found() {
        let configured = [
            ("mail_key", "any table"),
            ("tag.mail_key", "of tags"),
            ("app.line.mail_key", "of lines"),
            ("person.mail", "of a column"),
            ("person.first,last", "of columns"),
        ];
        let check = |messages: &Messages, details: &Details, expected| {
            assert_eq!(messages.find(details), expected, "{details:?}");
        };
        let with = messages(&configured);
        check(&with, &details(Some("mail_key"), Some("person"), &[]), Some("any table"));
        check(&with, &details(Some("mail_key"), Some("tag"), &[]), Some("of tags"));
        check(&with, &details(Some("mail_key"), Some("line"), &[]), Some("of lines"));
        check(&with, &details(Some("other"), Some("person"), &["mail"]), Some("of a column"));
        check(&with, &details(None, Some("person"), &["first", "last"]), Some("of columns"));
        check(&with, &details(None, Some("person"), &["last", "first"]), None);
        check(&with, &details(None, None, &["mail"]), None);
        let tagged = messages(&[]);
        check(&tagged, &details(Some("mail_key"), Some("person"), &[]), Some("tagged"));
        check(&tagged, &details(Some("mail_key"), Some("post"), &[]), Some("of posts"));
        check(&tagged, &details(Some("mail_key"), Some("tag"), &[]), None);
        check(&tagged, &details(Some("mail_check"), None, &[]), Some("of a domain"));
    }

    /// The table of the manual: codes of PostgreSQL, whole ones or classes as `53xxx`, with the
    /// code of each. Class 22 depends on the value that caused it.
    fn documented() -> Vec<(String, String)> {
        let page = include_str!("../../../docs/errors.md");
        let table = page.split("## Errors of the database").nth(1).unwrap();
        let rows = table.lines().skip_while(|line| !line.starts_with('|')).skip(2);
        let rows = rows.take_while(|line| line.starts_with('|'));
        let codes = rows.flat_map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let code = cells[3].trim_matches('`').to_owned();
            let is_mark = |c: char| !c.is_ascii_alphanumeric();
            let words = cells[0].split(is_mark).map(str::to_owned);
            let is_code = |word: &String| {
                word.len() == 5 && word.starts_with(|c: char| c.is_ascii_digit() || c == 'P')
            };
            words.filter(is_code).map(|word| (word, code.clone())).collect::<Vec<_>>()
        });
        codes.collect()
    }

    #[test]
    fn each_code_of_postgresql_has_the_code_that_the_manual_says() {
        let documented = documented();
        assert!(documented.len() > 25, "{documented:?}");
        let is_class = |word: &str| word.ends_with("xxx");
        let expected = |state: &str| {
            let find = |wanted: &str| {
                documented.iter().find(|(word, _)| word == wanted).map(|(_, code)| code.clone())
            };
            let class = [&state[..2], "xxx"].concat();
            find(state).or_else(|| find(&class)).unwrap_or_else(|| "SOURCE_ERROR".to_owned())
        };
        // All classes with all endings that mean something somewhere, and some that do not.
        let whole = documented.iter().map(|(word, _)| word).filter(|word| !is_class(word));
        let mut endings: Vec<&str> = whole.map(|word| &word[2..]).collect();
        endings.extend(["000", "001", "002", "003", "004", "P01", "P02", "P05", "400", "Z99"]);
        let letters = || ('0'..='9').chain('A'..='Z');
        for class in letters().flat_map(|a| letters().map(move |b| [a, b])) {
            let class: String = class.iter().collect();
            for ending in endings.iter().filter(|_| class != "22") {
                let code = [class.as_str(), *ending].concat();
                let error = source_postgres::wire::DatabaseError {
                    code: code.clone(),
                    ..Default::default()
                };
                let mapped = client_error(SourceError::from(error).kind).code;
                assert_eq!(mapped.as_str(), expected(&code), "{code}");
            }
        }
    }

    #[test]
    fn what_postgraphile_shows_is_beside_the_message_and_among_the_extensions() {
        let mut error = SourceError::new(SourceErrorKind::Raised, "no");
        error.code = Some("P0001".into());
        error.details =
            Some(Box::new(Details { hint: Some("a \"b\"".into()), ..Details::default() }));
        let mut mapped = GraphQLError::new(ErrorCode::Raised, "no");
        let wanted = [ExtendedError::Hint, ExtendedError::Detail, ExtendedError::Errcode];
        extend(&wanted, &error, &mut mapped);
        let mut text = Vec::new();
        mapped.write_json(&mut text);
        let expected = r#"{"message":"no","hint":"a \"b\"","errcode":"P0001","extensions":{"code":"RAISED","exception":{"hint":"a \"b\"","errcode":"P0001"}}}"#;
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
