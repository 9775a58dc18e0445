//! Aggregates of all nodes of a set, and of the relationships that lead to them.

use ir::AggregateFunction as Function;
use response::Leaf;

use crate::model::PropertyType;
use crate::shared::aggregates::{add_functions, value};
use crate::shared::attribute::{Attribute, Origin, edge_attributes, target_attributes};
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::DraftField;
use crate::shared::link::Link;
use crate::shared::values;
use api::binding::{AggregateField, FieldBinding};

/// Adds the types that all node types share.
pub(super) fn define(build: &mut Builder<'_>) {
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
        add_functions(build, &name, &r#type, "");
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

/// Adds `MovieAggregate`: the aggregates of all nodes of a type.
pub(super) fn owner(build: &mut Builder<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let own = build.name(owner.into());
    let (name, node) = (format!("{own}Aggregate"), format!("{own}AggregateNode"));
    add_count(build, &name, "Count!");
    if of_attributes(build, &node, attributes) {
        let node = DraftField::new("node", &format!("{node}!"), object());
        build.draft.add_field(&name, node);
    }
}

/// `MoviePersonActorsAggregateSelection`: the aggregates of the nodes that a link leads to.
pub(super) fn link(build: &mut Builder<'_>, link: &Link<'_>) {
    if !link.is_aggregated() {
        return;
    }
    let name = link_name(build, link, "");
    add_count(build, &name, "CountConnection!");
    let node = link_name(build, link, "Node");
    let attributes = target_attributes(build, link.target());
    if of_attributes(build, &node, &attributes) {
        build.show(&name, "node", &node, object());
    }
    let Some(properties) = link.relationship.properties else { return };
    let edge = link_name(build, link, "Edge");
    let attributes = edge_attributes(build, properties);
    if of_attributes(build, &edge, &attributes) {
        build.show(&name, "edge", &edge, object());
    }
}

/// The name of the type of aggregates of a link, or of a part of them.
pub(super) fn link_name(build: &Builder<'_>, link: &Link<'_>, part: &str) -> String {
    let (owner, target) = (build.name(link.owner.into()), build.name(link.target()));
    let field = crate::shared::naming::upper_first(link.name());
    format!("{owner}{target}{field}{part}AggregateSelection")
}

fn object() -> FieldBinding {
    FieldBinding::Aggregate(AggregateField::Object)
}

fn add_count(build: &mut Builder<'_>, name: &str, r#type: &str) {
    build.show(name, "count", r#type, object());
}

/// Adds a type with a field for each attribute that is aggregated; `false` if there is none.
fn of_attributes(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) -> bool {
    let mut aggregated = attributes.iter().filter(|attribute| attribute.is_aggregated()).peekable();
    let has_some = aggregated.peek().is_some();
    for attribute in aggregated {
        let r#type = values::type_name(build.model, &attribute.property.r#type);
        // Relationships are never of one node, so neither are their values.
        let once = !matches!(attribute.origin, Origin::Edge(_));
        let binding = match attribute.origin.place() {
            Some(place) => {
                FieldBinding::Aggregate(AggregateField::Of { place: Box::new(place), once })
            }
            None => super::objects::unserved(),
        };
        let r#type = format!("{type}AggregateSelection!");
        build.show(name, attribute.name(), &r#type, binding);
    }
    has_some
}
