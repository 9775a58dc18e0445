//! Whether two answers say the same: their data, and at which paths there are errors.

use std::collections::BTreeSet;

use serde_json::Value;

/// A place at which two answers differ.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) path: String,
    pub(crate) theirs: String,
    pub(crate) ours: String,
}

/// Compares the messages of errors: their other members are of one server only.
const SAID: [&str; 4] = ["message", "hint", "detail", "errcode"];

/// Paths whose errors have different messages.
pub(crate) fn compare_errors(theirs: &Value, ours: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let their_errors = theirs["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let our_errors = ours["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    for error in their_errors.iter().filter(|error| error["path"].is_array()) {
        // That there is none is told by the comparison of paths.
        let same = our_errors.iter().find(|ours| ours["path"] == error["path"]);
        let Some(same) = same else { continue };
        let path = format!("errors.{}", path_text(error));
        for key in SAID {
            walk(&join(&path, key), &error[key], &same[key], &mut found);
        }
        let exceptions = (&error["extensions"]["exception"], &same["extensions"]["exception"]);
        walk(&join(&path, "exception"), exceptions.0, exceptions.1, &mut found);
    }
    found
}

/// Every place at which they differ, as deep as it can be said.
pub(crate) fn compare(theirs: &Value, ours: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let (their_data, our_data) = (&theirs["data"], &ours["data"]);
    if their_data.is_null() != our_data.is_null() {
        // One of them refused the request: the data alone would not say why.
        found.push(mismatch("request", &said(theirs), &said(ours)));
        return found;
    }
    walk("", their_data, our_data, &mut found);
    let (their_paths, our_paths) = (error_paths(theirs), error_paths(ours));
    for path in their_paths.symmetric_difference(&our_paths) {
        let word = |has: bool| if has { "an error" } else { "no error" }.to_owned();
        found.push(Mismatch {
            path: format!("errors.{path}"),
            theirs: word(their_paths.contains(path)),
            ours: word(our_paths.contains(path)),
        });
    }
    found
}

fn walk(path: &str, theirs: &Value, ours: &Value, found: &mut Vec<Mismatch>) {
    match (theirs, ours) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            for (key, value) in a {
                walk(&join(path, key), value, &b[key], found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                walk(&join(path, &index.to_string()), a, b, found);
            }
        }
        _ if theirs == ours => {}
        _ => found.push(mismatch(path, &theirs.to_string(), &ours.to_string())),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn mismatch(path: &str, theirs: &str, ours: &str) -> Mismatch {
    Mismatch { path: path.to_owned(), theirs: theirs.to_owned(), ours: ours.to_owned() }
}

/// The data, or the errors that stand in its place.
fn said(answer: &Value) -> String {
    match &answer["errors"] {
        Value::Array(errors) if answer["data"].is_null() => {
            errors.iter().map(|error| error["message"].to_string()).collect::<Vec<_>>().join(", ")
        }
        _ => answer["data"].to_string(),
    }
}

fn error_paths(answer: &Value) -> BTreeSet<String> {
    let Some(errors) = answer["errors"].as_array() else { return BTreeSet::new() };
    errors.iter().map(path_text).collect()
}

fn path_text(error: &Value) -> String {
    let keys = error["path"].as_array().map(Vec::as_slice).unwrap_or_default();
    let words = keys.iter().map(|key| key.as_str().map_or(key.to_string(), str::to_owned));
    words.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(theirs: &Value, ours: &Value, expected: &[(&str, &str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(a, b, c)| mismatch(a, b, c)).collect();
        assert_eq!(compare(theirs, ours), expected);
    }

    #[test]
    fn differences_are_said_at_their_paths() {
        let theirs = json!({ "data": { "a": [{ "b": 1 }, { "b": 2 }], "c": null } });
        check(&theirs, &theirs, &[]);
        let ours = json!({ "data": { "a": [{ "b": 1 }, { "b": "2" }], "c": {} } });
        check(&theirs, &ours, &[("a.1.b", "2", "\"2\""), ("c", "null", "{}")]);
        let shorter = json!({ "data": { "a": [{ "b": 1 }], "c": null } });
        check(&theirs, &shorter, &[("a", "[{\"b\":1},{\"b\":2}]", "[{\"b\":1}]")]);
    }

    #[test]
    fn a_refusal_is_no_empty_answer() {
        let theirs = json!({ "data": { "a": 1 } });
        let ours = json!({ "errors": [{ "message": "no" }] });
        check(&theirs, &ours, &[("request", "{\"a\":1}", "\"no\"")]);
    }

    #[test]
    fn errors_are_compared_by_their_paths() {
        let theirs = json!({ "data": { "a": null }, "errors": [{ "path": ["a", 0] }] });
        let ours = json!({ "data": { "a": null } });
        check(&theirs, &ours, &[("errors.a.0", "an error", "no error")]);
    }

    #[test]
    fn what_errors_of_one_path_say_is_compared() {
        let error = |message: &str, hint: Value| {
            json!({ "errors": [{ "path": ["a"], "message": message, "hint": hint,
                "extensions": { "exception": { "hint": hint }, "code": message } }] })
        };
        let theirs = error("no", json!("x"));
        assert_eq!(compare_errors(&theirs, &theirs), []);
        let expected = [
            mismatch("errors.a.message", "\"no\"", "\"yes\""),
            mismatch("errors.a.hint", "\"x\"", "null"),
            mismatch("errors.a.exception.hint", "\"x\"", "null"),
        ];
        assert_eq!(compare_errors(&theirs, &error("yes", Value::Null)), expected);
        assert_eq!(compare_errors(&theirs, &json!({ "data": {} })), []);
    }
}
