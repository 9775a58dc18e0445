//! Cost of arguments: each where it is set, an input object 1 plus its fields.

use graphql::schema::{InputId, TypeKind};
use graphql::value::{Slot, Value};
use graphql::variables::Variables;
use serde_json_bytes::Value as Json;

use supergraph::Supergraph;

/// Cost of the arguments of one field.
#[derive(Clone, Debug, Default)]
pub(super) struct ArgumentCost {
    written: i64,
    /// Variables with a cost, each with the argument or input field it is used for.
    variables: Vec<(Slot, InputId)>,
}

graphql::heap_size!(struct ArgumentCost { written, variables });

impl ArgumentCost {
    pub(super) fn new(supergraph: &Supergraph, arguments: &[(InputId, Value)]) -> Self {
        let mut given = Self::default();
        for (input, value) in arguments {
            given.add(supergraph, *input, value);
        }
        given
    }

    /// Whether the cost does not depend on variables.
    pub(super) fn is_fixed(&self) -> bool {
        self.variables.is_empty()
    }

    pub(super) fn cost(&self, supergraph: &Supergraph, variables: &Variables) -> i64 {
        let values = self.variables.iter().map(|(slot, input)| {
            let value = variables.values.get(usize::from(slot.0)).and_then(Option::as_ref);
            value.map_or(0, |value| of_json(supergraph, *input, value))
        });
        values.fold(self.written, i64::saturating_add)
    }

    /// Recursion is bounded: validation limits the nesting of values.
    fn add(&mut self, supergraph: &Supergraph, input: InputId, value: &Value) {
        let weight = weight(supergraph, input);
        let own = match value {
            Value::Null => 0,
            Value::Variable(slot) => {
                if weight.is_some() || is_object(supergraph, input) {
                    self.variables.push((*slot, input));
                }
                0
            }
            Value::Object(members) => {
                for (member, value) in members {
                    self.add(supergraph, *member, value);
                }
                weight.unwrap_or(1)
            }
            Value::List(items) => {
                for item in items {
                    self.add(supergraph, input, item);
                }
                weight.unwrap_or(0)
            }
            Value::Boolean(_)
            | Value::Int(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Enum(_)
            | Value::Json(_)
            | Value::Members(_) => weight.unwrap_or(0),
        };
        self.written = self.written.saturating_add(own);
    }
}

/// Recursion is bounded: the nesting of JSON in requests is limited.
fn of_json(supergraph: &Supergraph, input: InputId, value: &Json) -> i64 {
    let weight = weight(supergraph, input);
    match value {
        Json::Null => 0,
        Json::Object(members) if is_object(supergraph, input) => {
            let schema = &supergraph.api.schema;
            let base = schema[input].r#type.base;
            let known = members.iter().filter_map(|(name, value)| {
                let member = schema.find_input_field(base, name.as_str())?;
                Some(of_json(supergraph, member, value))
            });
            known.fold(weight.unwrap_or(1), i64::saturating_add)
        }
        Json::Array(items) if supergraph.api.schema[input].r#type.item().is_some() => {
            let items = items.iter().map(|item| of_json(supergraph, input, item));
            items.fold(weight.unwrap_or(0), i64::saturating_add)
        }
        Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
            weight.unwrap_or(0)
        }
    }
}

/// Weight of an argument or input field, or of its type, if there is one.
fn weight(supergraph: &Supergraph, input: InputId) -> Option<i64> {
    let of_type = || {
        let base = supergraph.api.schema[input].r#type.base;
        supergraph.weights.of_type(supergraph.api.r#type(base))
    };
    supergraph.weights.of_input(supergraph.api.input(input)).or_else(of_type)
}

fn is_object(supergraph: &Supergraph, input: InputId) -> bool {
    let schema = &supergraph.api.schema;
    matches!(schema[schema[input].r#type.base].kind, TypeKind::InputObject { .. })
}
