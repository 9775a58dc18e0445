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
                "variables" | "extensions" => {
                    parse_json(value.as_bytes(), &format!("\"{name}\""))?
                }
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
