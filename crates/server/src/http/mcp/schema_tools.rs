//! Tools by which agents find their way in the schema, and execute operations of their own.

use engine::Caller;
use graphql::{View, print_one_type, similar_names};
use serde_json::{Value, json};
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::schema_search;
use super::tools::annotations;
use crate::http::service::Service;

/// The most bytes of a type's definition.
const MOST_DEFINITION: usize = 20_000;

/// The most matches of a search, and their number by default.
const MOST_MATCHES: usize = 50;
const USUAL_MATCHES: usize = 20;

/// A tool of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaTool {
    Search,
    Introspect,
    Execute,
}

/// What is wrong with the arguments of a tool, for the agent to correct.
pub(super) type WrongArguments = String;

impl SchemaTool {
    pub(super) const ALL: [Self; 3] = [Self::Search, Self::Introspect, Self::Execute];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Search => "search_schema",
            Self::Introspect => "introspect_type",
            Self::Execute => "execute_operation",
        }
    }

    pub(super) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(super) fn describe(self, allows_mutations: bool) -> Value {
        let (title, about) = match (self, allows_mutations) {
            (Self::Search, _) => (
                "Search the schema",
                "Finds types and fields of the GraphQL schema whose names or descriptions have all \
                 of the words. Fields of Query and Mutation are where operations begin.",
            ),
            (Self::Introspect, _) => (
                "Read a type",
                "The definition of a type of the GraphQL schema, with its fields and their \
                 arguments.",
            ),
            (Self::Execute, false) => (
                "Execute a query",
                "Executes a GraphQL query. Search the schema and read the types first; pass values \
                 as variables, and ask for few rows.",
            ),
            (Self::Execute, true) => (
                "Execute an operation",
                "Executes a GraphQL query or mutation. Search the schema and read the types first; \
                 pass values as variables, and ask for few rows.",
            ),
        };
        json!({
            "name": self.name(),
            "title": title,
            "description": about,
            "inputSchema": self.input(),
            "annotations": annotations(self != Self::Execute || !allows_mutations),
        })
    }

    fn input(self) -> Value {
        let (properties, required) = match self {
            Self::Search => (
                json!({
                    "words": {
                        "type": "string",
                        "description": "Words of names and descriptions, such as \"album title\"",
                    },
                    "limit": {
                        "type": "integer", "minimum": 1, "maximum": MOST_MATCHES,
                        "default": USUAL_MATCHES,
                    },
                }),
                "words",
            ),
            Self::Introspect => (
                json!({
                    "name": { "type": "string", "description": "The name of a type, such as Query" },
                }),
                "name",
            ),
            Self::Execute => (
                json!({
                    "query": { "type": "string", "description": "The GraphQL document" },
                    "variables": { "type": "object", "description": "Values of its variables" },
                    "operationName": {
                        "type": "string",
                        "description": "The operation, if the document has several",
                    },
                }),
                "query",
            ),
        };
        json!({
            "type": "object", "properties": properties, "required": [required],
            "additionalProperties": false,
        })
    }

    /// Refuses arguments that the tool does not have.
    pub(super) fn check(self, arguments: &Map<ByteString, Json>) -> Result<(), WrongArguments> {
        let known: &[&str] = match self {
            Self::Search => &["words", "limit"],
            Self::Introspect => &["name"],
            Self::Execute => &["query", "variables", "operationName"],
        };
        check_names(arguments, known.iter().copied())
    }
}

/// Refuses arguments with other names than these.
pub(super) fn check_names<'n>(
    arguments: &Map<ByteString, Json>,
    known: impl Iterator<Item = &'n str> + Clone,
) -> Result<(), WrongArguments> {
    let unknown = arguments.keys().find(|name| known.clone().all(|own| own != name.as_str()));
    let Some(unknown) = unknown else { return Ok(()) };
    let known: Vec<&str> = known.collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Err(format!("There is no argument \"{}\"; the tool has: {known}.", unknown.as_str()))
}

/// The answer of a search.
pub(super) fn search(
    service: &Service,
    caller: &Caller,
    arguments: &Map<ByteString, Json>,
) -> Result<Value, WrongArguments> {
    let words = text(arguments, "words")?;
    let limit = match arguments.get("limit") {
        None => USUAL_MATCHES,
        Some(limit) => {
            let limit = limit.as_u64().and_then(|limit| usize::try_from(limit).ok());
            let limit = limit.filter(|limit| (1..=MOST_MATCHES).contains(limit));
            limit
                .ok_or_else(|| format!("\"limit\" must be an integer from 1 to {MOST_MATCHES}."))?
        }
    };
    schema_search::search(view(service, caller)?, words, limit)
}

/// The definition of a type.
pub(super) fn introspect(
    service: &Service,
    caller: &Caller,
    arguments: &Map<ByteString, Json>,
) -> Result<Value, WrongArguments> {
    let name = text(arguments, "name")?;
    let view = view(service, caller)?;
    let Some(id) = view.find_type(name) else {
        let names: Vec<&str> = view.types().map(|(_, definition)| &*definition.name).collect();
        let similar = similar_names(name, names).join(", ");
        return Err(match similar.is_empty() {
            true => format!("There is no type \"{name}\"."),
            false => format!("There is no type \"{name}\". Similar names: {similar}."),
        });
    };
    let definition = print_one_type(view, id);
    let shown = match definition.len() > MOST_DEFINITION {
        true => {
            let beginning = &definition[..definition.floor_char_boundary(MOST_DEFINITION)];
            beginning.rsplit_once('\n').map_or(beginning, |(lines, _)| lines)
        }
        false => &definition,
    };
    let is_whole = shown.len() == definition.len();
    Ok(json!({ "name": name, "definition": shown, "isTruncated": !is_whole }))
}

/// A text among arguments.
fn text<'a>(arguments: &'a Map<ByteString, Json>, name: &str) -> Result<&'a str, WrongArguments> {
    let text = arguments.get(name).and_then(Json::as_str).filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| format!("\"{name}\" must be a string that is not empty."))
}

fn view<'s>(service: &'s Service, caller: &Caller) -> Result<View<'s>, WrongArguments> {
    service.worker.view(caller).map_err(|errors| {
        let error = errors.into_iter().next().map(|error| error.message);
        error.unwrap_or_else(|| "The schema is hidden from this caller.".to_owned())
    })
}
