//! GraphQL errors of a response: <https://spec.graphql.org/draft/#sec-Errors>.
//!
//! The codes are stable: clients may match on them, so none is ever renamed or reused.

use crate::operation::Location;

/// One entry of a response's `errors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphQLError {
    pub message: String,
    pub locations: Vec<Location>,
    /// The response path; empty for request errors.
    pub path: Vec<PathSegment>,
    pub code: ErrorCode,
    /// Further entries of `extensions`, after `code`, each with its value as JSON text; an entry
    /// named `code` replaces the code, and an empty one leaves it out.
    pub extensions: Vec<(Box<str>, Box<str>)>,
    /// Entries beside `message`, each with its value as JSON text: not in the specification, for
    /// clients of systems that have them.
    pub members: Box<[(Box<str>, Box<str>)]>,
}

/// One step of a path in `data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSegment {
    /// The response name of a field.
    Field(Box<str>),
    /// The index of an element in a list.
    Index(usize),
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal;)*) => {
        /// The value of `extensions.code`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(#[$doc])* $variant,)*
        }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The text in the response.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

codes! {
    /// The document is not valid GraphQL syntax.
    ParseFailed = "GRAPHQL_PARSE_FAILED";
    /// The document fails validation against the schema.
    ValidationFailed = "GRAPHQL_VALIDATION_FAILED";
    /// The document has no operation of the requested name, or several operations and no name is
    /// given.
    OperationResolutionFailure = "OPERATION_RESOLUTION_FAILURE";
    /// The request is no GraphQL request, or a variable or an argument has an invalid value.
    BadUserInput = "BAD_USER_INPUT";
    /// The rows that a nested mutation names as related are not related.
    NotRelated = "NOT_RELATED";
    /// The mutation would leave a row without a related row that it must have.
    RequiredRelation = "REQUIRED_RELATION";
    /// Depth limit: selections or values are nested deeper than the server allows.
    QueryTooDeep = "QUERY_TOO_DEEP";
    /// The document has more tokens than the server allows.
    QueryTooLarge = "QUERY_TOO_LARGE";
    /// Complexity limit: the operation selects more fields, fragments expanded, or has more
    /// conditions and sort keys than the server allows.
    QueryTooComplex = "QUERY_TOO_COMPLEX";
    /// The operation selects introspection fields, and introspection is disabled.
    IntrospectionDisabled = "INTROSPECTION_DISABLED";
    /// The document has more aliases than the server allows, as written or with fragments expanded.
    TooManyAliases = "TOO_MANY_ALIASES";
    /// The operation selects more fields of its root type than the server allows.
    TooManyRootFields = "TOO_MANY_ROOT_FIELDS";
    /// The document, or one location of it, has more directives than the server allows.
    TooManyDirectives = "TOO_MANY_DIRECTIVES";
    /// The document defines and spreads more fragments than the server allows.
    TooManyFragments = "TOO_MANY_FRAGMENTS";
    /// The operation defines more variables than the server allows.
    TooManyVariables = "TOO_MANY_VARIABLES";
    /// The document has more operations than the server allows, or more of them run over a WebSocket.
    TooManyOperations = "TOO_MANY_OPERATIONS";
    /// The request's JSON is nested deeper than the server allows.
    JsonTooDeep = "JSON_TOO_DEEP";
    /// The request's JSON has more values than the server allows.
    JsonTooLarge = "JSON_TOO_LARGE";
    /// A subgraph returned an error.
    SubgraphError = "SUBGRAPH_ERROR";
    /// A subgraph is unreachable.
    SubgraphUnavailable = "SUBGRAPH_UNAVAILABLE";
    /// A subgraph has reached its limit of concurrent requests, and none of them ends.
    SubgraphOverloaded = "SUBGRAPH_OVERLOADED";
    /// Events of a subscription may be missing: the connection to its subgraph was lost, and is made
    /// again.
    SubscriptionInterrupted = "SUBSCRIPTION_INTERRUPTED";
    /// A subgraph timed out.
    SubgraphTimeout = "SUBGRAPH_TIMEOUT";
    /// A subgraph returned an invalid response.
    SubgraphResponseInvalid = "SUBGRAPH_RESPONSE_INVALID";
    /// The server that gives the value of a field reports an error, by its status or in its answer.
    ResolverError = "RESOLVER_ERROR";
    /// The server that gives the value of a field is unreachable.
    ResolverUnavailable = "RESOLVER_UNAVAILABLE";
    /// The server that gives the value of a field timed out.
    ResolverTimeout = "RESOLVER_TIMEOUT";
    /// The server that gives the value of a field sent an answer that is none, or does not fit the
    /// schema.
    ResolverResponseInvalid = "RESOLVER_RESPONSE_INVALID";
    /// The server that gives the value of a field sent more bytes than the limit.
    ResolverResponseTooLarge = "RESOLVER_RESPONSE_TOO_LARGE";
    /// The database refuses a statement of SQL that the client sends.
    StatementRefused = "STATEMENT_REFUSED";
    /// The operation needs more requests to other servers than the limit.
    TooManyCalls = "TOO_MANY_CALLS";
    /// The client is not authorized for a field or type of the operation.
    UnauthorizedFieldOrType = "UNAUTHORIZED_FIELD_OR_TYPE";
    /// No subgraph resolves a field of the supergraph at its position.
    NoPlan = "NO_PLAN";
    /// The operation's estimated cost exceeds the limit of the server.
    CostTooHigh = "COST_TOO_HIGH";
    /// A pattern is longer, or has more wildcards, than the server allows.
    PatternTooComplex = "PATTERN_TOO_COMPLEX";
    /// The HTTP method does not allow this operation: a mutation by GET, for instance.
    MethodNotAllowed = "METHOD_NOT_ALLOWED";
    /// The body of the request has more bytes than the server allows, decompressed or not.
    BodyTooLarge = "BODY_TOO_LARGE";
    /// The body of the request timed out.
    BodyTimeout = "BODY_TIMEOUT";
    /// The body of the request was slower than others, which needed its memory or its place.
    BodyTooSlow = "BODY_TOO_SLOW";
    /// Memory budget of request bodies exceeded.
    RequestMemoryExhausted = "REQUEST_MEMORY_EXHAUSTED";
    /// The request's `Host` is not allowed.
    HostRefused = "HOST_REFUSED";
    /// Cross-site request forgery: a page of another origin sent the request through a browser.
    CsrfRefused = "CSRF_REFUSED";
    /// The head of the HTTP request timed out.
    HeaderTimeout = "HEADER_TIMEOUT";
    /// The head of the HTTP request is larger than the server allows.
    HeaderTooLarge = "HEADER_TOO_LARGE";
    /// The server has reached its limit of connections.
    TooManyConnections = "TOO_MANY_CONNECTIONS";
    /// The client has sent more operations, or of a greater cost, than the server allows in a time.
    RateLimited = "RATE_LIMITED";
    /// A hook refuses the operation.
    HookRefused = "HOOK_REFUSED";
    /// A hook fails, and operations need it.
    HookFailed = "HOOK_FAILED";
    /// The request is a batch, and batching is disabled.
    BatchingDisabled = "BATCHING_DISABLED";
    /// The batch has more requests than the server allows.
    BatchTooLarge = "BATCH_TOO_LARGE";
    /// Persisted query not found: the id of the request is unknown; Apollo's clients then send the
    /// document.
    PersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND";
    /// Persisted queries are disabled.
    PersistedQueryNotSupported = "PERSISTED_QUERY_NOT_SUPPORTED";
    /// Only trusted documents may be executed, and this is none of them.
    OperationNotTrusted = "OPERATION_NOT_TRUSTED";
    /// A function of the data source raised the error, with its own message.
    Raised = "RAISED";
    /// Two rows would have the same value of a unique key.
    UniqueViolation = "UNIQUE_VIOLATION";
    /// A row would refer to a missing row, or a referenced row would be deleted.
    ForeignKeyViolation = "FOREIGN_KEY_VIOLATION";
    /// A value is missing where the source requires one.
    NotNullViolation = "NOT_NULL_VIOLATION";
    /// A row would violate a check constraint.
    CheckViolation = "CHECK_VIOLATION";
    /// Two rows would violate an exclusion constraint.
    ExclusionViolation = "EXCLUSION_VIOLATION";
    /// More rows would be changed than the limit of the request.
    TooManyRows = "TOO_MANY_ROWS";
    /// The change was rolled back because another of the same request failed.
    TransactionAborted = "TRANSACTION_ABORTED";
    /// The connection was lost before the source confirmed or rejected the change.
    OutcomeUnknown = "OUTCOME_UNKNOWN";
    /// The data source is read-only.
    ReadOnly = "READ_ONLY";
    /// Authorization failed: the session may not read or write this.
    PermissionDenied = "PERMISSION_DENIED";
    /// The session lacks a variable, or a claim, that its permissions compare with.
    MissingSessionVariable = "MISSING_SESSION_VARIABLE";
    /// Authentication failed: the credentials of the request are missing or invalid.
    Unauthenticated = "UNAUTHENTICATED";
    /// The row to change or read does not exist.
    NotFound = "NOT_FOUND";
    /// Another transaction changed the same rows; the request may be sent again.
    Conflict = "CONFLICT";
    /// The request exceeded a time limit of the server or the source.
    Timeout = "TIMEOUT";
    /// The data source is unreachable, or has no free connection.
    Unavailable = "UNAVAILABLE";
    /// Backpressure: the server's queues are full; the request may be sent again after a while.
    Overloaded = "OVERLOADED";
    /// Memory budget of responses exceeded; the request may be sent again after a while.
    ResponseMemoryExhausted = "RESPONSE_MEMORY_EXHAUSTED";
    /// The response is larger than the server allows.
    ResponseTooLarge = "RESPONSE_TOO_LARGE";
    /// A stored value cannot be represented in the field's type.
    InvalidValue = "INVALID_VALUE";
    /// The data source does not support the operation.
    NotSupported = "NOT_SUPPORTED";
    /// The data source rejected the statement or failed; the log has the reason under the error's
    /// id.
    SourceError = "SOURCE_ERROR";
    /// An internal error, in the log under the error's id.
    InternalServerError = "INTERNAL_SERVER_ERROR";
}

/// The message alone. It may contain values of the request, which must not be logged.
impl std::fmt::Display for GraphQLError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GraphQLError {}

impl GraphQLError {
    /// An error of the whole request.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            locations: Vec::new(),
            path: Vec::new(),
            code,
            extensions: Vec::new(),
            members: Box::default(),
        }
    }

    /// The same error with another text for the log: its message contains values of the request,
    /// which must not be logged.
    #[must_use]
    pub fn logged_as(mut self, text: impl Into<Box<str>>) -> Self {
        self.extensions.push((LOGGED.into(), text.into()));
        self
    }

    /// The error as it may be logged.
    #[must_use]
    pub fn without_values(&self) -> Self {
        let mut error = self.clone();
        if let Some(place) = error.extensions.iter().position(is_logged) {
            error.message = error.extensions.remove(place).1.into();
        }
        error
    }

    /// True if the text for the log differs from the message.
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.extensions.iter().any(is_logged)
    }

    /// The same error with one more location in the document.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.locations.push(location);
        self
    }

    /// The same error with its response path.
    #[must_use]
    pub fn with_path(mut self, path: Vec<PathSegment>) -> Self {
        self.path = path;
        self
    }

    /// The same error with a text among its `extensions`.
    #[must_use]
    pub fn with_extension(mut self, key: &str, text: &str) -> Self {
        self.extensions.push((key.into(), json_string(text).into()));
        self
    }

    /// Writes the error as the JSON object of a response.
    pub fn write_json(&self, output: &mut Vec<u8>) {
        output.extend_from_slice(b"{\"message\":");
        write_json_string(&self.message, output);
        if !self.locations.is_empty() {
            output.extend_from_slice(b",\"locations\":[");
            for (index, location) in self.locations.iter().enumerate() {
                separate(index, output);
                output.extend_from_slice(b"{\"line\":");
                output.extend_from_slice(location.line.to_string().as_bytes());
                output.extend_from_slice(b",\"column\":");
                output.extend_from_slice(location.column.to_string().as_bytes());
                output.push(b'}');
            }
            output.push(b']');
        }
        if !self.path.is_empty() {
            output.extend_from_slice(b",\"path\":[");
            for (index, segment) in self.path.iter().enumerate() {
                separate(index, output);
                match segment {
                    PathSegment::Field(name) => write_json_string(name, output),
                    PathSegment::Index(place) => {
                        output.extend_from_slice(place.to_string().as_bytes());
                    }
                }
            }
            output.push(b']');
        }
        write_entries(self.members.iter(), output);
        // A foreign code replaces ours.
        let is_code = |entry: &&(Box<str>, Box<str>)| &*entry.0 == "code";
        let told = |entry: &&(Box<str>, Box<str>)| !is_code(entry) && !is_logged(entry);
        let others = self.extensions.iter().filter(told);
        let begin = b",\"extensions\":{";
        match self.extensions.iter().find(is_code) {
            Some((_, code)) if code.is_empty() => {
                let start = output.len() + begin.len();
                output.extend_from_slice(begin);
                write_entries(others, output);
                match output.len() == start {
                    true => output.truncate(start - begin.len()),
                    false => {
                        output.remove(start);
                        output.push(b'}');
                    }
                }
                output.push(b'}');
                return;
            }
            Some((_, code)) => {
                output.extend_from_slice(begin);
                output.extend_from_slice(b"\"code\":");
                output.extend_from_slice(code.as_bytes());
            }
            None => {
                output.extend_from_slice(begin);
                output.extend_from_slice(b"\"code\":");
                write_json_string(self.code.as_str(), output);
            }
        }
        write_entries(others, output);
        output.extend_from_slice(b"}}");
    }
}

/// The key of the text for the log among the extensions, which is not part of responses: an error
/// is moved often, and most have no such text.
const LOGGED: &str = "";

fn is_logged((key, _): &(Box<str>, Box<str>)) -> bool {
    **key == *LOGGED
}

fn write_entries<'e>(
    entries: impl Iterator<Item = &'e (Box<str>, Box<str>)>,
    output: &mut Vec<u8>,
) {
    for (key, value) in entries {
        output.push(b',');
        write_json_string(key, output);
        output.push(b':');
        output.extend_from_slice(value.as_bytes());
    }
}

fn separate(index: usize, output: &mut Vec<u8>) {
    if index > 0 {
        output.push(b',');
    }
}

/// A string with its quotes.
pub(crate) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes a string with its quotes; errors and descriptions of schemas are rare, so the simple way
/// is fast enough.
pub(crate) fn write_json_string(text: &str, output: &mut Vec<u8>) {
    // Writing text to memory fails never: there is no IO and every `str` is a JSON string.
    let written = serde_json::to_writer(&mut *output, text);
    debug_assert!(written.is_ok(), "a text was not written");
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn json(error: &GraphQLError) -> String {
        let mut output = Vec::new();
        error.write_json(&mut output);
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a_request_error_has_no_locations_and_no_path() {
        let error = GraphQLError::new(ErrorCode::BadUserInput, "Must provide \"query\".");
        expect![[
            r#"{"message":"Must provide \"query\".","extensions":{"code":"BAD_USER_INPUT"}}"#
        ]]
        .assert_eq(&json(&error));
    }

    /// Errors of other servers are passed on as they are.
    #[test]
    fn an_empty_code_is_left_out() {
        let mut error = GraphQLError::new(ErrorCode::ResolverError, "a");
        error.extensions.push(("code".into(), "".into()));
        assert_eq!(json(&error), r#"{"message":"a"}"#);
        error.extensions.push(("more".into(), "[1]".into()));
        assert_eq!(json(&error.logged_as("b")), r#"{"message":"a","extensions":{"more":[1]}}"#);
    }

    #[test]
    fn an_execution_error_has_its_place_and_extensions() {
        let error = GraphQLError::new(ErrorCode::InvalidValue, "NaN\n")
            .at(Location { line: 2, column: 5 })
            .with_path(vec![
                PathSegment::Field("albums".into()),
                PathSegment::Index(3),
                PathSegment::Field("price".into()),
            ])
            .with_extension("id", "a\"b");
        expect![[r#"{"message":"NaN\n","locations":[{"line":2,"column":5}],"path":["albums",3,"price"],"extensions":{"code":"INVALID_VALUE","id":"a\"b"}}"#]]
            .assert_eq(&json(&error));
    }

    #[test]
    fn the_log_has_no_values_and_the_client_nothing_of_the_log() {
        let error =
            GraphQLError::new(ErrorCode::BadUserInput, "no \"secret\"").logged_as("no value");
        assert!(error.has_values());
        expect![[r#"{"message":"no \"secret\"","extensions":{"code":"BAD_USER_INPUT"}}"#]]
            .assert_eq(&json(&error));
        let logged = error.without_values();
        assert!(!logged.has_values());
        expect![[r#"{"message":"no value","extensions":{"code":"BAD_USER_INPUT"}}"#]]
            .assert_eq(&json(&logged));
    }

    #[test]
    fn codes_are_distinct() {
        let mut texts: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        texts.sort_unstable();
        let count = texts.len();
        texts.dedup();
        assert_eq!(texts.len(), count);
    }
}
