//! Type definitions in, models and problems out.

mod auth;
mod large;
mod refused;
mod rules;
mod searches;
mod served;
mod statements;
mod statements_three;
mod three;
mod unserved;

use super::*;
use crate::neo4j::model::{FieldKind, ModelField, NodeType, Property, RelationshipField};

fn model(form: ApiForm, text: &str) -> Model {
    read(text, form).unwrap_or_else(|problems| panic!("{}", told(&problems).join("\n")))
}

fn seven(text: &str) -> Model {
    model(ApiForm::Seven, text)
}

fn told(problems: &[DefinitionProblem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

/// Reads definitions of form 7 that are wrong.
#[track_caller]
fn refuse(text: &str, expected: &[&str]) {
    refuse_in(ApiForm::Seven, text, expected);
}

#[track_caller]
fn refuse_in(form: ApiForm, text: &str, expected: &[&str]) {
    match read(text, form) {
        Ok(_) => panic!("it is taken: {text}"),
        Err(problems) => assert_eq!(told(&problems), expected, "{text}"),
    }
}

/// The only type of nodes, with this as a field beside its name, in form 7.
fn field(definition: &str) -> ModelField {
    let model = seven(&format!("type A @node {{ name: String {definition} }} enum E {{ X Y }}"));
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
