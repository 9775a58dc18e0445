//! Conditions on events (`@openfed__subscriptionFilter`):
//! <https://cosmo-docs.wundergraph.com/federation/directives/openfed__subscriptionfilter>.

use std::sync::Arc;

use graphql::definitions::Literal;
use serde_json_bytes::serde_json;
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::template::{ArgumentPath, Template, scalar_text};

/// A condition on events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Not(Box<Filter>),
    /// Whether the value of a field of the event is in a list.
    In {
        /// Names of nested fields.
        path: Vec<Arc<str>>,
        values: Vec<FilterValue>,
    },
}

/// A value of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterValue {
    /// A scalar as text; `None` for null.
    Constant(Option<String>),
    /// An argument; a list stands for its elements.
    Argument(ArgumentPath),
}

impl Filter {
    /// Reads a condition. Recursion is bounded by the parser's limit.
    pub fn read(literal: &Literal) -> Result<Self, String> {
        let Literal::Object(members) = literal else {
            return Err("a condition is an object".to_owned());
        };
        let [(name, value)] = members.as_slice() else {
            return Err("a condition has exactly one of `AND`, `OR`, `NOT` and `IN`".to_owned());
        };
        match &**name {
            "AND" => conditions(value).map(Self::And),
            "OR" => conditions(value).map(Self::Or),
            "NOT" => Ok(Self::Not(Box::new(Self::read(value)?))),
            "IN" => membership(value),
            other => Err(format!("a condition has no `{other}`")),
        }
    }

    /// Calls `visit` with each argument.
    pub fn visit_arguments<'f>(&'f self, visit: &mut impl FnMut(&'f ArgumentPath)) {
        match self {
            Self::And(all) | Self::Or(all) => {
                all.iter().for_each(|filter| filter.visit_arguments(visit));
            }
            Self::Not(filter) => filter.visit_arguments(visit),
            Self::In { values, .. } => {
                for value in values {
                    if let FilterValue::Argument(path) = value {
                        visit(path);
                    }
                }
            }
        }
    }

    /// Whether an event passes. One that is not JSON does, so that its error is reported.
    #[must_use]
    pub fn accepts(&self, event: &[u8], arguments: &Map<ByteString, Json>) -> bool {
        match serde_json::from_slice::<Json>(event) {
            Ok(event) => self.holds(&event, arguments),
            Err(_) => true,
        }
    }

    fn holds(&self, event: &Json, arguments: &Map<ByteString, Json>) -> bool {
        match self {
            Self::And(all) => all.iter().all(|filter| filter.holds(event, arguments)),
            Self::Or(any) => any.iter().any(|filter| filter.holds(event, arguments)),
            Self::Not(filter) => !filter.holds(event, arguments),
            Self::In { path, values } => {
                let found = path.iter().try_fold(event, |value, name| value.get(&**name));
                let Some(found) = found else { return false };
                values.iter().any(|value| value.equals(found, arguments))
            }
        }
    }
}

impl FilterValue {
    /// Compares scalars as texts: an ID is a number in some events, and a string in others.
    fn equals(&self, found: &Json, arguments: &Map<ByteString, Json>) -> bool {
        let text = scalar_text(found);
        match self {
            Self::Constant(None) => found.is_null(),
            Self::Constant(Some(constant)) => text.as_ref() == Some(constant),
            Self::Argument(path) => match (path.value(arguments), text) {
                (Some(Json::Array(values)), Some(text)) => {
                    values.iter().any(|value| scalar_text(value).as_ref() == Some(&text))
                }
                (Some(value), Some(text)) => scalar_text(value) == Some(text),
                (_, _) => false,
            },
        }
    }
}

fn conditions(literal: &Literal) -> Result<Vec<Filter>, String> {
    match literal {
        Literal::List(all) if !all.is_empty() => all.iter().map(Filter::read).collect(),
        _ => Err("`AND` and `OR` have a list of conditions".to_owned()),
    }
}

fn membership(literal: &Literal) -> Result<Filter, String> {
    let Literal::Object(members) = literal else {
        return Err("`IN` has `fieldPath` and `values`".to_owned());
    };
    let (mut path, mut values) = (None, None);
    for (name, value) in members {
        match (&**name, value) {
            ("fieldPath", Literal::String(text)) => {
                let names: Vec<Arc<str>> = text.split('.').map(Into::into).collect();
                if !names.iter().all(|name| graphql::schema::is_name(name)) {
                    return Err(format!("`fieldPath`: `{text}` is no path of fields"));
                }
                path = Some(names);
            }
            ("values", Literal::List(items)) => {
                values = Some(items.iter().map(filter_value).collect::<Result<_, _>>()?);
            }
            (other, _) => return Err(format!("`IN` has no `{other}` of this type")),
        }
    }
    match (path, values) {
        (Some(path), Some(values)) => Ok(Filter::In { path, values }),
        (_, _) => Err("`IN` has `fieldPath` and `values`".to_owned()),
    }
}

fn filter_value(literal: &Literal) -> Result<FilterValue, String> {
    match literal {
        Literal::Null => Ok(FilterValue::Constant(None)),
        Literal::Boolean(value) => Ok(FilterValue::Constant(Some(value.to_string()))),
        Literal::Int(text) | Literal::Float(text) | Literal::Enum(text) => {
            Ok(FilterValue::Constant(Some((**text).to_owned())))
        }
        Literal::String(text) => {
            let template = Template::parse(text).map_err(|error| error.to_string())?;
            match (template.only_argument(), template.arguments().next()) {
                (Some(path), _) => Ok(FilterValue::Argument(path.clone())),
                (None, None) => Ok(FilterValue::Constant(Some((**text).to_owned()))),
                (None, Some(_)) => Err(format!("`{text}`: an argument is the whole value")),
            }
        }
        Literal::List(_) | Literal::Object(_) => Err("a value is a scalar".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use graphql::definitions::TypeBody;
    use graphql::parse_definitions;
    use serde_json_bytes::json;

    use super::*;

    fn filter(condition: &str) -> Result<Filter, String> {
        let text = ["type A { b: C @d(c: ", condition, ") }"].concat();
        let definitions = parse_definitions(&text).unwrap();
        let TypeBody::Object(object) = &definitions.types[0].body else { panic!("no object") };
        Filter::read(&object.fields[0].directives[0].arguments[0].value)
    }

    #[track_caller]
    fn check(condition: &str, arguments: &Json, accepted: &[&str], refused: &[&str]) {
        let filter = filter(condition).unwrap();
        let arguments = arguments.as_object().unwrap();
        for event in accepted {
            assert!(filter.accepts(event.as_bytes(), arguments), "{event}");
        }
        for event in refused {
            assert!(!filter.accepts(event.as_bytes(), arguments), "{event}");
        }
    }

    #[test]
    fn events_are_compared_with_constants_and_arguments() {
        let condition = "{ IN: { fieldPath: \"id\", values: [1, \"b\", null] } }";
        let accepted = [r#"{"id":1}"#, r#"{"id":"1"}"#, r#"{"id":"b"}"#, r#"{"id":null}"#, "no"];
        check(condition, &json!({}), &accepted, &[r#"{"id":2}"#, "{}", "[]", r#"{"id":[1]}"#]);
        let condition = "{ IN: { fieldPath: \"of.id\", values: [\"{{ args.ids }}\"] } }";
        let arguments = json!({ "ids": [1, 2] });
        check(
            condition,
            &arguments,
            &[r#"{"of":{"id":2}}"#],
            &[r#"{"of":{"id":3}}"#, r#"{"of":1}"#],
        );
        check(condition, &json!({ "ids": "7" }), &[r#"{"of":{"id":7}}"#], &[r#"{"of":{"id":1}}"#]);
        check(condition, &json!({ "ids": null }), &[], &[r#"{"of":{"id":1}}"#]);
    }

    #[test]
    fn conditions_are_combined() {
        let one = |id: u8| format!("{{ IN: {{ fieldPath: \"id\", values: [{id}] }} }}");
        let or = ["{ OR: [", &one(1), ", ", &one(2), "] }"].concat();
        let and = ["{ AND: [", &or, ", { NOT: ", &one(2), " }] }"].concat();
        check(&and, &json!({}), &[r#"{"id":1}"#], &[r#"{"id":2}"#, r#"{"id":3}"#]);
    }

    #[test]
    fn wrong_conditions_are_refused() {
        for condition in [
            "1",
            "{}",
            "{ IN: { fieldPath: \"id\", values: [1] }, NOT: {} }",
            "{ EQ: 1 }",
            "{ AND: [] }",
            "{ IN: { fieldPath: \"\", values: [1] } }",
            "{ IN: { fieldPath: \"id\" } }",
            "{ IN: { fieldPath: \"id\", values: [[1]] } }",
            "{ IN: { fieldPath: \"id\", values: [\"a-{{ args.id }}\"] } }",
            "{ IN: { fieldPath: \"id\", values: [1], bypass: true } }",
        ] {
            assert!(filter(condition).is_err(), "{condition}");
        }
    }
}
