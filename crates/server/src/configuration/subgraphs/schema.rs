//! The JSON Schema of the file, for editors.
//!
//! The schema of subgraphs over HTTP is written by hand, like their reader, which reports positions. That
//! of sources is derived from the options and their scopes. The test below keeps schema and reader
//! consistent.

use dialects::{DIALECTS, DialectName};
use serde_json::{Map, Value, json};

use super::{connectors, events, source};
use crate::configuration::keys::Keys;
use crate::configuration::schema::value_of;
use crate::options::{SourceKind, Target, refusal_for};

/// The schema without sources.
const SERVERS: &str = include_str!("schema.json");

/// The place of a subgraph in the schema.
const SUBGRAPH: &str = "/properties/subgraphs/additionalProperties";

/// Addresses of databases with a scheme.
const POSTGRES: &str = r"^postgres(ql)?://";
const NEO4J: &str = r"^(neo4j|bolt)(\+s(sc)?)?://";

/// Addresses that are not SQLite files, or have variables.
const NOT_SQLITE: &str = r"^postgres(ql)?://|^(neo4j|bolt)(\+s(sc)?)?://|\$\{";

/// The JSON Schema of a subgraphs file.
pub(crate) fn schema() -> Value {
    let mut schema: Value = serde_json::from_str(SERVERS).unwrap_or_default();
    let keys = &*source::KEYS;
    if let Some(subgraph) = schema.pointer_mut(SUBGRAPH).and_then(Value::as_object_mut) {
        if let Some(properties) = subgraph.get_mut("properties").and_then(Value::as_object_mut) {
            properties.extend(keys.iter().map(|(name, key)| {
                let mut value = value_of(key);
                value["description"] = format!("With `source`: {}", key.help()).into();
                (name.to_owned(), value)
            }));
        }
        subgraph.insert("allOf".into(), conditions(keys));
    }
    schema
}

/// The conditions of keys: beside a source, and by its kind and dialect.
fn conditions(keys: &Keys) -> Value {
    let names: Vec<&str> = keys.iter().map(|(name, _)| name).collect();
    let own = [&["source"][..], &source::COMMON, &names].concat();
    let mut conditions = vec![json!({
        "if": { "required": ["source"] },
        "then": { "propertyNames": { "enum": own } },
        "else": { "propertyNames": { "not": { "enum": names } } },
    })];
    for kind in SourceKind::ALL {
        // The default dialect of a source is the first.
        let all = DIALECTS.iter().map(|(_, dialect, _)| *dialect);
        let is_served =
            |dialect: &DialectName| dialect.is_for_graphs() == (kind == SourceKind::Neo4j);
        let (dialects, others): (Vec<DialectName>, Vec<DialectName>) = all.partition(is_served);
        let others: Vec<&str> = others.into_iter().map(DialectName::name).collect();
        conditions.push(json!({
            "if": { "required": ["source"], "properties": { "source": pattern(kind) } },
            "then": { "properties": { "dialect": { "not": { "enum": others } } } },
        }));
        for (index, dialect) in dialects.iter().enumerate() {
            let target = Target {
                source: kind,
                dialect: *dialect,
                has_policies: false,
                has_rules: false,
                requires_token: false,
            };
            let refused = names.iter().filter(|name| refusal_for(name, target).is_some());
            let refused: Vec<&&str> = refused.collect();
            let is_default = index == 0;
            let required: &[&str] = if is_default { &["source"] } else { &["source", "dialect"] };
            let mut properties = Map::new();
            properties.insert("source".into(), pattern(kind));
            properties.insert("dialect".into(), json!({ "const": dialect.name() }));
            conditions.push(json!({
                "if": { "required": required, "properties": properties },
                "then": { "propertyNames": { "not": { "enum": refused } } },
            }));
        }
    }
    conditions.push(json!({
        "if": { "required": ["sdl"] },
        "then": { "propertyNames": { "enum": events::KEYS } },
    }));
    conditions.push(json!({
        "if": { "required": ["connectors"] },
        "then": { "propertyNames": { "enum": connectors::BESIDE } },
    }));
    conditions.into()
}

/// Addresses of a kind of source.
fn pattern(kind: SourceKind) -> Value {
    match kind {
        SourceKind::Sqlite => json!({ "not": { "pattern": NOT_SQLITE } }),
        SourceKind::Postgres => json!({ "pattern": POSTGRES }),
        SourceKind::Neo4j => json!({ "pattern": NEO4J }),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::configuration::subgraphs::SubgraphsFile;
    use crate::configuration::variants::{check_agreement, check_taken, examples};

    fn text() -> String {
        schema().to_string()
    }

    /// A file with every key of a server, and with options of sources.
    fn whole() -> Value {
        let entry = json!({
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
            "cache": { "ttl": "30s", "user": "sub" },
            "tls": { "ca": "ca.pem", "cert": "own.pem", "key": "own.key" },
            "subscription": {
                "protocol": "graphql-ws",
                "live": true,
                "deduplicate": false,
                "ping": "5s",
                "reconnects": 3,
                "max-operations": 10
            },
            "headers": [
                { "forward": "x-*" },
                { "remove": "x-internal" },
                { "rename": "x-tenant", "to": "tenant" },
                { "insert": "x-user", "claim": "sub" },
                { "insert": "x-from", "value": "gateway" },
                { "insert": "x-key", "env": "KEY" }
            ]
        });
        let mut one = entry.clone();
        one["url"] = json!("https://reviews.example/graphql");
        one["subscription"]["protocol"] = json!("callback");
        one["subscription"]["heartbeat"] = json!("10s");
        one["subscription"]["url"] = json!("wss://reviews.example/subscriptions");
        let more = json!({ "compression": true, "breaker": false, "max-requests": "25%", "url": "unix:/a.sock:/graphql" });
        let source = json!({
            "source": "sqlite:a.db",
            "dialect": "phrag",
            "default-limit": 50,
            "use-aggregation": false,
            "policies": "policies.toml",
            "federation-extend": "a.graphql",
            "timeout": "5s",
            "max-answer": "8MiB",
            "max-requests": "25%"
        });
        let relational = json!({
            "source": "postgres://db/shop",
            "dialect": "postgraphile",
            "schema": ["public"],
            "geometric-types": true,
            "no-ignore-rbac": true,
            "legacy-relations": "omit",
            "simple-collections": "only",
            "tags-file": "tags.json5"
        });
        let graph = json!({
            "source": "neo4j://graph",
            "types": "movies.graphql",
            "neo4j-api": "7",
            "limit-required": true,
            "federation-extend": "a.graphql",
            "timeout": "5s"
        });
        let events = json!({
            "sdl": "events",
            "timeout": "5s",
            "max-answer": "8MiB",
            "max-requests": "25%"
        });
        let nats = json!({
            "url": "tls://nats:4222",
            "user": "a",
            "password": "b",
            "instance": "one",
            "tls": { "ca": "ca.pem" }
        });
        let redis = json!({
            "url": "rediss://redis:6379/1",
            "user": "a",
            "password": "b",
            "tls": { "ca": "ca.pem" }
        });
        let connectors = json!({
            "connectors": {
                "hosts": ["api.example", ".example"],
                "networks": ["10.0.0.0/8", "::1"],
                "max-calls": 50,
                "config": { "key": "secret", "list": [1, 2.5, true, { "name": "text" }] },
                "sources": {
                    "api": {
                        "url": "http://localhost:4001/v1",
                        "config": { "key": "other" },
                        "headers": { "x-extra": "yes" }
                    }
                }
            },
            "timeout": "5s",
            "retries": 2,
            "connections": 8,
            "max-requests": "25%",
            "max-answer": "8MiB",
            "deduplicate": false,
            "tls": { "ca": "ca.pem" }
        });
        json!({
            "all": entry,
            "subgraphs": {
                "reviews": one, "of accounts": more, "": {}, "own": source, "shop": relational,
                "movies": graph, "events": events, "rest": connectors
            },
            "providers": {
                "default": { "nats": nats, "redis": redis },
                "second": { "nats": { "url": "nats://a", "token": "t" } }
            }
        })
    }

    /// Replacements of each part.
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
            json!("nats://a:1"),
            json!("redis://u:p@a"),
            json!("redis://u@:1"),
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

    const NAMES: [&str; 15] = [
        "other",
        "url",
        "source",
        "sdl",
        "token",
        "instance",
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
        check_agreement(&text(), read, &whole(), &others(), &NAMES);
    }

    #[test]
    fn the_schema_takes_variables_and_the_files_of_the_manual() {
        let variables = "[all]\ntimeout = '${A}'\nretries = '${A:-1}'\ndeduplicate = '${B}'\n";
        check_taken(&text(), variables);
        let variables = "[subgraphs.a]\nurl = 'http://${HOST}/graphql'\nmax-answer = '${A}'\n";
        check_taken(&text(), variables);
        let files: Vec<&str> = examples(include_str!("../../../../../docs/gateway.md"))
            .filter(|file| file.contains("[subgraphs."))
            .collect();
        assert!(!files.is_empty(), "the manual has examples");
        for file in files {
            check_taken(&text(), file);
            assert_eq!(read(file), Ok(()), "{file}");
        }
    }
}
