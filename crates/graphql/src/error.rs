//! Errors as a response carries them: <https://spec.graphql.org/draft/#sec-Errors>.
//!
//! The codes are stable: clients may match on them, so none is ever renamed or reused.

use crate::operation::Location;

/// One entry of a response's `errors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphQLError {
    pub message: String,
    pub locations: Vec<Location>,
    /// Where in `data`; empty for request errors.
    pub path: Vec<PathSegment>,
    pub code: ErrorCode,
    /// Further entries of `extensions`, after `code`, each with its value as JSON text; one that is
    /// called `code` itself is told instead of ours.
    pub extensions: Vec<(Box<str>, Box<str>)>,
    /// Entries beside `message`, each with its value as JSON text: none of the specification, for
    /// clients of systems that have them.
    pub members: Box<[(Box<str>, Box<str>)]>,
}

/// One step of a path in `data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSegment {
    /// The response name of a field.
    Field(Box<str>),
    /// The place of an element in a list.
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
    /// The document is not GraphQL.
    ParseFailed = "GRAPHQL_PARSE_FAILED";
    /// The document breaks a rule of validation against the schema.
    ValidationFailed = "GRAPHQL_VALIDATION_FAILED";
    /// The document holds no operation of the name asked for, or several and none was named.
    OperationResolutionFailure = "OPERATION_RESOLUTION_FAILURE";
    /// The request is no GraphQL request, or a variable or an argument has an unusable value.
    BadUserInput = "BAD_USER_INPUT";
    /// Selections or values are nested deeper than the server allows.
    QueryTooDeep = "QUERY_TOO_DEEP";
    /// The document has more tokens than the server allows.
    QueryTooLarge = "QUERY_TOO_LARGE";
    /// The operation selects more fields, fragments expanded, or states more conditions and orders
    /// than the server allows.
    QueryTooComplex = "QUERY_TOO_COMPLEX";
    /// The operation asks for the schema, and the server does not tell it.
    IntrospectionDisabled = "INTROSPECTION_DISABLED";
    /// The document has more aliases than the server allows, as written or with its fragments in
    /// their places.
    TooManyAliases = "TOO_MANY_ALIASES";
    /// The operation selects more fields of its root type than the server allows.
    TooManyRootFields = "TOO_MANY_ROOT_FIELDS";
    /// The document, or one place of it, has more directives than the server allows.
    TooManyDirectives = "TOO_MANY_DIRECTIVES";
    /// The document defines and spreads more fragments than the server allows.
    TooManyFragments = "TOO_MANY_FRAGMENTS";
    /// The operation defines more variables than the server allows.
    TooManyVariables = "TOO_MANY_VARIABLES";
    /// The document has more operations than the server allows.
    TooManyOperations = "TOO_MANY_OPERATIONS";
    /// The request's JSON has lists and objects deeper in each other than the server allows.
    JsonTooDeep = "JSON_TOO_DEEP";
    /// The request's JSON has more values than the server allows.
    JsonTooLarge = "JSON_TOO_LARGE";
    /// A subgraph told an error.
    SubgraphError = "SUBGRAPH_ERROR";
    /// A subgraph cannot be reached.
    SubgraphUnavailable = "SUBGRAPH_UNAVAILABLE";
    /// A subgraph has as many requests as it may have, and answers none of them.
    SubgraphOverloaded = "SUBGRAPH_OVERLOADED";
    /// A subgraph did not answer in time.
    SubgraphTimeout = "SUBGRAPH_TIMEOUT";
    /// What a subgraph sent is no answer to what it was asked.
    SubgraphResponseInvalid = "SUBGRAPH_RESPONSE_INVALID";
    /// The caller may not have what the operation asks for.
    UnauthorizedFieldOrType = "UNAUTHORIZED_FIELD_OR_TYPE";
    /// No subgraph gives a field of the supergraph where it is asked.
    NoPlan = "NO_PLAN";
    /// The operation is estimated to cost more than the server allows.
    CostTooHigh = "COST_TOO_HIGH";
    /// A pattern is longer, or has more wildcards, than the server allows.
    PatternTooComplex = "PATTERN_TOO_COMPLEX";
    /// The HTTP method cannot carry this operation: a mutation by GET, for instance.
    MethodNotAllowed = "METHOD_NOT_ALLOWED";
    /// The body of the request has more bytes than the server allows, decompressed or not.
    BodyTooLarge = "BODY_TOO_LARGE";
    /// The body of the request did not come in the time that the server allows.
    BodyTimeout = "BODY_TIMEOUT";
    /// The body of the request came slower than others, which needed its memory or its place.
    BodyTooSlow = "BODY_TOO_SLOW";
    /// The bodies of requests take all the memory that they may.
    RequestMemoryExhausted = "REQUEST_MEMORY_EXHAUSTED";
    /// The request names a host that the server does not answer for.
    HostRefused = "HOST_REFUSED";
    /// A page of another origin sent the request through somebody's browser.
    CsrfRefused = "CSRF_REFUSED";
    /// The head of the HTTP request did not come in time.
    HeaderTimeout = "HEADER_TIMEOUT";
    /// The head of the HTTP request is larger than the server allows.
    HeaderTooLarge = "HEADER_TOO_LARGE";
    /// The server has as many connections as it allows.
    TooManyConnections = "TOO_MANY_CONNECTIONS";
    /// A batch of requests came to a server that answers none.
    BatchingDisabled = "BATCHING_DISABLED";
    /// The batch has more requests than the server allows.
    BatchTooLarge = "BATCH_TOO_LARGE";
    /// No document is known by the id of the request; Apollo's clients send the document then.
    PersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND";
    /// The server knows no documents by ids.
    PersistedQueryNotSupported = "PERSISTED_QUERY_NOT_SUPPORTED";
    /// Only documents that the server was given may be executed, and this is none of them.
    OperationNotTrusted = "OPERATION_NOT_TRUSTED";
    /// A function of the data source raised the error, in the words of whoever wrote it.
    Raised = "RAISED";
    /// Two rows would have the same value of a unique key.
    UniqueViolation = "UNIQUE_VIOLATION";
    /// A row would refer to a row that is not there, or would lose one that others refer to.
    ForeignKeyViolation = "FOREIGN_KEY_VIOLATION";
    /// A value is missing where the source requires one.
    NotNullViolation = "NOT_NULL_VIOLATION";
    /// A row would break a check constraint.
    CheckViolation = "CHECK_VIOLATION";
    /// Two rows would exclude each other by a constraint.
    ExclusionViolation = "EXCLUSION_VIOLATION";
    /// More rows would be changed than the request lets.
    TooManyRows = "TOO_MANY_ROWS";
    /// The change was taken back because another of the same request failed.
    TransactionAborted = "TRANSACTION_ABORTED";
    /// The connection was lost before the source said whether the change was made.
    OutcomeUnknown = "OUTCOME_UNKNOWN";
    /// The data source takes no changes.
    ReadOnly = "READ_ONLY";
    /// The caller may not read or write this.
    PermissionDenied = "PERMISSION_DENIED";
    /// The credentials of the request are missing or not valid.
    Unauthenticated = "UNAUTHENTICATED";
    /// The row that was to be changed or read does not exist.
    NotFound = "NOT_FOUND";
    /// Another transaction changed the same rows; the request may be sent again.
    Conflict = "CONFLICT";
    /// The request took longer than the server or the source allows.
    Timeout = "TIMEOUT";
    /// The data source cannot be reached, or has no connection free.
    Unavailable = "UNAVAILABLE";
    /// The server has as much to do as it may; the request may be sent again after a while.
    Overloaded = "OVERLOADED";
    /// The answers that are being made take all the memory that they may; the request may be sent
    /// again after a while.
    ResponseMemoryExhausted = "RESPONSE_MEMORY_EXHAUSTED";
    /// The answer is larger than the server allows.
    ResponseTooLarge = "RESPONSE_TOO_LARGE";
    /// A stored value cannot be represented in the field's type.
    InvalidValue = "INVALID_VALUE";
    /// The data source cannot do what the operation asks for.
    NotSupported = "NOT_SUPPORTED";
    /// The data source refused or failed for a reason that is in the log under the error's id.
    SourceError = "SOURCE_ERROR";
    /// A fault of the server, in the log under the error's id.
    InternalServerError = "INTERNAL_SERVER_ERROR";
}

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

    /// The same error, whose message holds values of the request, which a log must not have.
    #[must_use]
    pub fn logged_as(mut self, text: impl Into<Box<str>>) -> Self {
        self.extensions.push((LOGGED.into(), text.into()));
        self
    }

    /// The error as a log may have it.
    #[must_use]
    pub fn without_values(&self) -> Self {
        let mut error = self.clone();
        if let Some(place) = error.extensions.iter().position(is_logged) {
            error.message = error.extensions.remove(place).1.into();
        }
        error
    }

    /// Whether a log says something else than the message.
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

    /// The same error with its place in `data`.
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
        output.extend_from_slice(b",\"extensions\":{\"code\":");
        // One that somebody else told stands in the place of ours.
        let is_code = |entry: &&(Box<str>, Box<str>)| &*entry.0 == "code";
        match self.extensions.iter().find(is_code) {
            Some((_, code)) => output.extend_from_slice(code.as_bytes()),
            None => write_json_string(self.code.as_str(), output),
        }
        let told = |entry: &&(Box<str>, Box<str>)| !is_code(entry) && !is_logged(entry);
        write_entries(self.extensions.iter().filter(told), output);
        output.extend_from_slice(b"}}");
    }
}

/// By which the text for the log stands among the extensions, where it is told to nobody: an error is
/// moved often, and most have none.
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
