//! Whole graphs and their definitions.

mod movies;
mod named;
mod ugly;

use catalog::{
    Degree, End, GraphConstraint, GraphConstraintKind, GraphIndex, GraphIndexKind, GraphPart,
    GraphProperty, GraphSummary, GraphType, GraphValue, NodeGroup, RelationshipGroup, Triple,
};
use expect_test::Expect;

use super::{Indexes, definitions};
use crate::model::ApiVersion;

/// The definitions and, below them, the notes.
fn check(summary: &GraphSummary, version: ApiVersion, expected: &Expect) {
    check_with(summary, version, Indexes::Directives, expected);
}

fn check_with(summary: &GraphSummary, version: ApiVersion, indexes: Indexes, expected: &Expect) {
    let found = definitions(summary, version, indexes);
    let notes = found.notes.iter().map(|note| ["-- ", &note.to_string(), "\n"].concat());
    let text: String = [found.text].into_iter().chain(notes).collect();
    expected.assert_eq(&text);
}

fn labels(text: &str) -> Vec<Box<str>> {
    text.split(':').filter(|label| !label.is_empty()).map(Into::into).collect()
}

fn nodes(text: &str, count: u64, properties: Vec<GraphProperty>) -> NodeGroup {
    NodeGroup { labels: labels(text), count, properties }
}

fn relationships(r#type: &str, properties: Vec<GraphProperty>) -> RelationshipGroup {
    RelationshipGroup { r#type: r#type.into(), properties }
}

fn triple(from: &str, r#type: &str, to: &str) -> Triple {
    Triple { from: labels(from), r#type: r#type.into(), to: labels(to) }
}

fn degree(text: &str, r#type: &str, end: End, nodes: u64, most: u64) -> Degree {
    Degree { labels: labels(text), r#type: r#type.into(), end, nodes, most }
}

fn constraint(
    name: &str,
    label: &str,
    properties: &[&str],
    kind: GraphConstraintKind,
) -> GraphConstraint {
    let of = GraphPart::Nodes(vec![label.into()]);
    let properties = properties.iter().map(|&property| property.into()).collect();
    GraphConstraint { name: name.into(), of, properties, kind }
}

fn index(name: &str, names: &str, properties: &[&str], kind: GraphIndexKind) -> GraphIndex {
    let of = GraphPart::Nodes(labels(names));
    let properties = properties.iter().map(|&property| property.into()).collect();
    GraphIndex { name: name.into(), of, properties, kind }
}

/// All of the group have it.
fn always(name: &str, value: GraphValue) -> GraphProperty {
    GraphProperty { name: name.into(), types: vec![GraphType::scalar(value)], always: true }
}

fn sometimes(name: &str, value: GraphValue) -> GraphProperty {
    GraphProperty { always: false, ..always(name, value) }
}

fn list(name: &str, value: GraphValue) -> GraphProperty {
    GraphProperty { types: vec![GraphType::list(value)], ..always(name, GraphValue::Text) }
}

fn mixed(name: &str, types: Vec<GraphType>) -> GraphProperty {
    GraphProperty { types, ..sometimes(name, GraphValue::Text) }
}
