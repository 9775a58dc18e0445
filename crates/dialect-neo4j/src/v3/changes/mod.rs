//! What requests say of nodes that are created, changed and deleted.
//!
//! * `values.rs`: of what is stored in them
//! * `nodes.rs`, `interfaces.rs`, `unions.rs`: of what is done along their relationships, by what
//!   these lead to

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
use api::binding::{InputBinding, NestedWriteVerb, Way, WriteRole};

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

/// The input types for what is done along a relationship.
pub(super) fn add_changes<'m>(build: &mut Builder<'m>, link: &Link<'m>) {
    match link.target() {
        Target::Node(node) => add_changes_of_nodes(build, link, node),
        Target::Interface(place) => add_changes_of_interface(build, link, place),
        Target::Union(_) => add_changes_of_union(build, link),
    }
}

/// What is said along a relationship that has no place in the catalog, as none has not.
fn nowhere() -> InputBinding {
    unserved("A change along this relationship")
}

/// The nodes that an input changes together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nodes {
    New,
    Found,
}

/// A nested write along a relationship; without a way it is that of the object around it.
fn nested_write(nodes: Nodes, way: Option<Way>, verb: NestedWriteVerb) -> InputBinding {
    InputBinding::lenient(WriteRole::NestedWrite { way, verb, rank: rank(nodes, verb) })
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

/// An object of what is done from there on.
fn further() -> InputBinding {
    InputBinding::lenient(WriteRole::FurtherWrites)
}

/// What becomes of the node on the other side, or is new in it.
fn along_node() -> InputBinding {
    InputBinding::lenient(WriteRole::NestedNode)
}

/// The same of the relationship.
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
