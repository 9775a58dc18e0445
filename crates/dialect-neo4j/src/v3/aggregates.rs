//! Aggregates of many rows.

use ir::AggregateFunction;
use response::Leaf;

use super::classes::{OF_AGGREGATES, stored};
use crate::model::{PropertyType, Target};
use crate::shared::aggregates::{add_functions, value};
use crate::shared::attribute::{Attribute, attributes, edge_attributes};
use crate::shared::builder::{Builder, Owner};
use crate::shared::link::Link;
use crate::shared::naming::upper_first;
use crate::shared::values::type_name;
use api::binding::{AggregateField, FieldBinding};

/// Rows that are aggregated: the nodes on the other side, or the relationships.
#[derive(Clone, Debug)]
pub(super) struct Part<'m> {
    /// Name of its field.
    pub(super) field: &'static str,
    /// Word of it in the names of types.
    pub(super) word: &'static str,
    pub(super) attributes: Vec<Attribute<'m>>,
}

/// The rows that a relationship aggregates.
pub(super) fn parts<'m>(build: &Builder<'m>, link: &Link<'m>) -> Vec<Part<'m>> {
    let node = match link.target() {
        Target::Node(place) => Some(attributes(build, Owner::Node(place))),
        Target::Interface(_) | Target::Union(_) => None,
    };
    let node = node.map(|attributes| Part { field: "node", word: "Node", attributes });
    let edge = link.relationship.properties.map(|place| edge_attributes(build, place));
    let edge = edge.map(|attributes| Part { field: "edge", word: "Edge", attributes });
    node.into_iter().chain(edge).collect()
}

/// Adds the type of aggregates of all nodes of a type.
pub(super) fn add_node_aggregates(build: &mut Builder<'_>, node: &str, own: &[Attribute<'_>]) {
    let name = format!("{node}AggregateSelection");
    add_count(build, &name);
    add_values(build, &name, own);
}

/// Adds the type of aggregates of the nodes that a relationship leads to, and of its properties.
pub(super) fn add_related_aggregates<'m>(build: &mut Builder<'m>, link: &Link<'m>) -> String {
    let (source, target) = (link.source, build.name(link.target()));
    let base = format!("{source}{target}{}", upper_first(link.name()));
    let name = format!("{base}AggregationSelection");
    add_count(build, &name);
    for Part { field, word, attributes } in parts(build, link) {
        let of = format!("{base}{word}AggregateSelection");
        if add_values(build, &of, &attributes) {
            build.show(&name, field, &of, FieldBinding::Aggregate(AggregateField::Object));
        }
    }
    name
}

fn add_count(build: &mut Builder<'_>, name: &str) {
    build.show(name, "count", "Int!", value(AggregateFunction::Count, Leaf::Int, None));
}

/// Adds the properties to a type of aggregates; whether there is any.
fn add_values(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) -> bool {
    let mut all = stored(attributes, &OF_AGGREGATES);
    all.retain(|one| {
        let r#type = &one.property.r#type;
        let is_aggregated = r#type.is_aggregated() || *r#type == PropertyType::Id;
        is_aggregated && one.field.offers.on_aggregate && !one.property.is_list
    });
    for one in &all {
        let Some(place) = one.origin.place() else { continue };
        let (suffix, mark) =
            if one.property.is_required { ("NonNullable", "!") } else { ("Nullable", "") };
        let r#type = type_name(build.model, &one.property.r#type);
        let r#type = format!("{type}AggregateSelection{suffix}");
        if !build.draft.has(&r#type) {
            add_functions(build, &r#type, &one.property.r#type, mark);
        }
        let place = Box::new(place);
        let binding = FieldBinding::Aggregate(AggregateField::Of { place, once: false });
        build.show(name, one.name(), &format!("{type}!"), binding);
    }
    !all.is_empty()
}
