//! The JSON Schema of policy files, for editors.
//!
//! It is written by hand, as the reader of these files is, which tells the line of what is wrong:
//! there are no types from which both could be made. The test below holds them together.

/// The text of the schema.
pub(crate) const POLICIES: &str = include_str!("policies.schema.json");

#[cfg(test)]
mod tests {
    use engine::PolicyFile;
    use jsonschema::Validator;
    use serde_json::{Map, Value, json};

    use super::*;

    /// A file that says everything once.
    fn whole() -> Value {
        json!({
            "claim_role": "app.role",
            "default_role": "anonymous",
            "rules": {
                "own": {
                    "entity": "app.post",
                    "read": {
                        "columns": "*",
                        "rows": {
                            "author_id": { "eq": { "claim": "user" }, "ne": 3 },
                            "all": [{ "a": { "lt": 1.5, "le": 2 } }, {}],
                            "any": [{ "b": { "gt": "x", "ge": { "value": 1 } } }],
                            "not": { "c": { "is_null": true } },
                            "some": { "tag": { "name": { "in": ["a", { "value": 1 }] } } },
                            "none": { "->post": {}, "tag(post_id)": {} },
                            "every": { "tag": { "d": { "in": { "claim": "list" } } } }
                        }
                    },
                    "insert": {
                        "columns": ["title"],
                        "presets": { "author_id": { "value": { "claim": "user" } }, "new": true },
                        "check": { "title": { "contains": "x", "starts_with": "y" } }
                    },
                    "update": {
                        "rows": { "title": { "ends_with": "z" } },
                        "columns": ["title", "body"],
                        "presets": { "changed": { "claim": "now" } },
                        "check": {}
                    },
                    "delete": { "rows": {} }
                }
            },
            "roles": {
                "anonymous": { "rules": ["own"], "functions": ["search"] },
                "author": { "inherits": ["anonymous"], "rules": [], "functions": "*", "all": false }
            }
        })
    }

    /// What is put in the place of each part.
    fn others() -> Vec<Value> {
        vec![
            json!("text"),
            json!("*"),
            json!(""),
            json!(1),
            json!(1.5),
            json!(true),
            json!([]),
            json!(["a"]),
            json!([1]),
            json!([{}]),
            json!([["a"]]),
            json!([{ "claim": "a" }]),
            json!([{ "value": 1 }]),
            json!({}),
            json!({ "claim": "a" }),
            json!({ "claim": "" }),
            json!({ "claim": 1 }),
            json!({ "claim": "a", "value": 1 }),
            json!({ "value": "a" }),
            json!({ "value": { "claim": "a" } }),
            json!({ "value": [1] }),
            json!({ "eq": 1 }),
            json!({ "eq": [1] }),
            json!({ "like": "a" }),
            json!({ "entity": "a" }),
            json!({ "a": { "eq": 1 } }),
            json!({ "a": {} }),
        ]
    }

    /// All files that differ from one in one part: gone, called otherwise, or something else.
    fn variants(value: &Value, rebuild: &dyn Fn(Option<Value>) -> Value, all: &mut Vec<Value>) {
        all.extend(others().into_iter().map(|other| rebuild(Some(other))));
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
                    for other in ["other", "all", "some", "eq", "claim", "value", "columns"] {
                        if !members.contains_key(other) {
                            all.push(rebuild(Some(with(Some((other, member.clone()))))));
                        }
                    }
                    variants(
                        member,
                        &|inner| rebuild(Some(with(inner.map(|inner| (name.as_str(), inner))))),
                        all,
                    );
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
                    variants(item, &with, all);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The file's text: strings of JSON are such of TOML.
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

    fn validator() -> Validator {
        jsonschema::validator_for(&serde_json::from_str(POLICIES).unwrap()).unwrap()
    }

    #[test]
    fn the_schema_takes_what_the_reader_takes_and_nothing_else() {
        let (validator, whole) = (validator(), whole());
        let mut files = vec![whole.clone()];
        variants(&whole, &|value| value.unwrap_or_default(), &mut files);
        let (mut taken, mut refused) = (0, 0);
        for file in files.iter().filter(|file| file.is_object()) {
            let text = toml_of(file);
            let read = PolicyFile::parse(&text);
            assert_eq!(validator.is_valid(file), read.is_ok(), "{read:?}\n{text}");
            match read {
                Ok(_) => taken += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(taken > 200 && refused > 1_000, "{taken} are taken, {refused} are refused");
    }

    #[test]
    fn the_schema_takes_the_files_of_the_manual_and_of_the_cases() {
        let validator = validator();
        let check = |text: &str| {
            let file: Value = toml::from_str(text).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&file).map(|error| error.to_string()).collect();
            assert_eq!(errors, [""; 0], "{text}");
        };
        let manual = include_str!("../../../../docs/policies.md");
        let files = manual.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let files: Vec<&str> = files.collect();
        assert!(files.len() > 1, "the manual has examples");
        files.into_iter().for_each(check);
        check(include_str!("../../../../fixtures/databases/blog/authors.toml"));
        check(include_str!("../../../../fixtures/databases/blog/checked.toml"));
    }
}
