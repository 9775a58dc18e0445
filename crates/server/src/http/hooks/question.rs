//! What a hook receives.

use engine::Caller;
use graphql::Request;
use serde_json_bytes::{ByteString, Map, Value as Json};
use source::operand::variable_json;

use super::Hooks;
use crate::options::HookPart;
use crate::request_id::RequestId;

/// The version of the form of questions and answers.
const VERSION: u32 = 1;

/// An operation, for its hooks.
pub(super) struct Question {
    document: Option<String>,
    /// As JSON.
    variables: Option<String>,
    operation_name: Option<String>,
    /// What the hook before the operation has for the one after it.
    pub(super) context: Json,
}

impl Question {
    pub(super) fn new(hooks: &Hooks, request: &Request) -> Self {
        Self {
            document: hooks.sends(HookPart::Document).then(|| request.query.clone()),
            variables: hooks.sends(HookPart::Variables).then(|| variables(request)),
            operation_name: request.operation_name.clone(),
            context: Json::Null,
        }
    }

    /// The body for the hook before the operation.
    pub(super) fn before(&self, hooks: &Hooks, caller: &Caller) -> String {
        self.text(hooks, caller, "request")
    }

    /// The body for the hook after the operation.
    pub(super) fn after(&self, hooks: &Hooks, caller: &Caller, response: &[u8]) -> String {
        let mut text = self.text(hooks, caller, "response");
        if hooks.sends(HookPart::Response)
            && let Ok(response) = std::str::from_utf8(response)
        {
            add_member(&mut text, "response", response);
        }
        text
    }

    /// The body as far as both have it.
    fn text(&self, hooks: &Hooks, caller: &Caller, stage: &str) -> String {
        let mut text = Json::Object(self.members(hooks, caller, stage)).to_string();
        if let Some(variables) = &self.variables {
            add_member(&mut text, "variables", variables);
        }
        text
    }

    fn members(&self, hooks: &Hooks, caller: &Caller, stage: &str) -> Map<ByteString, Json> {
        let mut members = Map::new();
        members.insert("version", VERSION.into());
        members.insert("stage", stage.into());
        let id = RequestId::current();
        members.insert("id", id.map_or(Json::Null, |id| Json::from(id.as_str())));
        if let Some(head) = &caller.head {
            let text = |text: &Option<Box<str>>| text.as_deref().map_or(Json::Null, Json::from);
            members.insert("method", text(&head.method));
            members.insert("path", text(&head.path));
            if hooks.sends(HookPart::Headers) {
                let mut headers: Map<ByteString, Json> = Map::new();
                for (name, value) in &head.headers {
                    let value = String::from_utf8_lossy(value.as_bytes());
                    match headers.get_mut(name.as_str()) {
                        // Several headers of one name are one with a list.
                        Some(Json::String(known)) => {
                            *known = [known.as_str(), ", ", &value].concat().into();
                        }
                        Some(_) | None => {
                            headers.insert(name.as_str(), Json::from(&*value));
                        }
                    }
                }
                members.insert("headers", Json::Object(headers));
            }
        }
        if hooks.sends(HookPart::Claims) {
            let claims = caller.session.claims.as_deref();
            members.insert("claims", claims.map_or(Json::Null, |claims| claims.all().clone()));
        }
        let name = self.operation_name.as_deref();
        members.insert("operationName", name.map_or(Json::Null, Json::from));
        if let Some(document) = &self.document {
            members.insert("document", Json::from(document.as_str()));
        }
        members.insert("context", self.context.clone());
        members
    }
}

/// The variables of a request as JSON, with their numbers as they are written.
fn variables(request: &Request) -> String {
    let variables = Json::Object(request.files.without(request.variables.clone()));
    // Without files every value has JSON.
    variable_json(&variables, &request.numbers).unwrap_or_else(|_| variables.to_string())
}

/// Adds a member, whose value is JSON already, to an object with others.
fn add_member(object: &mut String, name: &str, value: &str) {
    object.truncate(object.len().saturating_sub(1));
    object.extend([",\"", name, "\":", value, "}"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_their_numbers_as_they_are_written() {
        let given =
            r#"{"n":12345678901234567890.10,"d":[{"a b":1.00000000000000000001},"x",null]}"#;
        let body = format!("{{\"query\":\"{{a}}\",\"variables\":{given}}}");
        let request = Request::from_json(body.as_bytes()).unwrap();
        assert_eq!(variables(&request), given);
        let mut text = String::from("{\"version\":1}");
        add_member(&mut text, "variables", given);
        assert_eq!(text, format!("{{\"version\":1,\"variables\":{given}}}"));
    }
}
