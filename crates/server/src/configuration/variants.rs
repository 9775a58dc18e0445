//! Files that differ from a right one in one part, to try readers and schemas on.

use serde_json::{Map, Value, json};

/// All files in which one part is gone, called otherwise, or something else.
pub(super) fn variants(
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

/// The file's text: strings of JSON are such of TOML.
pub(super) fn toml_of(file: &Value) -> String {
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
