//! A GraphQL request as it comes over HTTP:
//! <https://graphql.github.io/graphql-over-http/draft/#sec-Request>.

use std::borrow::Cow;

use serde_json_bytes::{ByteString, Map, Value as Json};

use crate::error::{ErrorCode, GraphQLError};

/// The parameters of one request, before anything of the document is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub query: String,
    pub operation_name: Option<String>,
    pub variables: Map<ByteString, Json>,
    pub extensions: Map<ByteString, Json>,
}

impl Request {
    /// The body of a POST of the media type `application/json`.
    pub fn from_json(body: &[u8]) -> Result<Self, GraphQLError> {
        match parse_json(body, "The request body")? {
            Json::Object(parameters) => Self::from_parameters(parameters),
            Json::Array(_) => Err(refused("Batches of requests are not supported.")),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                Err(refused("The request body must be a JSON object."))
            }
        }
    }

    /// The query component of a GET's URL, without its `?`.
    pub fn from_query_string(query_string: &str) -> Result<Self, GraphQLError> {
        let mut parameters = Map::new();
        for (name, value) in form_urlencoded::parse(query_string.as_bytes()) {
            let value = match &*name {
                "query" | "operationName" => text(value),
                "variables" | "extensions" if value.is_empty() => Json::Null,
                "variables" | "extensions" => parse_json(value.as_bytes(), &format!("\"{name}\""))?,
                // Other parameters are the server's or nobody's.
                _ => continue,
            };
            if parameters.insert(&*name, value).is_some() {
                return Err(refused(format!("\"{name}\" is given more than once.")));
            }
        }
        // An empty name in a URL is how forms say that there is none.
        if parameters.get("operationName") == Some(&text(Cow::Borrowed(""))) {
            parameters.remove("operationName");
        }
        Self::from_parameters(parameters)
    }

    fn from_parameters(mut parameters: Map<ByteString, Json>) -> Result<Self, GraphQLError> {
        let query = match parameters.remove("query") {
            Some(Json::String(query)) => query.as_str().to_owned(),
            Some(Json::Null) | None => return Err(refused("Must provide \"query\".")),
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
        Ok(Self { query, operation_name, variables, extensions })
    }
}

fn text(value: Cow<'_, str>) -> Json {
    Json::from(value.into_owned())
}

/// The parser refuses values of more than 128 levels.
fn parse_json(bytes: &[u8], what: &str) -> Result<Json, GraphQLError> {
    serde_json::from_slice(bytes)
        .map_err(|error| refused(format!("{what} is not valid JSON: {error}.")))
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
            Ok(Request { query, operation_name, variables, extensions }) => {
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
    fn deep_and_broken_bodies_are_refused() {
        let deep = format!(r#"{{"query":"{{a}}","variables":{{"a":{}"#, "[".repeat(100_000));
        expect![[r#"
            BAD_USER_INPUT: The request body is not valid JSON: recursion limit exceeded at line 1 column 158.
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
