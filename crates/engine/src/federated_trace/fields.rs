//! The fields that an operation selects, as a tree with the errors of the answer.

use std::collections::HashMap;

use graphql::operation::{FieldRef, Operation, Selection, SelectionSetId};
use graphql::schema::{FieldId, Schema, TypeId};
use graphql::variables::Steering;
use graphql::{does_condition_hold, print_type};
use serde::Deserialize;
use serde_json::Value;

use super::message::Message;
use super::{Span, nanoseconds};

/// The place of the root node.
const ROOT: usize = 0;

/// The selected fields.
///
/// A list has the fields of its elements, without nodes for the elements between: all of them are
/// answered by the same statement, and statistics of fields and errors ignore indexes.
#[derive(Debug)]
pub(super) struct Fields<'o> {
    /// Each after the one that it is below.
    nodes: Vec<Node<'o>>,
    /// Nodes of one response name below a node: of several types where fragments name them.
    places: HashMap<(usize, &'o str), Vec<usize>>,
    /// Number of selections that may still be visited.
    left: usize,
}

/// A field, or the operation.
#[derive(Debug, Default)]
struct Node<'o> {
    /// `None` for the operation.
    selected: Option<SelectedField<'o>>,
    below: Vec<usize>,
    /// The messages `Trace.Error`.
    errors: Vec<Message>,
}

#[derive(Clone, Copy, Debug)]
struct SelectedField<'o> {
    response_name: &'o str,
    parent: TypeId,
    field: FieldId,
}

/// An answer, of which only the errors matter.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    errors: Vec<Value>,
}

impl Default for Fields<'_> {
    fn default() -> Self {
        Self { nodes: vec![Node::default()], places: HashMap::new(), left: 0 }
    }
}

impl<'o> Fields<'o> {
    /// The fields of an operation that was executed with these variables, limited to this number of
    /// selections: the answer's fields are limited, but nested fragments can select the same ones
    /// repeatedly, and the rest is omitted.
    pub(super) fn of(operation: &'o Operation, steering: &Steering<'_>, most: usize) -> Self {
        let mut fields = Self { left: most, ..Self::default() };
        fields.add(operation, steering, ROOT, operation.root);
        fields
    }

    /// Adds the fields of a selection set below a node. `__typename`, `__schema` and `__type` are
    /// no fields of the graph.
    fn add(
        &mut self,
        operation: &'o Operation,
        steering: &Steering<'_>,
        above: usize,
        set: SelectionSetId,
    ) {
        let set = operation.selection_set(set);
        for selection in &set.selections {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            match selection {
                Selection::Field(selected) => {
                    let FieldRef::Field(field) = selected.field else { continue };
                    if !does_condition_hold(&selected.conditions, steering) {
                        continue;
                    }
                    let response_name = &*selected.response_name;
                    let node = self
                        .node(above, SelectedField { response_name, parent: set.parent, field });
                    if let Some(below) = selected.selection_set {
                        self.add(operation, steering, node, below);
                    }
                }
                Selection::Fragment { conditions, selection_set, .. } => {
                    if does_condition_hold(conditions, steering) {
                        self.add(operation, steering, above, *selection_set);
                    }
                }
            }
        }
    }

    /// The node of a field; a new one unless the same field was selected before.
    fn node(&mut self, above: usize, selected: SelectedField<'o>) -> usize {
        let nodes = &mut self.nodes;
        let places = self.places.entry((above, selected.response_name)).or_default();
        let is_same = |place: &&usize| {
            nodes[**place].selected.is_some_and(|known| known.parent == selected.parent)
        };
        if let Some(place) = places.iter().find(is_same) {
            return *place;
        }
        let place = nodes.len();
        places.push(place);
        nodes.push(Node { selected: Some(selected), ..Node::default() });
        nodes[above].below.push(place);
        place
    }

    /// Puts the errors of an answer to the fields at their paths.
    pub(super) fn add_errors(&mut self, answer: &[u8]) {
        let Ok(Answer { errors }) = serde_json::from_slice(answer) else { return };
        for error in &errors {
            let place = self.find(error.get("path"));
            self.nodes[place].errors.push(error_message(error));
        }
    }

    /// The node at a path, or the last one on the way to it.
    fn find(&self, path: Option<&Value>) -> usize {
        let segments = path.and_then(Value::as_array).into_iter().flatten();
        let mut place = ROOT;
        for name in segments.filter_map(Value::as_str) {
            let Some(&below) = self.places.get(&(place, name)).and_then(|places| places.first())
            else {
                break;
            };
            place = below;
        }
        place
    }

    /// The message `Trace.Node` of the whole.
    pub(super) fn message(&self, schema: &Schema, executed: Span) -> Message {
        self.node_message(&self.nodes[ROOT], schema, executed)
    }

    fn node_message(&self, node: &Node<'_>, schema: &Schema, executed: Span) -> Message {
        let mut message = Message::default();
        if let Some(SelectedField { response_name, parent, field }) = node.selected {
            let field = &schema[field];
            message.put_text(1, response_name);
            message.put_text(3, &print_type(schema, field.r#type));
            // Routers take a field that begins at 0 for one that never began.
            message.put_number(8, nanoseconds(executed.from).max(1));
            message.put_number(9, nanoseconds(executed.to).max(1));
            message.put_text(13, &schema[parent].name);
            if *field.name != *response_name {
                message.put_text(14, &field.name);
            }
        }
        for error in &node.errors {
            message.put_message(11, error);
        }
        for place in &node.below {
            let below = self.node_message(&self.nodes[*place], schema, executed);
            message.put_message(12, &below);
        }
        message
    }
}

/// The message `Trace.Error` of an error in the answer.
fn error_message(error: &Value) -> Message {
    let mut message = Message::default();
    message.put_text(1, error.get("message").and_then(Value::as_str).unwrap_or_default());
    let locations = error.get("locations").and_then(Value::as_array);
    for location in locations.into_iter().flatten() {
        let number = |name| location.get(name).and_then(Value::as_u64).unwrap_or_default();
        let mut place = Message::default();
        place.put_number(1, number("line"));
        place.put_number(2, number("column"));
        message.put_message(2, &place);
    }
    message.put_text(4, &error.to_string());
    message
}
