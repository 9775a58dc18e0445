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
    use serde_json::{Value, json};

    use super::*;
    use crate::configuration::variants::{toml_of, variants};

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

    const NAMES: [&str; 7] = ["other", "all", "some", "eq", "claim", "value", "columns"];

    fn validator() -> Validator {
        jsonschema::validator_for(&serde_json::from_str(POLICIES).unwrap()).unwrap()
    }

    #[test]
    fn the_schema_takes_what_the_reader_takes_and_nothing_else() {
        let (validator, whole) = (validator(), whole());
        let mut files = vec![whole.clone()];
        variants(&whole, &others(), &NAMES, &|value| value.unwrap_or_default(), &mut files);
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
