//! Templates of JSON bodies, such as `{ id: $id, tags: ["a"] }`.

use graphql::definitions::{Literal, Template};
use serde_json::{Map, Value};

use crate::inputs::Inputs;

/// A JSON value in which inputs stand.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyTemplate {
    Input(Box<str>),
    Value(Value),
    List(Vec<BodyTemplate>),
    /// Sorted by key.
    Object(Vec<(Box<str>, BodyTemplate)>),
}

impl BodyTemplate {
    /// Recursion is bounded by the parser's limit.
    #[must_use]
    pub fn new(template: &Template) -> Self {
        match template {
            Template::Variable(name) => Self::Input((&**name).into()),
            Template::Leaf(literal) => Self::Value(json(literal)),
            Template::List(items) => Self::List(items.iter().map(Self::new).collect()),
            Template::Object(members) => {
                let members = members.iter();
                let mut members: Vec<(Box<str>, Self)> =
                    members.map(|(key, value)| ((&**key).into(), Self::new(value))).collect();
                members.sort_by(|(one, _), (other, _)| one.cmp(other));
                Self::Object(members)
            }
        }
    }

    /// Calls `visit` with the name of each input.
    pub fn visit_inputs<'t>(&'t self, visit: &mut impl FnMut(&'t str)) {
        match self {
            Self::Input(name) => visit(name),
            Self::Value(_) => {}
            Self::List(items) => items.iter().for_each(|item| item.visit_inputs(visit)),
            Self::Object(members) => {
                members.iter().for_each(|(_, value)| value.visit_inputs(visit));
            }
        }
    }

    /// The value with these inputs. An absent input leaves out the member of an object, and is null
    /// elsewhere. Inputs are values of the JSON, never parts of its text.
    #[must_use]
    pub fn fill(&self, inputs: &Inputs) -> Value {
        match self {
            Self::Input(name) => inputs.find(name).cloned().unwrap_or(Value::Null),
            Self::Value(value) => value.clone(),
            Self::List(items) => Value::Array(items.iter().map(|item| item.fill(inputs)).collect()),
            Self::Object(members) => {
                let is_given = |value: &Self| match value {
                    Self::Input(name) => inputs.find(name).is_some(),
                    Self::Value(_) | Self::List(_) | Self::Object(_) => true,
                };
                let given = members.iter().filter(|(_, value)| is_given(value));
                let filled = given.map(|(key, value)| (String::from(&**key), value.fill(inputs)));
                Value::Object(filled.collect::<Map<_, _>>())
            }
        }
    }
}

/// A value as written, as JSON.
pub(crate) fn json(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => Value::Bool(*value),
        Literal::Int(digits) | Literal::Float(digits) => {
            serde_json::from_str(digits).unwrap_or_else(|_| Value::String(digits.to_string()))
        }
        Literal::String(text) | Literal::Enum(text) => Value::String(text.to_string()),
        Literal::List(items) => Value::Array(items.iter().map(json).collect()),
        Literal::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (key.to_string(), json(value))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use graphql::definitions::parse_template;
    use serde_json::json;

    use super::*;

    fn check(template: &str, inputs: &Value, expected: &Value) {
        let template = BodyTemplate::new(&parse_template(template).unwrap());
        assert_eq!(template.fill(&Inputs::of(inputs.clone())), *expected, "{template:?}");
    }

    #[test]
    fn inputs_are_values_of_the_body() {
        let quoted = json!("\", \"admin\": true, \"x\": \"");
        check("{ id: $id }", &json!({ "id": quoted }), &json!({ "id": quoted }));
        check(
            "{ b: [$x, 1, \"$x\"], a: { deep: { x: $x } }, c: 2.5, d: null, e: true }",
            &json!({ "x": { "y": ["z"] } }),
            &json!({ "a": { "deep": { "x": { "y": ["z"] } } }, "b": [{ "y": ["z"] }, 1, "$x"],
                     "c": 2.5, "d": null, "e": true }),
        );
        check("$x", &json!({ "x": 9_007_199_254_740_993_i64 }), &json!(9_007_199_254_740_993_i64));
    }

    #[test]
    fn absent_inputs_are_left_out_of_objects_only() {
        check(
            "{ a: $a, b: $b, c: [$a], d: { a: $a } }",
            &json!({ "b": null }),
            &json!({ "b": null, "c": [null], "d": {} }),
        );
    }
}
