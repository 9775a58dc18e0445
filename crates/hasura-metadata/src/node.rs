//! Values as read from YAML or JSON, with their marks: the common form before the types.

pub(crate) mod json_text;

use serde_json::Number;

use crate::json::Json;
use crate::location::Mark;

/// Limit of nested lists and objects: functions over nodes are recursive.
pub(crate) const MAX_NESTING: usize = 100;

/// A value with the mark of its begin.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) mark: Mark,
    pub(crate) value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    List(Vec<Node>),
    /// Without duplicates of a key.
    Object(Vec<Entry>),
    /// An object whose content is read when it is needed: an item of a long list.
    Deferred(DeferredObject),
}

/// The JSON of an object.
#[derive(Clone, Debug)]
pub(crate) struct DeferredObject {
    pub(crate) text: Box<str>,
    /// The position of its begin in the file: a line from 1, and the number of bytes before it there.
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// The mark of the key.
    pub(crate) mark: Mark,
    pub(crate) node: Node,
}

impl Node {
    pub(crate) fn text(mark: Mark, text: impl Into<String>) -> Self {
        Self { mark, value: Value::String(text.into()) }
    }

    /// What the value is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::List(_) => "a list",
            Value::Object(_) | Value::Deferred(_) => "an object",
        }
    }

    pub(crate) fn find(&self, key: &str) -> Option<&Node> {
        let Value::Object(entries) = &self.value else { return None };
        entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub(crate) fn find_text(&self, key: &str) -> Option<&str> {
        match &self.find(key)?.value {
            Value::String(text) => Some(text),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::List(_)
            | Value::Object(_)
            | Value::Deferred(_) => None,
        }
    }

    /// The entries of an object; none of anything else.
    pub(crate) fn into_entries(self) -> Vec<Entry> {
        match self.value {
            Value::Object(entries) => entries,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Deferred(_) => Vec::new(),
        }
    }

    /// The items of a list; none of anything else.
    pub(crate) fn into_items(self) -> Vec<Node> {
        match self.value {
            Value::List(items) => items,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_)
            | Value::Deferred(_) => Vec::new(),
        }
    }

    /// The value without marks; keys are sorted, as Hasura stores free parts.
    pub(crate) fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(value) => Json::Number(value.clone()),
            Value::String(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Object(entries) => {
                let members = entries.iter();
                let mut members: Vec<(String, Json)> =
                    members.map(|entry| (entry.key.clone(), entry.node.to_json())).collect();
                members.sort_by(|(one, _), (other, _)| one.cmp(other));
                Json::Object(members)
            }
            // Lists of free parts are never deferred.
            Value::Deferred(deferred) => json_text::read_deferred(&self.mark.file, deferred)
                .map_or(Json::Null, |node| node.to_json()),
        }
    }
}

impl Entry {
    pub(crate) fn new(key: &str, mark: Mark, node: Node) -> Self {
        Self { key: key.to_owned(), mark, node }
    }
}
