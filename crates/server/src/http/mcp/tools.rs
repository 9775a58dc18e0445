//! `tools/list`: the tools that a caller may call, in pages.

use std::sync::Arc;

use engine::Caller;
use engine::documents::Document;
use graphql::Request;
use graphql::View;
use graphql::operation::{FieldRef, Operation, OperationKind, Selection};
use serde_json::{Value, json};

use super::json_schema;
use super::message::RpcError;
use super::schema_tools::SchemaTool;
use super::settings::{McpSettings, OperationTool};
use crate::http::hasura;
use crate::http::service::Service;

/// The tools of a page.
const PAGE: usize = 50;

/// The beginning of a cursor; the name of the last tool of a page follows.
const AFTER: &str = "after:";

/// A page of tools.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) tools: Vec<Value>,
    pub(super) next: Option<String>,
}

/// The page behind a cursor.
pub(super) fn page(
    service: &Service,
    settings: &McpSettings,
    caller: &Caller,
    cursor: Option<&str>,
) -> Result<Page, RpcError> {
    let Ok(view) = service.worker.view(caller) else {
        return Ok(Page { tools: Vec::new(), next: None });
    };
    let of_schema = SchemaTool::ALL.into_iter().filter(|_| shows_schema(service, settings, caller));
    let of_schema = of_schema.map(|tool| (tool.name(), None));
    let operations = settings.operations.iter().map(|tool| (&*tool.name, Some(tool)));
    let mut all = of_schema.chain(operations);
    if let Some(cursor) = cursor {
        let unknown = || RpcError::params("The cursor is none of this server, or has expired.");
        let last = cursor.strip_prefix(AFTER).ok_or_else(unknown)?;
        all.find(|(name, _)| *name == last).ok_or_else(unknown)?;
    }
    let mut page = Page { tools: Vec::new(), next: None };
    let mut last = None;
    for (name, operation) in all {
        let described = match operation {
            Some(tool) => describe(service, view, tool, caller),
            None => SchemaTool::find(name).map(|tool| tool.describe(settings.allows_mutations)),
        };
        let Some(described) = described else { continue };
        if page.tools.len() == PAGE {
            page.next = last.map(|last: &str| [AFTER, last].concat());
            break;
        }
        page.tools.push(described);
        last = Some(name);
    }
    Ok(page)
}

/// Whether a caller has the tools of the schema.
pub(super) fn shows_schema(service: &Service, settings: &McpSettings, caller: &Caller) -> bool {
    settings.has_schema && hasura::may_introspect(service, caller)
}

/// The request of an operation, without variables.
fn request_of(tool: &OperationTool) -> Request {
    Request {
        query: tool.text.as_ref().to_owned(),
        operation_name: Some(String::from(&*tool.operation_name)),
        ..Request::default()
    }
}

/// The document of a tool; `None` if the caller may not execute all of it.
pub(super) fn permitted(
    service: &Service,
    tool: &OperationTool,
    caller: &Caller,
) -> Option<(Request, Arc<Document>)> {
    let request = request_of(tool);
    if !hasura::is_listed(service, &request, caller) {
        return None;
    }
    let document = service.worker.document(&request, caller).ok()?;
    let is_refused = service.worker.refuses(&request, caller);
    (!is_refused).then_some((request, document))
}

/// A tool of an operation; `None` if the caller may not execute it.
fn describe(
    service: &Service,
    view: View<'_>,
    tool: &OperationTool,
    caller: &Caller,
) -> Option<Value> {
    let (_, document) = permitted(service, tool, caller)?;
    let operation = &document.operation;
    let about = tool.comment.as_deref().map(str::to_owned);
    let about = about.or_else(|| about_fields(view, operation));
    let mut described = json!({
        "name": tool.name,
        "title": title(&tool.operation_name),
        "inputSchema": json_schema::of_variables(view, operation),
        "annotations": annotations(operation.kind == OperationKind::Query),
    });
    if let Some(about) = about {
        described["description"] = about.into();
    }
    if let Some(output) = json_schema::of_response(view, operation) {
        described["outputSchema"] = output;
    }
    Some(described)
}

/// Hints about what a tool changes: a mutation may delete.
pub(super) fn annotations(is_read_only: bool) -> Value {
    json!({
        "readOnlyHint": is_read_only,
        "destructiveHint": !is_read_only,
        "idempotentHint": is_read_only,
        "openWorldHint": false,
    })
}

/// The descriptions of the fields of an operation's root.
fn about_fields(view: View<'_>, operation: &Operation) -> Option<String> {
    let root = operation.selection_set(operation.root);
    let texts = root.selections.iter().filter_map(|selection| match selection {
        Selection::Field(field) => match field.field {
            FieldRef::Field(id) => view[id].description.as_deref(),
            FieldRef::Typename | FieldRef::Introspection => None,
        },
        Selection::Fragment { .. } => None,
    });
    let texts = texts.collect::<Vec<_>>().join("\n");
    (!texts.is_empty()).then_some(texts)
}

/// A name as words: `albumsOfArtist` is "Albums of artist".
fn title(name: &str) -> String {
    let mut title = String::new();
    let mut characters = name.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '_' if title.is_empty() => {}
            '_' => title.push(' '),
            c if title.is_empty() => title.extend(c.to_uppercase()),
            c if c.is_uppercase() && title.ends_with(char::is_lowercase) => {
                title.push(' ');
                // An acronym stays one.
                match characters.peek() {
                    Some(next) if next.is_uppercase() => title.push(c),
                    Some(_) | None => title.extend(c.to_lowercase()),
                }
            }
            c => title.push(c),
        }
    }
    title.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_words() {
        for (name, expected) in [
            ("albumsOfArtist", "Albums of artist"),
            ("list_albums", "List albums"),
            ("AlbumURL", "Album URL"),
            ("_a", "A"),
        ] {
            assert_eq!(title(name), expected);
        }
    }
}
