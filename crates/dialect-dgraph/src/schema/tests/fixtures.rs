//! Comparison with the schemas that Dgraph generates for the type definitions of its own tests.
//!
//! They are those of a copy of its repository: see `testkit::dgraph`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use graphql::definitions::{
    Composite, Definitions, FieldDefinition, InputDefinition, TypeBody, TypeDefinition,
};
use graphql::{parse_definitions, print_schema, validate_schema};

use super::super::api;
use crate::located::Located;

/// Definitions that the API has by the option of a subgraph only, which adds them.
const OF_FEDERATION: [&str; 4] = ["_Entity", "_Any", "_FieldSet", "_Service"];
const FIELDS_OF_FEDERATION: [&str; 2] = ["_entities", "_service"];

/// Definitions that are refused: their functions in JavaScript have no server here.
const REFUSED: [&str; 1] = ["lambda-directive.graphql"];

/// A directive that is refused for the same reason, and that changes no type.
const OF_FUNCTIONS: &str = "@lambdaOnMutate(add: true)";

/// Types by name, each as one text.
type Types = BTreeMap<String, String>;

#[test]
fn schemas_have_the_types_of_dgraph() {
    let Some(folder) = testkit::dgraph::folder() else { return };
    let folder = folder.join("schema/testdata/schemagen");
    let mut compared = 0;
    let mut failed = String::new();
    for name in names(&folder.join("input")) {
        let input = fs::read_to_string(folder.join("input").join(&name)).unwrap();
        let input = input.replace(OF_FUNCTIONS, "");
        let output = fs::read_to_string(folder.join("output").join(&name)).unwrap();
        let model = match crate::definitions::read(&input) {
            Ok(model) => model,
            Err(_) if REFUSED.contains(&&*name) => continue,
            Err(problems) => {
                writeln!(failed, "{name}: the definitions are refused: {problems:?}").unwrap();
                continue;
            }
        };
        let api = api(&model, &Located::default(), false);
        if let Err(violations) = validate_schema(&api.schema) {
            writeln!(failed, "{name}: {violations:?}").unwrap();
        }
        let own = print_schema(&api.schema);
        let differences = differences(&types(&own), &types(&output));
        if !differences.is_empty() {
            writeln!(failed, "{name}:\n{differences}").unwrap();
        } else if order(&own) != order(&output) {
            writeln!(failed, "{name}: the order of types differs").unwrap();
        }
        compared += 1;
    }
    println!("{compared} schemas compared");
    assert!(failed.is_empty(), "{failed}");
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The names of the types.
fn order(text: &str) -> Vec<String> {
    let Definitions { types, .. } = parse_definitions(text).unwrap();
    let names = types.iter().map(|known| known.name.to_string());
    names.filter(|name| !OF_FEDERATION.contains(&&**name)).collect()
}

fn types(text: &str) -> Types {
    let Definitions { types, .. } = parse_definitions(text).unwrap();
    let types = types.into_iter().filter(|known| !OF_FEDERATION.contains(&&*known.name));
    types.map(|known| (known.name.to_string(), print(&known))).collect()
}

/// The types that one of both lacks, or that differ.
fn differences(own: &Types, expected: &Types) -> String {
    let mut text = String::new();
    for name in own.keys().chain(expected.keys()).collect::<BTreeSet<_>>() {
        let (own, expected) = (own.get(name), expected.get(name));
        if own != expected {
            let shown = |found: Option<&String>| found.cloned().unwrap_or_else(|| "none".into());
            writeln!(text, "own {}\nexpected {}", shown(own), shown(expected)).unwrap();
        }
    }
    text
}

/// A type without the directives of definitions.
fn print(definition: &TypeDefinition) -> String {
    let mut text = String::new();
    let mut member = |line: String, description: &Option<std::sync::Arc<str>>| {
        let description = description.as_deref().unwrap_or_default();
        writeln!(text, "  {line} {description:?}").unwrap();
    };
    let kind = match &definition.body {
        TypeBody::Scalar => "scalar".into(),
        TypeBody::Object(composite) | TypeBody::Interface(composite) => {
            let Composite { interfaces, fields } = composite;
            for field in fields.iter().filter(|field| !FIELDS_OF_FEDERATION.contains(&&*field.name))
            {
                member(print_field(field), &field.description);
            }
            let names: Vec<&str> = interfaces.iter().map(|named| &*named.name).collect();
            let kind = match definition.body {
                TypeBody::Interface(_) => "interface",
                _ => "type",
            };
            format!("{kind} {}", names.join(" & "))
        }
        TypeBody::Union(members) => {
            let names: Vec<&str> = members.iter().map(|named| &*named.name).collect();
            format!("union {}", names.join(" | "))
        }
        TypeBody::Enum(values) => {
            for value in values {
                member(value.name.to_string(), &value.description);
            }
            "enum".into()
        }
        TypeBody::InputObject(members) => {
            for input in members {
                member(print_input(input), &input.description);
            }
            "input".into()
        }
    };
    let description = definition.description.as_deref().unwrap_or_default();
    format!("{} {kind} {description:?}\n{text}", definition.name)
}

fn print_field(field: &FieldDefinition) -> String {
    let arguments: Vec<String> = field.arguments.iter().map(print_input).collect();
    let is_deprecated = field.directives.iter().any(|directive| &*directive.name == "deprecated");
    let deprecated = if is_deprecated { " deprecated" } else { "" };
    format!("{}({}): {}{deprecated}", field.name, arguments.join(", "), field.r#type)
}

fn print_input(input: &InputDefinition) -> String {
    format!("{}: {}", input.name, input.r#type)
}
