//! Inputs of mutations.
//!
//! * `values.rs`: stored values
//! * `nodes.rs`, `interfaces.rs`, `unions.rs`: nested writes, by the target of the relationship

mod interfaces;
mod nodes;
mod unions;
mod values;

use interfaces::add_changes_of_interface;
pub(super) use interfaces::{begin_interface, end_interface};
use nodes::add_changes_of_nodes;
use unions::add_changes_of_union;
pub(super) use values::{add_edge_values, add_node_values};

use super::classes::{USUAL, stored};
use super::roles::unserved;
use crate::model::Target;
use crate::shared::attribute::edge_attributes;
use crate::shared::builder::Builder;
use crate::shared::link::Link;
use crate::shared::nested::Step;
use api::binding::{InputBinding, NestedRelationship, NestedWriteVerb, WriteRole};

/// Input for the properties of a relationship that is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EdgeInput {
    /// Whether it has a property that is not generated.
    is_there: bool,
    /// Whether one of those is required.
    is_required: bool,
    /// Whether any property at all is required.
    has_required: bool,
}

/// Adds the inputs of nested writes along a relationship.
pub(super) fn add_changes<'m>(build: &mut Builder<'m>, link: &Link<'m>) {
    match link.target() {
        Target::Node(node) => add_changes_of_nodes(build, link, node),
        Target::Interface(place) => add_changes_of_interface(build, link, place),
        Target::Union(_) => add_changes_of_union(build, link),
    }
}

/// Nested write `connect`, which connects nodes once.
const CONNECT: Step = Step { verb: NestedWriteVerb::ConnectOnce, ..Step::CONNECT };

/// Binding of an input whose relationship has no id in the catalog; every relationship has one.
fn nowhere() -> InputBinding {
    unserved("A change along this relationship")
}

/// The nodes that an input changes together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nodes {
    New,
    Found,
}

/// A nested write along a relationship; without one it takes that of the object around it.
fn nested_write(
    nodes: Nodes,
    relationship: Option<NestedRelationship>,
    verb: NestedWriteVerb,
) -> InputBinding {
    InputBinding::lenient(WriteRole::NestedWrite { relationship, verb, rank: rank(nodes, verb) })
}

/// The order of nested writes in version 3: nodes are created last, but first along relationships
/// of new nodes.
fn rank(nodes: Nodes, verb: NestedWriteVerb) -> i8 {
    match verb {
        NestedWriteVerb::Delete => -2,
        NestedWriteVerb::Disconnect => -1,
        NestedWriteVerb::Update => 0,
        NestedWriteVerb::Create if nodes == Nodes::New => 1,
        NestedWriteVerb::Connect | NestedWriteVerb::ConnectOnce => 2,
        NestedWriteVerb::ConnectOrCreate => 3,
        NestedWriteVerb::Create => 4,
    }
}

/// The inputs of nested writes from the nodes on the other side.
fn further() -> InputBinding {
    InputBinding::lenient(WriteRole::FurtherWrites)
}

/// The input of the node on the other side.
fn along_node() -> InputBinding {
    InputBinding::lenient(WriteRole::NestedNode)
}

/// The input of the properties of the relationship.
fn along_edge() -> InputBinding {
    InputBinding::lenient(WriteRole::NestedEdge)
}

fn edge_input(build: &Builder<'_>, link: &Link<'_>) -> EdgeInput {
    let Some(place) = link.relationship.properties else { return EdgeInput::default() };
    let all = stored(&edge_attributes(build, place), &USUAL);
    let mut given = all.iter().filter(|stored| !stored.property.is_made_on_create());
    EdgeInput {
        is_there: given.clone().next().is_some(),
        is_required: given.any(|stored| stored.property.is_required),
        has_required: all.iter().any(|stored| stored.property.is_required),
    }
}

/// The type of the input for the properties of a relationship that is created.
fn edge_create(build: &Builder<'_>, link: &Link<'_>, is_required: bool) -> Option<String> {
    let mark = if is_required { "!" } else { "" };
    edge_input(build, link).is_there.then(|| format!("{}CreateInput{mark}", link.edge))
}

/// Adds nested writes to an input type; `own` forms the names of their inputs.
fn put_steps(
    build: &mut Builder<'_>,
    link: &Link<'_>,
    (parent, nodes): (&str, Nodes),
    steps: &[Step],
    own: impl Fn(&str) -> String,
) {
    for step in steps {
        let listed = link.one_or_list(&own(&format!("{}FieldInput", step.name)));
        build.put(parent, step.field, &listed, nested_write(nodes, None, step.verb));
    }
}
