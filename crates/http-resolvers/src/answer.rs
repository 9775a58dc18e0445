//! Values in the answers of other servers.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::raw_members::RawMembers;
use crate::remote_operation::{KEYED, batch_alias};
use crate::remote_path::RemotePath;
use crate::resolver::{HttpResolver, RequestBody};

/// An answer, as far as it is understood.
#[derive(Debug)]
pub struct Answer<'b> {
    pub value: Result<Values<'b>, AnswerError>,
    /// Errors beside the value, of a GraphQL server.
    pub errors: Vec<RemoteError>,
    /// The same as text, of a remote schema.
    pub errors_text: Option<&'b RawValue>,
}

/// The values of an answer.
#[derive(Debug)]
pub enum Values<'b> {
    One(Option<&'b RawValue>),
    /// Of a batch, in the order of its objects.
    Batch(Vec<&'b RawValue>),
}

/// An error that another server reports.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RemoteError {
    #[serde(default)]
    pub message: Box<str>,
    /// The extensions of an action's server or a remote schema, each with its value as JSON; of other
    /// GraphQL servers nothing.
    #[serde(skip)]
    pub extensions: Vec<(Box<str>, Box<str>)>,
    /// The locations and the path of a remote schema, as it says them.
    #[serde(skip)]
    pub members: Vec<(Box<str>, Box<str>)>,
}

/// The reason why an answer has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("unexpected error with: {0}")]
    Status(u16),
    /// The server of an action reports an error in another form than `{"message": …}`.
    #[error("its error has no message")]
    NoMessage,
    /// The other server reports errors only.
    #[error("it reports errors")]
    Reported,
    #[error("its answer is not the JSON that is expected: {0}")]
    Json(Box<str>),
    #[error("key: {0} could not be found in the JSON response")]
    NoKey(Box<str>),
    #[error("expected a list of {expected} values, got {found}")]
    BatchSize { expected: usize, found: usize },
    #[error("expected a list of {expected} values, got no list")]
    NoBatch { expected: usize },
}

/// An answer of a GraphQL server, or of a REST API that reports errors in its form.
#[derive(Debug, Deserialize)]
struct GraphQlAnswer<'b> {
    #[serde(borrow)]
    data: Option<&'b RawValue>,
    errors: Option<Vec<RemoteError>>,
}

/// The most errors of an answer that are reported.
const MOST_ERRORS: usize = 20;

/// The most bytes of an error's message.
const MOST_MESSAGE: usize = 2_000;

impl<'b> Answer<'b> {
    /// Reads an answer. `batch` is the number of objects of a batch.
    #[must_use]
    pub fn read(
        resolver: &HttpResolver,
        status: u16,
        body: &'b [u8],
        batch: Option<usize>,
    ) -> Self {
        let (value, errors) = match &resolver.body {
            RequestBody::Operation(operation) => read_graphql(&[&operation.field], status, body),
            RequestBody::Remote(path) => return Self::read_path(path, status, body, batch),
            RequestBody::Webhook(_) => read_webhook(status, body),
            RequestBody::Empty
            | RequestBody::Json(_)
            | RequestBody::Log(_)
            | RequestBody::Statement => read_rest(status, body),
        };
        let value = value.and_then(|value| match batch {
            None => Ok(Values::One(value)),
            Some(expected) => batch_of(value, expected).map(Values::Batch),
        });
        Self { value, errors, errors_text: None }
    }

    /// Reads the answer for a field of a remote schema.
    #[must_use]
    pub fn read_path(path: &RemotePath, status: u16, body: &'b [u8], batch: Option<usize>) -> Self {
        let fields: Vec<&str> = path.steps.iter().map(|step| &*step.field).collect();
        let errors_text = parse::<ErrorsText<'_>>(body).ok().and_then(|text| text.errors);
        let (value, errors) = match batch {
            None => {
                let (value, errors) = read_graphql(&fields, status, body);
                let whole = errors_text.map(|text| whole_errors(text.get()));
                (value.map(Values::One), whole.unwrap_or(errors))
            }
            Some(count) => {
                let below = fields.get(1..).unwrap_or_default();
                let (value, errors) = match path.source() {
                    Some(_) => read_rows(below, count, status, body),
                    None => read_aliases(below, count, status, body),
                };
                (value.map(Values::Batch), errors)
            }
        };
        Self { value, errors, errors_text }
    }
}

/// The errors of a remote schema with all that it says.
fn whole_errors(text: &str) -> Vec<RemoteError> {
    let whole = |error: &&RawValue| {
        let mut whole =
            RemoteError { message: Box::default(), extensions: Vec::new(), members: Vec::new() };
        for (key, value) in members(error.get()).ok()?.into_iter().rev() {
            match &*key {
                "message" => whole.message = serde_json::from_str(value.get()).ok()?,
                "extensions" => {
                    let known = members(value.get()).unwrap_or_default().into_iter().rev();
                    let known = known.map(|(key, value)| (key.into(), value.get().into()));
                    whole.extensions = known.collect();
                }
                "locations" | "path" => whole.members.push((key.into(), value.get().into())),
                _ => {}
            }
        }
        Some(whole)
    };
    let errors = items(text).unwrap_or_default();
    limited(errors.iter().filter_map(whole).collect())
}

/// The errors of an answer as text.
#[derive(Debug, Deserialize)]
struct ErrorsText<'b> {
    #[serde(borrow)]
    errors: Option<&'b RawValue>,
}

type Read<'b> = (Result<Option<&'b RawValue>, AnswerError>, Vec<RemoteError>);

fn read_rest(status: u16, body: &[u8]) -> Read<'_> {
    if (200..300).contains(&status) {
        return (parse::<&RawValue>(body).map(Some), Vec::new());
    }
    match parse::<GraphQlAnswer<'_>>(body) {
        Ok(GraphQlAnswer { errors: Some(errors), .. }) if !errors.is_empty() => {
            (Err(AnswerError::Reported), limited(errors))
        }
        Ok(_) | Err(_) => (Err(AnswerError::Status(status)), Vec::new()),
    }
}

/// The error of an action, with status 4xx.
#[derive(Debug, Deserialize)]
struct WebhookError<'b> {
    message: Option<Box<str>>,
    /// In the form before `extensions`.
    code: Option<Box<str>>,
    #[serde(borrow)]
    extensions: Option<&'b RawValue>,
}

/// The code of an error for which the server of an action says none.
const NO_CODE: &str = "\"unexpected\"";

fn read_webhook(status: u16, body: &[u8]) -> Read<'_> {
    match status {
        200..300 => match parse::<&RawValue>(body) {
            Ok(value) => (Ok(Some(value)), Vec::new()),
            Err(error) => (Err(error), Vec::new()),
        },
        400..500 => match parse::<WebhookError<'_>>(body) {
            Ok(WebhookError { message: Some(message), code, extensions }) => {
                let given = extensions.and_then(|extensions| members(extensions.get()).ok());
                let extensions = match given {
                    // In the order of the text.
                    Some(members) => members
                        .into_iter()
                        .rev()
                        .map(|(key, value)| (key.into(), value.get().into()))
                        .collect(),
                    None => {
                        let code = code.map(|code| Value::String(code.into()).to_string().into());
                        let code = code.unwrap_or_else(|| NO_CODE.into());
                        vec![("path".into(), "\"$\"".into()), ("code".into(), code)]
                    }
                };
                let errors = vec![RemoteError { message, extensions, members: Vec::new() }];
                (Err(AnswerError::Reported), limited(errors))
            }
            Ok(_) => (Err(AnswerError::NoMessage), Vec::new()),
            Err(error) => (Err(error), Vec::new()),
        },
        status => (Err(AnswerError::Status(status)), Vec::new()),
    }
}

fn read_graphql<'b>(path: &[&str], status: u16, body: &'b [u8]) -> Read<'b> {
    let (data, errors) = match read_data(status, body) {
        Ok(read) => read,
        Err(error) => return (Err(error), Vec::new()),
    };
    let value = match follow(data, path) {
        Ok(value) => value,
        Err(error) => return (Err(error), errors),
    };
    match value {
        Some(value) => (Ok(Some(value)), errors),
        None => {
            let field = path.last().copied().unwrap_or_default();
            (Err(without_value(status, &errors, field)), errors)
        }
    }
}

/// The values of a batch: each is at the end of a path below an alias. As in Hasura, an error of one
/// object is one of all.
fn read_aliases<'b>(
    path: &[&str],
    count: usize,
    status: u16,
    body: &'b [u8],
) -> (Result<Vec<&'b RawValue>, AnswerError>, Vec<RemoteError>) {
    let (data, errors) = match read_data(status, body) {
        Ok((_, errors)) if !errors.is_empty() => return (Err(AnswerError::Reported), errors),
        Ok(read) => read,
        Err(error) => return (Err(error), Vec::new()),
    };
    let known = data.map_or(Ok(Vec::new()), |data| members(data.get()));
    let known: HashMap<String, &RawValue> = match known {
        Ok(known) => known.into_iter().rev().collect(),
        Err(error) => return (Err(error), errors),
    };
    let value = |number: usize| {
        let alias = batch_alias(number);
        let value = follow(known.get(&alias).copied(), path)?;
        value.ok_or_else(|| without_value(status, &errors, &alias))
    };
    ((0..count).map(value).collect(), errors)
}

/// The values of a batch in rows, which may be in a namespace: each is a field of the row of its
/// object, the last of the path.
fn read_rows<'b>(
    path: &[&str],
    count: usize,
    status: u16,
    body: &'b [u8],
) -> (Result<Vec<&'b RawValue>, AnswerError>, Vec<RemoteError>) {
    let (field, namespace) = path.split_last().map_or(("", path), |(last, all)| (*last, all));
    let (rows, errors) = match read_graphql(&[&[KEYED], namespace].concat(), status, body) {
        (Ok(Some(rows)), errors) if errors.is_empty() => (rows, errors),
        (Ok(_), errors) => return (Err(AnswerError::Reported), errors),
        (Err(error), errors) => return (Err(error), errors),
    };
    let value = |row: &'b RawValue| {
        follow(Some(row), &[field])?.ok_or_else(|| AnswerError::NoKey(field.into()))
    };
    let rows = batch_of(Some(rows), count);
    (rows.and_then(|rows| rows.into_iter().map(value).collect()), errors)
}

/// The data and the errors of an answer.
fn read_data(
    status: u16,
    body: &[u8],
) -> Result<(Option<&RawValue>, Vec<RemoteError>), AnswerError> {
    match parse::<GraphQlAnswer<'_>>(body) {
        Ok(answer) => {
            let errors = limited(answer.errors.unwrap_or_default());
            Ok((answer.data.filter(|data| data.get() != "null"), errors))
        }
        // A server that is none of GraphQL says by its status what is wrong.
        Err(_) if !(200..300).contains(&status) => Err(AnswerError::Status(status)),
        Err(error) => Err(error),
    }
}

/// The value at the end of a path of fields; null if one before it is.
fn follow<'b>(
    mut value: Option<&'b RawValue>,
    path: &[&str],
) -> Result<Option<&'b RawValue>, AnswerError> {
    for field in path {
        let Some(object) = value.filter(|value| value.get() != "null") else { break };
        value = member(object, field)?;
    }
    Ok(value)
}

fn without_value(status: u16, errors: &[RemoteError], field: &str) -> AnswerError {
    match errors {
        [_, ..] => AnswerError::Reported,
        [] if !(200..300).contains(&status) => AnswerError::Status(status),
        [] => AnswerError::NoKey(field.into()),
    }
}

fn member<'b>(data: &'b RawValue, field: &str) -> Result<Option<&'b RawValue>, AnswerError> {
    Ok(members(data.get())?.into_iter().find(|(key, _)| *key == field).map(|(_, value)| value))
}

fn batch_of(value: Option<&RawValue>, expected: usize) -> Result<Vec<&RawValue>, AnswerError> {
    let items = value.map(|value| items(value.get()));
    let Some(Ok(items)) = items else { return Err(AnswerError::NoBatch { expected }) };
    match items.len() == expected {
        true => Ok(items),
        false => Err(AnswerError::BatchSize { expected, found: items.len() }),
    }
}

/// The members of an object, with what is in them as text.
pub(crate) fn members(text: &str) -> Result<Vec<(String, &RawValue)>, AnswerError> {
    let RawMembers(members) = parse(text.as_bytes())?;
    Ok(members)
}

/// The elements of a list.
pub(crate) fn items(text: &str) -> Result<Vec<&RawValue>, AnswerError> {
    parse(text.as_bytes())
}

fn parse<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, AnswerError> {
    // The error has a line and a column, and nothing of the answer.
    serde_json::from_slice(body).map_err(|error| AnswerError::Json(error.to_string().into()))
}

fn limited(mut errors: Vec<RemoteError>) -> Vec<RemoteError> {
    errors.truncate(MOST_ERRORS);
    for error in &mut errors {
        if error.message.len() > MOST_MESSAGE {
            let end = error.message.floor_char_boundary(MOST_MESSAGE);
            error.message = error.message.get(..end).unwrap_or_default().into();
        }
    }
    errors
}
