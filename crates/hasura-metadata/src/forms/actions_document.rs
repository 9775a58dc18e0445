//! `actions.graphql` and `actions.yaml` as the keys `actions` and `custom_types`.
//!
//! The document has the arguments and results of actions, as fields of `Query` and `Mutation`, and
//! the fields of types. The YAML has the rest: handlers and permissions, relationships of types.

use std::collections::HashMap;
use std::sync::Arc;

use graphql::definitions::{FieldDefinition, InputDefinition, TypeBody, TypeDefinition};

use crate::location::Mark;
use crate::node::{Entry, Node, Value};
use crate::problem::ProblemKind;
use crate::reader::Reader;

const FILE: &str = "actions.graphql";

/// The lists of custom types.
const KINDS: [&str; 4] = ["input_objects", "objects", "scalars", "enums"];

/// Makes both keys of both files.
pub(super) fn merge(yaml: Option<Node>, document: &str, reader: &mut Reader) -> Vec<Entry> {
    let file: Arc<str> = Arc::from(FILE);
    let mark = yaml.as_ref().map_or_else(|| Mark::of_file(&file), |node| node.mark.clone());
    let mut document = match Document::read(&file, document, reader) {
        Some(document) => document,
        None => return Vec::new(),
    };
    let (mut actions, mut types) = (Vec::new(), HashMap::new());
    let mut entries = Vec::new();
    for entry in yaml.map(Node::into_entries).unwrap_or_default() {
        match entry.key.as_str() {
            "actions" => {
                for action in entry.node.into_items() {
                    actions.push(document.complete_action(action, reader));
                }
            }
            "custom_types" => {
                for kind in entry.node.into_entries() {
                    types.insert(kind.key.clone(), kind);
                }
            }
            // The reader of metadata reports the key.
            _ => entries.push(entry),
        }
    }
    for (name, (_, field)) in &document.fields {
        let message = format!(
            "The field `{name}` has no action in actions.yaml. Add one with its handler, or remove \
             the field."
        );
        reader.report(ProblemKind::WrongValue, &document.mark(field.line, field.column), message);
    }
    let mut kinds = Vec::new();
    for kind in KINDS {
        let of_yaml = types.remove(kind);
        let nodes = document.complete_types(kind, of_yaml.map(|entry| entry.node), reader);
        if !nodes.is_empty() {
            kinds.push(list(kind, nodes, &mark));
        }
    }
    // Unknown kinds of types, which the reader of metadata reports.
    kinds.extend(types.into_values());
    if !actions.is_empty() {
        entries.push(list("actions", actions, &mark));
    }
    if !kinds.is_empty() {
        let node = Node { mark: mark.clone(), value: Value::Object(kinds) };
        entries.push(Entry::new("custom_types", mark, node));
    }
    entries
}

/// The parts of `actions.graphql` that no part of `actions.yaml` has taken yet.
struct Document {
    file: Arc<str>,
    /// Fields of the root types, with `query` or `mutation`, sorted for the order of problems.
    fields: std::collections::BTreeMap<Arc<str>, (&'static str, FieldDefinition)>,
    types: Vec<TypeDefinition>,
}

impl Document {
    fn read(file: &Arc<str>, text: &str, reader: &mut Reader) -> Option<Self> {
        let definitions = match graphql::parse_definitions(text) {
            Ok(definitions) => definitions,
            Err(errors) => {
                for error in errors {
                    let location = error.locations.first();
                    let (line, column) = location.map_or((0, 0), |one| (one.line, one.column));
                    let mark = Mark { file: Arc::clone(file), line, column };
                    reader.report(ProblemKind::Syntax, &mark, error.message);
                }
                return None;
            }
        };
        let mut document =
            Self { file: Arc::clone(file), fields: Default::default(), types: Vec::new() };
        for definition in definitions.types {
            let root = match &*definition.name {
                "Query" => Some("query"),
                "Mutation" => Some("mutation"),
                _ => None,
            };
            match (root, definition.body) {
                (Some(root), TypeBody::Object(object)) => {
                    let fields = object.fields.into_iter();
                    let fields = fields.map(|field| (Arc::clone(&field.name), (root, field)));
                    document.fields.extend(fields);
                }
                (_, body) => document.types.push(TypeDefinition { body, ..definition }),
            }
        }
        Some(document)
    }

    fn mark(&self, line: usize, column: usize) -> Mark {
        mark(&self.file, line, column)
    }

    /// Adds arguments, result and root type to an action of `actions.yaml`.
    fn complete_action(&mut self, action: Node, reader: &mut Reader) -> Node {
        let name = action.find_text("name").unwrap_or_default().to_owned();
        let Some((root, field)) = self.fields.remove(name.as_str()) else {
            let has_type =
                action.find("definition").is_some_and(|node| node.find("output_type").is_some());
            if !has_type && !name.is_empty() {
                let message = format!(
                    "The action `{name}` is not in {FILE}. Define it there, as a field of `Query` \
                     or `Mutation`."
                );
                reader.report(ProblemKind::MissingKey, &action.mark, message);
            }
            return action;
        };
        let mark = self.mark(field.line, field.column);
        let arguments = field.arguments.iter().map(|argument| self.input(argument, reader));
        let mut added = vec![
            list("arguments", arguments.collect(), &mark),
            text("output_type", field.r#type.to_string(), &mark),
            text("type", root, &mark),
        ];
        let Node { mark: action_mark, value } = action;
        let Value::Object(mut entries) = value else {
            return Node { mark: action_mark, value };
        };
        for entry in entries.iter_mut().filter(|entry| entry.key == "definition") {
            if let Value::Object(definition) = &mut entry.node.value {
                definition.retain(|part| match part.key.as_str() {
                    "arguments" | "output_type" | "type" => false,
                    // The command line tool writes an empty kind for queries.
                    "kind" => !matches!(&part.node.value, Value::String(text) if text.is_empty()),
                    _ => true,
                });
                definition.append(&mut added);
            }
        }
        Node { mark: action_mark, value: Value::Object(entries) }
    }

    /// Takes the types of a kind, with what `actions.yaml` says of them.
    fn complete_types(&mut self, kind: &str, yaml: Option<Node>, reader: &mut Reader) -> Vec<Node> {
        let mut of_yaml = yaml.map(Node::into_items).unwrap_or_default();
        let mut nodes = Vec::new();
        let (mine, others) =
            std::mem::take(&mut self.types).into_iter().partition(|one| kind_of(one) == kind);
        self.types = others;
        let mine: Vec<TypeDefinition> = mine;
        for definition in mine {
            let Some(mut entries) = self.r#type(&definition, reader) else { continue };
            let position =
                of_yaml.iter().position(|node| node.find_text("name") == Some(&*definition.name));
            if let Some(position) = position {
                for entry in of_yaml.remove(position).into_entries() {
                    if entry.key != "name" && !matches!(entry.node.value, Value::Null) {
                        entries.retain(|one| one.key != entry.key);
                        entries.push(entry);
                    }
                }
            }
            let mark = self.mark(definition.line, definition.column);
            nodes.push(Node { mark, value: Value::Object(entries) });
        }
        for node in of_yaml {
            let is_complete = node.find("fields").is_some() || node.find("values").is_some();
            if !is_complete {
                let name = node.find_text("name").unwrap_or_default();
                let message = format!("The type `{name}` of {kind} is not in {FILE}.");
                reader.report(ProblemKind::MissingKey, &node.mark, message);
            } else {
                nodes.push(node);
            }
        }
        nodes
    }

    /// The entries of a type; `None` if a problem was reported.
    fn r#type(&self, definition: &TypeDefinition, reader: &mut Reader) -> Option<Vec<Entry>> {
        let mark = self.mark(definition.line, definition.column);
        let mut entries = self.named(&definition.name, definition.description.as_deref(), &mark);
        match &definition.body {
            TypeBody::Scalar => {}
            TypeBody::Object(object) => {
                let fields = object.fields.iter().map(|field| {
                    let mark = self.mark(field.line, field.column);
                    if !field.arguments.is_empty() {
                        let message = "Arguments of the field have no effect, as in Hasura.";
                        reader.report(ProblemKind::Notice, &mark, message.into());
                    }
                    let description = field.description.as_deref();
                    self.typed(&field.name, &field.r#type.to_string(), description, &mark)
                });
                let fields = fields.collect();
                entries.push(list("fields", fields, &mark));
            }
            TypeBody::InputObject(fields) => {
                let fields = fields.iter().map(|field| self.input(field, reader)).collect();
                entries.push(list("fields", fields, &mark));
            }
            TypeBody::Enum(values) => {
                let values = values.iter().map(|value| {
                    let mark = self.mark(value.line, value.column);
                    let mut entries = vec![text("value", &*value.name, &mark)];
                    if let Some(description) = value.description.as_deref() {
                        entries.push(text("description", description, &mark));
                    }
                    if value.directives.iter().any(|one| &*one.name == "deprecated") {
                        let node = Node { mark: mark.clone(), value: Value::Bool(true) };
                        entries.push(Entry::new("is_deprecated", mark.clone(), node));
                    }
                    Node { mark, value: Value::Object(entries) }
                });
                let values = values.collect();
                entries.push(list("values", values, &mark));
            }
            TypeBody::Interface(_) | TypeBody::Union(_) => {
                let message = format!(
                    "The type `{}` is an interface or union, which actions do not have. Use an \
                     object.",
                    definition.name
                );
                reader.report(ProblemKind::WrongValue, &mark, message);
                return None;
            }
        }
        Some(entries)
    }

    fn input(&self, input: &InputDefinition, reader: &mut Reader) -> Node {
        let mark = self.mark(input.line, input.column);
        if input.default.is_some() {
            let message = format!("The default of `{}` has no effect, as in Hasura.", input.name);
            reader.report(ProblemKind::Notice, &mark, message);
        }
        let description = input.description.as_deref();
        self.typed(&input.name, &input.r#type.to_string(), description, &mark)
    }

    fn named(&self, name: &str, description: Option<&str>, mark: &Mark) -> Vec<Entry> {
        let description = description.map(|description| text("description", description, mark));
        [text("name", name, mark)].into_iter().chain(description).collect()
    }

    fn typed(&self, name: &str, r#type: &str, description: Option<&str>, mark: &Mark) -> Node {
        let mut entries = self.named(name, description, mark);
        entries.push(text("type", r#type, mark));
        Node { mark: mark.clone(), value: Value::Object(entries) }
    }
}

/// The list that a type belongs to. Interfaces and unions are reported among the objects.
fn kind_of(definition: &TypeDefinition) -> &'static str {
    match &definition.body {
        TypeBody::InputObject(_) => "input_objects",
        TypeBody::Object(_) | TypeBody::Interface(_) | TypeBody::Union(_) => "objects",
        TypeBody::Scalar => "scalars",
        TypeBody::Enum(_) => "enums",
    }
}

fn mark(file: &Arc<str>, line: usize, column: usize) -> Mark {
    let number = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
    Mark { file: Arc::clone(file), line: number(line), column: number(column) }
}

fn text(key: &str, value: impl Into<String>, mark: &Mark) -> Entry {
    Entry::new(key, mark.clone(), Node::text(mark.clone(), value))
}

fn list(key: &str, items: Vec<Node>, mark: &Mark) -> Entry {
    Entry::new(key, mark.clone(), Node { mark: mark.clone(), value: Value::List(items) })
}
