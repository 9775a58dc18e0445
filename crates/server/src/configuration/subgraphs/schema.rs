//! The JSON Schema of the file, for editors.
//!
//! It is written by hand, as the reader is, which tells the place of what is wrong. The test below
//! holds them together.

/// The text of the schema.
pub(crate) const SUBGRAPHS: &str = include_str!("schema.json");

#[cfg(test)]
mod tests {
    use std::path::Path;

    use jsonschema::Validator;
    use serde_json::{Value, json};

    use super::*;
    use crate::configuration::subgraphs::SubgraphsFile;
    use crate::configuration::variants::{toml_of, variants};

    /// A file that says everything once.
    fn whole() -> Value {
        let said = json!({
            "timeout": "5s",
            "connect-timeout": "250ms",
            "retries": 2,
            "http2": "prior-knowledge",
            "connections": 8,
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
        let more = json!({ "compression": true, "breaker": false, "url": "unix:/a.sock:/graphql" });
        json!({ "all": said, "subgraphs": { "reviews": one, "of accounts": more, "": {} } })
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

    const NAMES: [&str; 9] =
        ["other", "url", "all", "subgraphs", "timeout", "forward", "to", "value", "key"];

    fn validator() -> Validator {
        jsonschema::validator_for(&serde_json::from_str(SUBGRAPHS).unwrap()).unwrap()
    }

    fn read(text: &str) -> Result<SubgraphsFile, String> {
        let variable = |name: &str| Ok((!name.is_empty()).then(|| "secret".to_owned()));
        SubgraphsFile::parse(Path::new("s.toml"), text, &variable)
            .map_err(|refused| refused.to_string())
    }

    #[test]
    fn the_schema_takes_what_the_reader_takes_and_nothing_else() {
        let (validator, whole) = (validator(), whole());
        let mut files = vec![whole.clone()];
        variants(&whole, &others(), &NAMES, &|value| value.unwrap_or_default(), &mut files);
        let (mut taken, mut refused) = (0, 0);
        for file in files.iter().filter(|file| file.is_object()) {
            let text = toml_of(file);
            let read = read(&text);
            let errors: Vec<_> =
                validator.iter_errors(file).map(|error| error.to_string()).collect();
            assert_eq!(errors.is_empty(), read.is_ok(), "{read:?}\n{errors:?}\n{text}");
            match read {
                Ok(_) => taken += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(taken > 200 && refused > 1_000, "{taken} are taken, {refused} are refused");
    }

    #[test]
    fn the_schema_takes_variables_and_the_files_of_the_manual() {
        let validator = validator();
        let check = |text: &str| {
            let file: Value = toml::from_str(text).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&file).map(|error| error.to_string()).collect();
            assert_eq!(errors, [""; 0], "{text}");
        };
        check("[all]\ntimeout = '${A}'\nretries = '${A:-1}'\ndeduplicate = '${B}'\n");
        check("[subgraphs.a]\nurl = 'http://${HOST}/graphql'\nmax-answer = '${A}'\n");
        let manual = include_str!("../../../../../docs/gateway.md");
        let files = manual.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let files: Vec<&str> = files.filter(|file| file.contains("[subgraphs.")).collect();
        assert!(!files.is_empty(), "the manual has examples");
        for file in files {
            check(file);
            let variable = |_: &str| Ok(Some("value".to_owned()));
            let read = SubgraphsFile::parse(Path::new("s.toml"), file, &variable);
            assert_eq!(read.map(drop).map_err(|refused| refused.to_string()), Ok(()), "{file}");
        }
    }
}
