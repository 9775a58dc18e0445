//! What is made of all nodes of a set, and of the relationships that lead to them.

use ir::{AggregateFunction as Function, Form};
use response::Leaf;

use super::attribute::{Attribute, Spot};
use super::build::{Build, Owner};
use super::link::Link;
use crate::model::{ApiVersion, PropertyType};
use crate::shared::draft::DraftField;
use crate::shared::values::{self, leaf};
use api::binding::{AggregateField, AggregateValue, FieldBinding};

/// Whether anything is made of values of a type.
pub(super) fn has_aggregates(r#type: &PropertyType) -> bool {
    !functions(r#type).is_empty()
}

/// What is made of values of a type: the field, its type, the function, and how it is written.
fn functions(r#type: &PropertyType) -> Vec<(&'static str, &'static str, Function, Leaf)> {
    let own = |name: &'static str, function, field| (field, name, function, own_leaf(r#type));
    let float = own_leaf(&PropertyType::Float);
    let numbers = |name, (average, written)| {
        vec![
            own(name, Function::Maximum, "max"),
            own(name, Function::Minimum, "min"),
            ("average", average, Function::Average, written),
            own(name, Function::Total, "sum"),
        ]
    };
    let moments =
        |name| vec![own(name, Function::Minimum, "min"), own(name, Function::Maximum, "max")];
    match r#type {
        PropertyType::String => vec![
            own("String", Function::ShortestText, "shortest"),
            own("String", Function::LongestText, "longest"),
        ],
        PropertyType::Float => numbers("Float", ("Float", float)),
        PropertyType::Int => numbers("Int", ("Float", float)),
        PropertyType::BigInt => numbers("BigInt", ("BigInt", own_leaf(r#type))),
        PropertyType::DateTime => moments("DateTime"),
        PropertyType::LocalDateTime => moments("LocalDateTime"),
        PropertyType::LocalTime => moments("LocalTime"),
        PropertyType::Time => moments("Time"),
        PropertyType::Duration => moments("Duration"),
        PropertyType::Boolean
        | PropertyType::Id
        | PropertyType::Date
        | PropertyType::Point
        | PropertyType::CartesianPoint
        | PropertyType::Enum(_)
        | PropertyType::Scalar(_) => Vec::new(),
    }
}

fn own_leaf(r#type: &PropertyType) -> Leaf {
    leaf(r#type, ApiVersion::V7)
}

/// Adds the types that all node types share.
pub(super) fn define(build: &mut Build<'_>) {
    let types = [
        PropertyType::String,
        PropertyType::Float,
        PropertyType::Int,
        PropertyType::BigInt,
        PropertyType::DateTime,
        PropertyType::LocalDateTime,
        PropertyType::LocalTime,
        PropertyType::Time,
        PropertyType::Duration,
    ];
    for r#type in types {
        let name = format!("{}AggregateSelection", values::type_name(build.model, &r#type));
        for (field, of, function, leaf) in functions(&r#type) {
            let field = DraftField::new(field, of, value(function, leaf, None));
            build.draft.add_field(&name, field);
        }
    }
    let nodes = DraftField::new("nodes", "Int!", counted(Function::DistinctCount));
    build.draft.add_field("Count", nodes);
    let nodes = DraftField::new("nodes", "Int!", counted(Function::DistinctCount));
    build.draft.add_field("CountConnection", nodes);
    let edges = DraftField::new("edges", "Int!", counted(Function::Count));
    build.draft.add_field("CountConnection", edges);
}

fn counted(function: Function) -> FieldBinding {
    value(function, Leaf::Int, Some(b"0".as_slice().into()))
}

/// A value that is made of what the object around it is about.
fn value(function: Function, leaf: Leaf, absent: Option<Box<[u8]>>) -> FieldBinding {
    let value = AggregateValue { function, field: None, leaf, form: Form::Stored, absent };
    FieldBinding::Aggregate(AggregateField::Value(vec![value].into()))
}

/// `MovieAggregate`: what is made of all nodes of a type.
pub(super) fn owner(build: &mut Build<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let own = build.name(owner.into());
    let (name, node) = (format!("{own}Aggregate"), format!("{own}AggregateNode"));
    add_count(build, &name, "Count!");
    if of_attributes(build, &node, attributes) {
        let node = DraftField::new("node", &format!("{node}!"), object());
        build.draft.add_field(&name, node);
    }
}

/// `MoviePersonActorsAggregateSelection`: what is made of all nodes that a link leads to.
pub(super) fn link(build: &mut Build<'_>, link: &Link<'_>) {
    if !link.is_aggregated() {
        return;
    }
    let name = link_name(build, link, "");
    add_count(build, &name, "CountConnection!");
    let node = link_name(build, link, "Node");
    let attributes = build.target_attributes(link.target());
    if of_attributes(build, &node, &attributes) {
        build.draft.add_field(&name, DraftField::new("node", &node, object()));
    }
    let Some(properties) = link.relationship.properties else { return };
    let edge = link_name(build, link, "Edge");
    let attributes = build.edge_attributes(properties);
    if of_attributes(build, &edge, &attributes) {
        build.draft.add_field(&name, DraftField::new("edge", &edge, object()));
    }
}

/// The name of the type of all that is made, or of a part of it.
pub(super) fn link_name(build: &Build<'_>, link: &Link<'_>, part: &str) -> String {
    let (owner, target) = (build.name(link.owner.into()), build.name(link.target()));
    let field = crate::shared::naming::upper_first(link.name());
    format!("{owner}{target}{field}{part}AggregateSelection")
}

fn object() -> FieldBinding {
    FieldBinding::Aggregate(AggregateField::Object)
}

fn add_count(build: &mut Build<'_>, name: &str, r#type: &str) {
    build.draft.add_field(name, DraftField::new("count", r#type, object()));
}

/// Makes a type with a field for each attribute of which something is made; `false` if there is
/// none.
fn of_attributes(build: &mut Build<'_>, name: &str, attributes: &[Attribute<'_>]) -> bool {
    let mut aggregated = attributes.iter().filter(|attribute| attribute.is_aggregated()).peekable();
    let has_some = aggregated.peek().is_some();
    for attribute in aggregated {
        let r#type = values::type_name(build.model, &attribute.property.r#type);
        // Relationships are never of one node, so neither are their values.
        let once = !matches!(attribute.spot, Spot::Edge(_));
        let binding = match attribute.spot.place() {
            Some(place) => FieldBinding::Aggregate(AggregateField::Of { place, once }),
            None => super::objects::unserved(),
        };
        let r#type = format!("{type}AggregateSelection!");
        build.draft.add_field(name, DraftField::new(attribute.name(), &r#type, binding));
    }
    has_some
}
