//! GraphQL requests over HTTP: <https://graphql.github.io/graphql-over-http/draft/#sec-Request>.

use std::borrow::Cow;

use exact_numbers::ExactNumbers;
use serde_json_bytes::{ByteString, Map, Value as Json};
use uploads::Files;

use crate::error::{ErrorCode, GraphQLError};
use crate::json::{self, JsonLimits};

/// The parameters of one request, before its document is parsed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub query: String,
    pub operation_name: Option<String>,
    pub variables: Map<ByteString, Json>,
    pub extensions: Map<ByteString, Json>,
    /// The files that placeholders in the variables stand for.
    pub files: Files,
    /// The numbers in the variables that doubles round.
    pub numbers: ExactNumbers,
}

/// The same as received: the document may be given by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    pub query: Option<String>,
    /// The id of the document: `documentId`, `extensions.persistedQuery.sha256Hash`, or another
    /// server's name for it.
    pub document_id: Option<String>,
    pub operation_name: Option<String>,
    pub variables: Map<ByteString, Json>,
    pub extensions: Map<ByteString, Json>,
    /// The files that placeholders in the variables stand for.
    pub files: Files,
    /// The numbers in the variables that doubles round.
    pub numbers: ExactNumbers,
}

/// The contents of a body.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a box would be an allocation for each request")]
pub enum Body {
    One(Parameters),
    /// Several requests, each valid or not.
    Batch(Vec<Result<Parameters, GraphQLError>>),
}

/// Parses JSON of a client, which the error calls `what`.
pub fn parse_json(bytes: &[u8], what: &str, limits: JsonLimits) -> Result<Json, GraphQLError> {
    parse_exact_json(bytes, what, limits).map(|(value, _)| value)
}

/// Parses JSON, and keeps the digits of numbers that doubles would round.
pub fn parse_exact_json(
    bytes: &[u8],
    what: &str,
    limits: JsonLimits,
) -> Result<(Json, ExactNumbers), GraphQLError> {
    json::parse(bytes, limits).map_err(|error| error.of(what))
}

impl Body {
    /// The body of a POST of the media type `application/json`.
    pub fn from_json(body: &[u8], limits: JsonLimits) -> Result<Self, GraphQLError> {
        let (body, numbers) = parse_exact_json(body, "The request body", limits)?;
        Self::from_value(body, &numbers)
    }

    /// The contents of a body whose JSON is parsed, with the numbers in it that doubles round.
    pub fn from_value(body: Json, numbers: &ExactNumbers) -> Result<Self, GraphQLError> {
        match body {
            Json::Object(parameters) => {
                Parameters::from_exact_object(parameters, numbers).map(Self::One)
            }
            Json::Array(members) => {
                let member = |(index, member)| match member {
                    Json::Object(parameters) => {
                        Parameters::from_exact_object(parameters, numbers.item(index))
                    }
                    Json::Null
                    | Json::Bool(_)
                    | Json::Number(_)
                    | Json::String(_)
                    | Json::Array(_) => Err(refused("A request must be a JSON object.")),
                };
                Ok(Self::Batch(members.into_iter().enumerate().map(member).collect()))
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                Err(refused("The request body must be a JSON object."))
            }
        }
    }
}

impl Request {
    /// The body of a POST, with one request that holds its document.
    pub fn from_json(body: &[u8]) -> Result<Self, GraphQLError> {
        match Body::from_json(body, JsonLimits::default())? {
            Body::One(parameters) => parameters.into_request(),
            Body::Batch(_) => Err(refused("Batches of requests are not supported.")),
        }
    }

    /// The query component of a GET's URL, without its `?`.
    pub fn from_query_string(query_string: &str) -> Result<Self, GraphQLError> {
        Parameters::from_query_string(query_string, JsonLimits::default())?.into_request()
    }
}

impl Parameters {
    /// The query component of a GET's URL, without its `?`.
    pub fn from_query_string(query_string: &str, limits: JsonLimits) -> Result<Self, GraphQLError> {
        let (mut parameters, mut numbers) = (Map::new(), ExactNumbers::default());
        for (name, value) in form_urlencoded::parse(query_string.as_bytes()) {
            let value = match &*name {
                "query" | "operationName" | "documentId" | "doc_id" | "id" => text(value),
                "variables" | "extensions" if value.is_empty() => Json::Null,
                "variables" | "extensions" => {
                    let what = format!("\"{name}\"");
                    let (value, exact) = parse_exact_json(value.as_bytes(), &what, limits)?;
                    if &*name == "variables" {
                        numbers = exact;
                    }
                    value
                }
                // Other parameters belong to the server, or are ignored.
                _ => continue,
            };
            if parameters.insert(&*name, value).is_some() {
                return Err(refused(format!("\"{name}\" is given more than once.")));
            }
        }
        // An empty name in a URL means none, as forms send it.
        if parameters.get("operationName") == Some(&text(Cow::Borrowed(""))) {
            parameters.remove("operationName");
        }
        Ok(Self { numbers, ..Self::from_object(parameters)? })
    }

    /// The request, if it has a document.
    pub fn into_request(self) -> Result<Request, GraphQLError> {
        let Self { query, operation_name, variables, extensions, files, numbers, .. } = self;
        let query = query.ok_or_else(|| refused("Must provide \"query\"."))?;
        Ok(Request { query, operation_name, variables, extensions, files, numbers })
    }

    /// The parameters in the members of a JSON object with such numbers.
    pub fn from_exact_object(
        parameters: Map<ByteString, Json>,
        numbers: &ExactNumbers,
    ) -> Result<Self, GraphQLError> {
        let numbers = numbers.member("variables").clone();
        Ok(Self { numbers, ..Self::from_object(parameters)? })
    }

    /// The parameters in the members of a JSON object.
    pub fn from_object(mut parameters: Map<ByteString, Json>) -> Result<Self, GraphQLError> {
        let document_id = document_id(&mut parameters)?;
        let query = match parameters.remove("query") {
            Some(Json::String(query)) => Some(query.as_str().to_owned()),
            Some(Json::Null) | None => None,
            Some(_) => return Err(refused("\"query\" must be a string.")),
        };
        let operation_name = match parameters.remove("operationName") {
            Some(Json::String(name)) => Some(name.as_str().to_owned()),
            Some(Json::Null) | None => None,
            Some(_) => return Err(refused("\"operationName\" must be a string or null.")),
        };
        let mut object = |name: &str| match parameters.remove(name) {
            Some(Json::Object(object)) => Ok(object),
            Some(Json::Null) | None => Ok(Map::new()),
            Some(_) => Err(refused(format!("\"{name}\" must be an object or null."))),
        };
        let variables = object("variables")?;
        let extensions = object("extensions")?;
        let document_id = match document_id {
            Some(id) => Some(id),
            None => persisted_query(&extensions)?,
        };
        let (files, numbers) = (Files::default(), ExactNumbers::default());
        Ok(Self { query, document_id, operation_name, variables, extensions, files, numbers })
    }
}

/// The parameter of the draft about persisted documents, by the names that Relay's users have too:
/// <https://github.com/graphql/graphql-over-http/tree/persisted-documents/spec>.
fn document_id(parameters: &mut Map<ByteString, Json>) -> Result<Option<String>, GraphQLError> {
    for name in ["documentId", "doc_id"] {
        match parameters.remove(name) {
            Some(Json::String(id)) => return Ok(Some(id.as_str().to_owned())),
            Some(Json::Null) | None => {}
            Some(_) => return Err(refused(format!("\"{name}\" must be a string or null."))),
        }
    }
    // A client that sends a document too may use this member for anything.
    match (parameters.remove("id"), parameters.get("query")) {
        (Some(Json::String(id)), None) => Ok(Some(id.as_str().to_owned())),
        (_, _) => Ok(None),
    }
}

/// <https://github.com/apollographql/apollo-link-persisted-queries#protocol>
fn persisted_query(extensions: &Map<ByteString, Json>) -> Result<Option<String>, GraphQLError> {
    let persisted = match extensions.get("persistedQuery") {
        Some(Json::Object(persisted)) => persisted,
        Some(Json::Null) | None => return Ok(None),
        Some(_) => return Err(refused("\"extensions.persistedQuery\" must be an object.")),
    };
    if persisted.get("version").and_then(Json::as_u64) != Some(1) {
        return Err(refused("Unsupported persisted query version: only 1 is known."));
    }
    match persisted.get("sha256Hash") {
        Some(Json::String(hash)) => Ok(Some(hash.as_str().to_owned())),
        _ => Err(refused("\"extensions.persistedQuery.sha256Hash\" must be a string.")),
    }
}

fn text(value: Cow<'_, str>) -> Json {
    Json::from(value.into_owned())
}

fn refused(message: impl Into<String>) -> GraphQLError {
    GraphQLError::new(ErrorCode::BadUserInput, message)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    /// Each request, or its error, on a line.
    fn lines(requests: impl IntoIterator<Item = Result<Request, GraphQLError>>) -> String {
        let line = |request: Result<Request, GraphQLError>| match request {
            Ok(Request { query, operation_name, variables, extensions, .. }) => {
                let [variables, extensions] =
                    [variables, extensions].map(|map| Json::Object(map).to_string());
                format!("{query} | {operation_name:?} | {variables} | {extensions}\n")
            }
            Err(error) => format!("{}: {}\n", error.code.as_str(), error.message),
        };
        requests.into_iter().map(line).collect()
    }

    #[test]
    fn bodies_give_requests_or_say_what_is_wrong() {
        let bodies = [
            r#"{"query":"{a}"}"#,
            r#"{"query":"{a}","operationName":"A","variables":{"z":1,"a":[2.5]},"extensions":{"x":null}}"#,
            r#"{"query":"{a}","operationName":null,"variables":null,"extensions":null,"id":1}"#,
            r#"{"query":1}"#,
            r#"{"query":null}"#,
            r#"{}"#,
            r#"{"query":"{a}","operationName":1}"#,
            r#"{"query":"{a}","variables":"{}"}"#,
            r#"{"query":"{a}","variables":[1]}"#,
            r#"[{"query":"{a}"}]"#,
            r#""{a}""#,
            r#"{"query":"#,
            "",
        ];
        expect![[r#"
            {a} | None | {} | {}
            {a} | Some("A") | {"z":1,"a":[2.5]} | {"x":null}
            {a} | None | {} | {}
            BAD_USER_INPUT: "query" must be a string.
            BAD_USER_INPUT: Must provide "query".
            BAD_USER_INPUT: Must provide "query".
            BAD_USER_INPUT: "operationName" must be a string or null.
            BAD_USER_INPUT: "variables" must be an object or null.
            BAD_USER_INPUT: "variables" must be an object or null.
            BAD_USER_INPUT: Batches of requests are not supported.
            BAD_USER_INPUT: The request body must be a JSON object.
            BAD_USER_INPUT: The request body is not valid JSON: EOF while parsing a value at line 1 column 9.
            BAD_USER_INPUT: The request body is not valid JSON: EOF while parsing a value at line 1 column 0.
        "#]].assert_eq(&lines(bodies.map(|body| Request::from_json(body.as_bytes()))));
    }

    #[test]
    fn documents_can_be_named() {
        let named = |body: &str| match Body::from_json(body.as_bytes(), JsonLimits::default()) {
            Ok(Body::One(Parameters { query, document_id, .. })) => {
                format!("{query:?} {document_id:?}\n")
            }
            Ok(Body::Batch(members)) => format!("{} members\n", members.len()),
            Err(error) => format!("{}: {}\n", error.code.as_str(), error.message),
        };
        let bodies = [
            r#"{"documentId":"sha256:ab"}"#,
            r#"{"doc_id":"ab"}"#,
            r#"{"id":"ab"}"#,
            r#"{"id":"1","query":"{a}"}"#,
            r#"{"id":7}"#,
            r#"{"documentId":7}"#,
            r#"{"documentId":null,"doc_id":"ab"}"#,
            r#"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"ab"}}}"#,
            r#"{"query":"{a}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"ab"}}}"#,
            r#"{"extensions":{"persistedQuery":{"version":2,"sha256Hash":"ab"}}}"#,
            r#"{"extensions":{"persistedQuery":{"version":1}}}"#,
            r#"{"extensions":{"persistedQuery":"ab"}}"#,
            r#"[{"query":"{a}"},7]"#,
        ];
        expect![[r#"
            None Some("sha256:ab")
            None Some("ab")
            None Some("ab")
            Some("{a}") None
            None None
            BAD_USER_INPUT: "documentId" must be a string or null.
            None Some("ab")
            None Some("ab")
            Some("{a}") Some("ab")
            BAD_USER_INPUT: Unsupported persisted query version: only 1 is known.
            BAD_USER_INPUT: "extensions.persistedQuery.sha256Hash" must be a string.
            BAD_USER_INPUT: "extensions.persistedQuery" must be an object.
            2 members
        "#]]
        .assert_eq(&bodies.map(named).concat());
        let query_string =
            "extensions=%7B%22persistedQuery%22:%7B%22version%22:1,%22sha256Hash%22:%22ab%22%7D%7D";
        let parameters =
            Parameters::from_query_string(query_string, JsonLimits::default()).unwrap();
        assert_eq!(parameters.document_id.as_deref(), Some("ab"));
        let parameters =
            Parameters::from_query_string("documentId=cd", JsonLimits::default()).unwrap();
        assert_eq!(parameters.document_id.as_deref(), Some("cd"));
    }

    #[test]
    fn deep_and_broken_bodies_are_refused() {
        let deep = format!(r#"{{"query":"{{a}}","variables":{{"a":{}"#, "[".repeat(100_000));
        expect![[r#"
            JSON_TOO_DEEP: The request body has lists and objects deeper than 64 (--max-json-depth).
            BAD_USER_INPUT: The request body is not valid JSON: invalid unicode code point at line 1 column 11.
        "#]].assert_eq(&lines([
            Request::from_json(deep.as_bytes()),
            Request::from_json(b"{\"query\":\"\xff\"}"),
        ]));
    }

    #[test]
    fn query_strings_give_requests_or_say_what_is_wrong() {
        let query_strings = [
            "query=%7Ba%28b%3A%22%C3%A4%22%29%7D",
            "query={a+b}&operationName=A&variables=%7B%22z%22:1,%22a%22:2%7D&other=1",
            "query={a}&operationName=&variables=&extensions=",
            "query={a}&variables=%7B",
            "query={a}&variables=1",
            "query={a}&query={b}",
            "variables=%7B%7D",
            "",
        ];
        expect![[r#"
            {a(b:"ä")} | None | {} | {}
            {a b} | Some("A") | {"z":1,"a":2} | {}
            {a} | None | {} | {}
            BAD_USER_INPUT: "variables" is not valid JSON: EOF while parsing an object at line 1 column 1.
            BAD_USER_INPUT: "variables" must be an object or null.
            BAD_USER_INPUT: "query" is given more than once.
            BAD_USER_INPUT: Must provide "query".
            BAD_USER_INPUT: Must provide "query".
        "#]].assert_eq(&lines(query_strings.map(Request::from_query_string)));
    }
}
