//! Connectors of schemas, and findings about them.

use super::{FieldCoordinate, Reading, read};
use crate::code::Code;

mod schema;

mod directives;
mod entities;
mod selections;
mod variables;

/// Reads a schema, whose link and source are added.
fn read_schema(version: &str, schema: &str) -> Reading {
    let source = r#"@source(name: "api", http: { baseURL: "https://example.com/v1" })"#;
    read(&schema::definitions(version, &format!("extend schema {source}\n{schema}")))
}

/// Checks that a schema has no findings, and returns its fields by connector.
#[track_caller]
fn valid_in(version: &str, schema: &str) -> Vec<String> {
    let reading = read_schema(version, schema);
    assert_eq!(reading.findings, [], "there are findings");
    let text = |fields: &Vec<FieldCoordinate>| {
        let fields = fields.iter().map(|field| format!("{}.{}", field.type_name, field.field));
        fields.collect::<Vec<_>>().join(" ")
    };
    let resolved = reading.resolved.iter().map(text);
    let connectors = reading.connectors.iter();
    connectors
        .zip(resolved)
        .map(|(connector, fields)| format!("{}: {fields}", connector.coordinate))
        .collect()
}

#[track_caller]
fn valid(schema: &str) -> Vec<String> {
    valid_in("v0.3", schema)
}

/// Checks that a schema has one finding, whose message contains a text.
#[track_caller]
fn invalid_in(version: &str, schema: &str, code: Code, message: &str) {
    let reading = read_schema(version, schema);
    let found: Vec<_> =
        reading.findings.iter().map(|finding| (finding.code, finding.message.as_str())).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, code, "{found:?}");
    assert!(found[0].1.contains(message), "{found:?}");
}

#[track_caller]
fn invalid(schema: &str, code: Code, message: &str) {
    invalid_in("v0.3", schema, code, message);
}
