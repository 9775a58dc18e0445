//! Type definitions in, models and problems out.

mod auth;
mod large;
mod refused;
mod rules;
mod searches;
mod served;
mod statements;
mod statements_v3;
mod subscriptions;
mod unserved;
mod v3;

use super::*;
use crate::model::{FieldKind, ModelField, NodeType, Property, RelationshipField};

fn model(version: ApiVersion, text: &str) -> Model {
    read(text, version).unwrap_or_else(|problems| panic!("{}", told(&problems).join("\n")))
}

fn v7(text: &str) -> Model {
    model(ApiVersion::V7, text)
}

fn told(problems: &[DefinitionProblem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

/// Reads definitions of version 7 that are wrong.
#[track_caller]
fn refuse(text: &str, expected: &[&str]) {
    refuse_in(ApiVersion::V7, text, expected);
}

#[track_caller]
fn refuse_in(version: ApiVersion, text: &str, expected: &[&str]) {
    match read(text, version) {
        Ok(_) => panic!("it is taken: {text}"),
        Err(problems) => assert_eq!(told(&problems), expected, "{text}"),
    }
}

/// The only type of nodes, with this as a field beside its name, in version 7.
fn field(definition: &str) -> ModelField {
    let model = v7(&format!("type A @node {{ name: String {definition} }} enum E {{ X Y }}"));
    model.nodes[0].fields[1].clone()
}

fn property(field: &ModelField) -> &Property {
    match &field.kind {
        FieldKind::Property(property) => property,
        FieldKind::Relationship(way) => panic!("{way:?}"),
        FieldKind::Statement(statement) => panic!("{statement:?}"),
        FieldKind::Part(given) => panic!("{given:?}"),
    }
}

fn way(field: &ModelField) -> &RelationshipField {
    match &field.kind {
        FieldKind::Relationship(way) => way,
        FieldKind::Property(property) => panic!("{property:?}"),
        FieldKind::Statement(statement) => panic!("{statement:?}"),
        FieldKind::Part(given) => panic!("{given:?}"),
    }
}

fn names<'m>(fields: impl IntoIterator<Item = &'m ModelField>) -> Vec<&'m str> {
    fields.into_iter().map(|field| &*field.name).collect()
}

fn labels(node: &NodeType) -> Vec<&str> {
    node.labels.iter().map(|label| &**label).collect()
}
