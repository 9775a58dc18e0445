//! The JSON Schema of policy files, for editors.
//!
//! It is written by hand, like the reader of these files, which reports positions: there are no types
//! to derive both from. The test below keeps them consistent.

/// The text of the schema.
pub(crate) const POLICIES: &str = include_str!("policies.schema.json");

#[cfg(test)]
mod tests {
    use engine::PolicyFile;
    use serde_json::{Value, json};

    use super::*;
    use crate::configuration::variants::{check_agreement, check_taken, examples};

    /// A file with every key.
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

    /// Replacements of each part.
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

    #[test]
    fn the_schema_takes_what_the_reader_takes_and_nothing_else() {
        let read = |text: &str| match PolicyFile::parse(text) {
            Ok(_) => Ok(()),
            Err(refused) => Err(refused.to_string()),
        };
        check_agreement(POLICIES, read, &whole(), &others(), &NAMES);
    }

    #[test]
    fn the_schema_takes_the_files_of_the_manual_and_of_the_cases() {
        let files: Vec<&str> = examples(include_str!("../../../../docs/policies.md")).collect();
        assert!(files.len() > 1, "the manual has examples");
        files.into_iter().for_each(|file| check_taken(POLICIES, file));
        check_taken(POLICIES, include_str!("../../../../fixtures/databases/blog/authors.toml"));
        check_taken(POLICIES, include_str!("../../../../fixtures/databases/blog/checked.toml"));
    }
}
