//! The JSON Schema of the file, for editors.
//!
//! It is written by hand, as the reader is, which tells the place of what is wrong. The test below
//! holds them together.

/// The text of the schema.
pub(crate) const SUBGRAPHS: &str = include_str!("schema.json");

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;
    use crate::configuration::subgraphs::SubgraphsFile;
    use crate::configuration::variants::{check_agreement, check_taken, examples};

    /// A file that says everything once.
    fn whole() -> Value {
        let said = json!({
            "timeout": "5s",
            "connect-timeout": "250ms",
            "retries": 2,
            "http2": "prior-knowledge",
            "connections": 8,
            "max-requests": 100,
            "idle": "1m 30s",
            "max-answer": "8MiB",
            "compression": { "requests": "gzip", "min-size": 512 },
            "breaker": { "errors": "25%", "of": 10, "window": "30s", "pause": "1s" },
            "deduplicate": true,
            "tls": { "ca": "ca.pem", "cert": "own.pem", "key": "own.key" },
            "headers": [
                { "forward": "x-*" },
                { "remove": "x-internal" },
                { "rename": "x-tenant", "to": "tenant" },
                { "insert": "x-user", "claim": "sub" },
                { "insert": "x-from", "value": "gateway" },
                { "insert": "x-key", "env": "KEY" }
            ]
        });
        let mut one = said.clone();
        one["url"] = json!("https://reviews.example/graphql");
        let more = json!({ "compression": true, "breaker": false, "max-requests": "25%", "url": "unix:/a.sock:/graphql" });
        let source = json!({
            "source": "sqlite:a.db",
            "dialect": "phrag",
            "schema": ["public"],
            "policies": "policies.toml",
            "federation-extend": "a.graphql",
            "timeout": "5s",
            "max-answer": "8MiB",
            "max-requests": "25%"
        });
        let graph = json!({
            "source": "neo4j://graph",
            "types": "movies.graphql",
            "federation-extend": "a.graphql",
            "timeout": "5s"
        });
        json!({
            "all": said,
            "subgraphs": {
                "reviews": one, "of accounts": more, "": {}, "own": source, "movies": graph
            }
        })
    }

    /// What is put in the place of each part.
    fn others() -> Vec<Value> {
        vec![
            json!("text of words"),
            json!("*"),
            json!("10s"),
            json!("50%"),
            json!(""),
            json!("never"),
            json!("gzip"),
            json!("http://a/b"),
            json!(0),
            json!(1),
            json!(-1),
            json!(1.5),
            json!(100_000_000),
            json!(true),
            json!([]),
            json!(["a"]),
            json!([{}]),
            json!([{ "forward": "a" }]),
            json!([{ "forward": "a", "remove": "b" }]),
            json!([{ "forward": "a", "to": "b" }]),
            json!([{ "insert": "a" }]),
            json!([{ "insert": "a", "value": "b", "claim": "c" }]),
            json!([{ "insert": "a", "value": "b", "to": "c" }]),
            json!([{ "rename": "a" }]),
            json!([{ "rename": "a", "to": "b", "env": "KEY" }]),
            json!({}),
            json!({ "requests": "gzip" }),
            json!({ "cert": "a" }),
            json!({ "other": 1 }),
        ]
    }

    const NAMES: [&str; 12] = [
        "other",
        "url",
        "source",
        "dialect",
        "types",
        "all",
        "subgraphs",
        "timeout",
        "forward",
        "to",
        "value",
        "key",
    ];

    fn read(text: &str) -> Result<(), String> {
        let variable = |name: &str| Ok((!name.is_empty()).then(|| "secret".to_owned()));
        match SubgraphsFile::parse(Path::new("s.toml"), text, &variable) {
            Ok(_) => Ok(()),
            Err(refused) => Err(refused.to_string()),
        }
    }

    #[test]
    fn the_schema_takes_what_the_reader_takes_and_nothing_else() {
        check_agreement(SUBGRAPHS, read, &whole(), &others(), &NAMES);
    }

    #[test]
    fn the_schema_takes_variables_and_the_files_of_the_manual() {
        let variables = "[all]\ntimeout = '${A}'\nretries = '${A:-1}'\ndeduplicate = '${B}'\n";
        check_taken(SUBGRAPHS, variables);
        let variables = "[subgraphs.a]\nurl = 'http://${HOST}/graphql'\nmax-answer = '${A}'\n";
        check_taken(SUBGRAPHS, variables);
        let files: Vec<&str> = examples(include_str!("../../../../../docs/gateway.md"))
            .filter(|file| file.contains("[subgraphs."))
            .collect();
        assert!(!files.is_empty(), "the manual has examples");
        for file in files {
            check_taken(SUBGRAPHS, file);
            assert_eq!(read(file), Ok(()), "{file}");
        }
    }
}
