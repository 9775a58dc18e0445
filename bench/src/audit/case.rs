//! A case of the audit.

use serde::Deserialize;
use serde_json::Value;

/// A query, and what is wanted of its answer.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    pub(super) query: String,
    expected: Expected,
}

#[derive(Debug, Deserialize)]
struct Expected {
    /// Null if it is not said.
    #[serde(default)]
    data: Value,
    /// Whether there are errors; it does not matter if it is not said.
    errors: Option<bool>,
}

/// A difference between an answer and the expected one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) wanted: String,
    pub(super) given: String,
}

impl Case {
    /// The difference between an answer and the expected one, if there is one. As in the audit's own
    /// runner the data has to be the same, in any order of keys; messages of errors do not matter.
    pub(super) fn find_difference(&self, answer: &Value) -> Option<Difference> {
        let has_errors = answer["errors"].as_array().is_some_and(|errors| !errors.is_empty());
        if is_same(&self.expected.data, &answer["data"])
            && self.expected.errors.is_none_or(|wanted| wanted == has_errors)
        {
            return None;
        }
        let word = match self.expected.errors {
            Some(true) => " and errors",
            Some(false) => " and no errors",
            None => "",
        };
        let wanted = [&*self.expected.data.to_string(), word].concat();
        Some(Difference { wanted, given: answer.to_string() })
    }

    pub(super) fn on_one_line(&self) -> String {
        self.query.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Equal as JavaScript has it, whose numbers are of one kind.
fn is_same(wanted: &Value, given: &Value) -> bool {
    match (wanted, given) {
        (Value::Number(wanted), Value::Number(given)) => wanted.as_f64() == given.as_f64(),
        (Value::Array(wanted), Value::Array(given)) => {
            wanted.len() == given.len()
                && wanted.iter().zip(given).all(|(wanted, given)| is_same(wanted, given))
        }
        (Value::Object(wanted), Value::Object(given)) => {
            wanted.len() == given.len()
                && wanted
                    .iter()
                    .all(|(key, wanted)| given.get(key).is_some_and(|given| is_same(wanted, given)))
        }
        _ => wanted == given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(expected: Value, answer: &Value, is_right: bool) {
        let expected = serde_json::from_value(expected).unwrap();
        let case = Case { query: "{ a }".to_owned(), expected };
        assert_eq!(case.find_difference(answer).is_none(), is_right, "{case:?} {answer}");
    }

    #[test]
    fn data_is_the_same_and_errors_are_there_or_not() {
        let error = json!([{ "message": "no" }]);
        check(
            json!({ "data": { "a": 1, "b": [2] } }),
            &json!({ "data": { "b": [2], "a": 1.0 } }),
            true,
        );
        check(json!({ "data": { "a": 1 } }), &json!({ "data": { "a": 1, "b": null } }), false);
        check(json!({ "data": { "a": null } }), &json!({ "data": {} }), false);
        check(json!({ "data": { "a": [1, 2] } }), &json!({ "data": { "a": [2, 1] } }), false);
        check(json!({ "data": null }), &json!({ "errors": error }), true);
        check(json!({ "data": null, "errors": false }), &json!({ "errors": error }), false);
        check(json!({ "errors": true }), &json!({ "data": null }), false);
        check(json!({ "errors": true }), &json!({ "data": null, "errors": error }), true);
    }
}
