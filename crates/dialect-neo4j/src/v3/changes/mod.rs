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
use api::binding::{InputBinding, WriteRole};

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

/// An object of what is done from there on.
fn further() -> InputBinding {
    InputBinding::lenient(WriteRole::Further)
}

/// What becomes of the node on the other side, or is new in it.
fn along_node() -> InputBinding {
    InputBinding::lenient(WriteRole::AlongNode)
}

/// The same of the relationship.
fn along_edge() -> InputBinding {
    InputBinding::lenient(WriteRole::AlongEdge)
}
