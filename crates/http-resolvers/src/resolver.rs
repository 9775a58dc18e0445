//! Definition of a resolver.

use std::time::Duration;

use graphql::operation::OperationKind;
use http::Method;

use crate::body::BodyTemplate;
use crate::headers::Headers;
use crate::remote_path::RemotePath;
use crate::url::UrlTemplate;
use crate::webhook::Webhook;

/// The request that gives the value of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpResolver {
    /// The type of the field, for messages.
    pub parent: Box<str>,
    /// The name of the field, for messages.
    pub field: Box<str>,
    pub url: UrlTemplate,
    pub method: Method,
    pub body: RequestBody,
    /// True if one request gives the values of all objects, as a list.
    pub is_batch: bool,
    pub headers: Headers,
    pub inputs: InputSource,
    pub answers: AnswerRules,
    /// Timeout of a request; `None` for that of all requests.
    pub timeout: Option<Duration>,
}

/// The values that the templates use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// Arguments of the field, which is one of a root type.
    Arguments,
    /// These fields of the object that has the field.
    Fields(Box<[Box<str>]>),
}

/// The body of the request.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestBody {
    Empty,
    /// JSON: the request is one of a REST API.
    Json(BodyTemplate),
    /// The server speaks GraphQL.
    Operation(Box<RemoteOperation>),
    /// The field is one of a remote schema, whose server speaks GraphQL.
    Remote(Box<RemotePath>),
    /// The server receives the arguments with the session, and may change them by templates.
    Webhook(Box<ActionWebhook>),
    /// No request: the value is one of the log of asynchronous actions, which the source has.
    Log(LoggedAction),
    /// No request: the value is the result of a statement of SQL, the argument [`STATEMENT`], which the
    /// source executes.
    Statement,
}

/// The argument with the statement of a [`RequestBody::Statement`].
pub const STATEMENT: &str = "query";

/// An asynchronous action at one of its two places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedAction {
    pub action: Box<str>,
    pub access: LogAccess,
}

/// What a field does with the log of asynchronous actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogAccess {
    /// Records a call with the arguments: the value is its id.
    Record,
    /// Reads the call of an id.
    Read,
}

/// An operation of a GraphQL server, with one field.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteOperation {
    pub kind: OperationKind,
    /// The text up to the brace that closes the operation: the selection set of the field follows.
    pub text: Box<str>,
    pub field: Box<str>,
    /// The arguments of the field.
    pub arguments: Vec<(Box<str>, BodyTemplate)>,
    /// The variable of a batch, and its value for one object.
    pub batch: Option<(Box<str>, BodyTemplate)>,
    /// True if the operation is compared with the schema of the server before it is used.
    pub is_introspected: bool,
}

/// An action: the payload of its webhook has its name.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionWebhook {
    pub action: Box<str>,
    pub webhook: Webhook,
    /// The handler and the headers as the definitions have them, for errors that administrators see:
    /// with the names of environment variables instead of their values.
    pub written: WrittenRequest,
}

/// The request of an action as the definitions have it.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenRequest {
    pub handler: Box<str>,
    /// A list of objects with `name`, and `value` or `value_from_env`.
    pub headers: serde_json::Value,
}

/// Meaning of values that do not fit the schema exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerRules {
    /// A null, and a list of two for one value, are errors where the schema has no place for them.
    #[default]
    Strict,
    /// Hasura's rules for actions: the value has to fit the output type, as `action` checks it, and
    /// scalars in objects are any JSON.
    Action,
    /// A list that is null or failed is empty, and a list of one is its element.
    Lenient,
}

impl HttpResolver {
    /// A resolver of a field whose value is the result of a statement.
    #[must_use]
    pub fn of_statement(parent: &str, field: &str) -> Self {
        Self {
            parent: parent.into(),
            field: field.into(),
            url: UrlTemplate::none(),
            method: Method::GET,
            body: RequestBody::Statement,
            is_batch: false,
            headers: Headers::default(),
            inputs: InputSource::Arguments,
            answers: AnswerRules::Strict,
            timeout: None,
        }
    }

    /// The field with its type, such as `Query.film`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}.{}", self.parent, self.field)
    }

    /// True if the server speaks GraphQL: requests have the selected fields.
    #[must_use]
    pub fn speaks_graphql(&self) -> bool {
        self.operation().is_some() || self.remote().is_some()
    }

    /// The path of a field of a remote schema.
    #[must_use]
    pub fn remote(&self) -> Option<&RemotePath> {
        match &self.body {
            RequestBody::Remote(path) => Some(path),
            RequestBody::Empty
            | RequestBody::Json(_)
            | RequestBody::Operation(_)
            | RequestBody::Webhook(_)
            | RequestBody::Log(_)
            | RequestBody::Statement => None,
        }
    }

    /// The operation that definitions have, if there is one.
    #[must_use]
    pub fn operation(&self) -> Option<&RemoteOperation> {
        match &self.body {
            RequestBody::Operation(operation) => Some(operation),
            RequestBody::Empty
            | RequestBody::Json(_)
            | RequestBody::Remote(_)
            | RequestBody::Webhook(_)
            | RequestBody::Log(_)
            | RequestBody::Statement => None,
        }
    }

    /// The webhook, if the field is an action.
    #[must_use]
    pub fn webhook(&self) -> Option<&ActionWebhook> {
        match &self.body {
            RequestBody::Webhook(webhook) => Some(webhook),
            RequestBody::Empty
            | RequestBody::Json(_)
            | RequestBody::Operation(_)
            | RequestBody::Remote(_)
            | RequestBody::Log(_)
            | RequestBody::Statement => None,
        }
    }

    /// The access to the log, if the field is one of an asynchronous action.
    #[must_use]
    pub fn logged(&self) -> Option<&LoggedAction> {
        match &self.body {
            RequestBody::Log(logged) => Some(logged),
            RequestBody::Empty
            | RequestBody::Json(_)
            | RequestBody::Operation(_)
            | RequestBody::Remote(_)
            | RequestBody::Webhook(_)
            | RequestBody::Statement => None,
        }
    }

    /// True if the value is the result of a statement, without a request.
    #[must_use]
    pub fn is_statement(&self) -> bool {
        self.body == RequestBody::Statement
    }

    /// True if the server itself gives the value: by a statement, or from a further source.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.is_statement() || self.remote().is_some_and(|path| path.source().is_some())
    }

    /// True if the field is one of a root type.
    #[must_use]
    pub fn is_of_root(&self) -> bool {
        self.inputs == InputSource::Arguments
    }

    /// Fields of the object that the templates use.
    #[must_use]
    pub fn input_fields(&self) -> &[Box<str>] {
        match &self.inputs {
            InputSource::Arguments => &[],
            InputSource::Fields(names) => names,
        }
    }
}

impl RemoteOperation {
    /// The operation of a text that was checked to have one field without selections. `None` if it
    /// has no such form.
    #[must_use]
    pub fn new(
        text: &str,
        batch_input: Option<BodyTemplate>,
        is_introspected: bool,
    ) -> Option<Self> {
        let operations = graphql::definitions::parse_operations(text).ok()?;
        let [operation] = operations.as_slice() else { return None };
        let [Some(field)] = operation.fields.as_slice() else { return None };
        let batch = match batch_input {
            Some(input) => Some((operation.variables.first()?.as_ref().into(), input)),
            None => None,
        };
        let arguments = field.arguments.iter();
        Some(Self {
            kind: operation.kind,
            text: text.get(..text.rfind('}')?)?.into(),
            field: field.name.as_ref().into(),
            arguments: arguments
                .map(|(name, value)| (name.as_ref().into(), BodyTemplate::new(value)))
                .collect(),
            batch,
            is_introspected,
        })
    }
}
