//! Variants of a valid file, to compare a reader with its schema.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// Checks that a schema and a reader agree on a file with every key, and on all variants of it that
/// differ in one part.
#[track_caller]
pub(super) fn check_agreement(
    schema: &str,
    read: impl Fn(&str) -> Result<(), String>,
    whole: &Value,
    others: &[Value],
    names: &[&str],
) {
    let validator = validator(schema);
    let mut files = vec![whole.clone()];
    variants(whole, others, names, &|value| value.unwrap_or_default(), &mut files);
    let (mut taken, mut refused) = (0, 0);
    for file in files.iter().filter(|file| file.is_object()) {
        let text = toml_of(file);
        let read = read(&text);
        let errors = errors(&validator, file);
        assert_eq!(errors.is_empty(), read.is_ok(), "{read:?}\n{errors:?}\n{text}");
        match read {
            Ok(()) => taken += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(taken > 200 && refused > 1_000, "{taken} are taken, {refused} are refused");
}

/// Checks that a schema accepts a file.
#[track_caller]
pub(super) fn check_taken(schema: &str, text: &str) {
    let file: Value = toml::from_str(text).unwrap();
    assert_eq!(errors(&validator(schema), &file), [""; 0], "{text}");
}

/// The TOML examples of a page of the manual.
pub(super) fn examples(page: &str) -> impl Iterator<Item = &str> {
    page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next())
}

fn validator(schema: &str) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
}

fn errors(validator: &Validator, file: &Value) -> Vec<String> {
    validator.iter_errors(file).map(|error| error.to_string()).collect()
}

/// All variants of a file in which one part is removed, renamed or replaced.
fn variants(
    value: &Value,
    others: &[Value],
    names: &[&str],
    rebuild: &dyn Fn(Option<Value>) -> Value,
    all: &mut Vec<Value>,
) {
    all.extend(others.iter().map(|other| rebuild(Some(other.clone()))));
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let with = |change: Option<(&str, Value)>| {
                    let mut changed: Map<String, Value> = members.clone();
                    changed.remove(name);
                    changed.extend(change.map(|(name, value)| (name.to_owned(), value)));
                    Value::Object(changed)
                };
                all.push(rebuild(Some(with(None))));
                for other in names {
                    if !members.contains_key(*other) {
                        all.push(rebuild(Some(with(Some((other, member.clone()))))));
                    }
                }
                let inner = |inner: Option<Value>| {
                    rebuild(Some(with(inner.map(|inner| (name.as_str(), inner)))))
                };
                variants(member, others, names, &inner, all);
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                let with = |inner: Option<Value>| {
                    let mut changed = items.clone();
                    match inner {
                        Some(inner) => changed[place] = inner,
                        None => drop(changed.remove(place)),
                    }
                    rebuild(Some(Value::Array(changed)))
                };
                variants(item, others, names, &with, all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The TOML text of a file: JSON strings are valid in TOML.
fn toml_of(file: &Value) -> String {
    let members = file.as_object().unwrap().iter();
    members.map(|(name, value)| format!("{} = {}\n", json!(name), inline(value))).collect()
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter();
            let members: Vec<String> = members
                .map(|(name, value)| format!("{} = {}", json!(name), inline(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        plain => plain.to_string(),
    }
}
