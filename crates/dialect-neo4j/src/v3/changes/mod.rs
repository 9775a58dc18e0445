//! What requests say of nodes that are created, changed and deleted.
//!
//! * `values.rs`: of what is stored in them
//! * `nodes.rs`, `interfaces.rs`, `unions.rs`: of what is done along their relationships, by what
//!   these lead to

mod interfaces;
mod nodes;
mod unions;
mod values;

use super::build::Build;
use super::relations::Relation;
use super::roles::unserved;
use crate::model::Target;
use api::binding::{InputBinding, NestedWriteVerb, Way, WriteRole};

impl<'m> Build<'m> {
    /// The input types for what is done along a relationship.
    pub(super) fn add_changes(&mut self, relation: &Relation<'m>) {
        match relation.relationship.target {
            Target::Node(node) => self.add_changes_of_nodes(relation, node),
            Target::Interface(place) => self.add_changes_of_interface(relation, place),
            Target::Union(_) => self.add_changes_of_union(relation),
        }
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
