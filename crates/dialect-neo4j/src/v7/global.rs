//! `@relayId`: ids that tell a node from all others, whatever their types, and the field that finds
//! nodes by them.

use super::attribute::{Attribute, Spot};
use super::build::{Build, Owner};
use super::objects;
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use crate::shared::global_ids::prefix;
use api::binding::{ArgumentRole, FieldBinding, FilterRole, InputBinding};

/// The interface of all types that have such ids.
const NODE: &str = "Node";

/// `node(id: …)`, if a type has global ids.
pub(super) fn root(build: &mut Build<'_>, query: &str) {
    let mut nodes = 0..build.model.nodes.len();
    if !nodes.any(|node| attribute(&build.attributes(Owner::Node(node))).is_some()) {
        return;
    }
    // Types that implement it have fields of their own.
    let id = DraftField::new("id", "ID!", objects::unserved()).described("The id of the object.");
    let kind = DraftKind::Interface { fields: vec![id], interfaces: Vec::new() };
    build.draft.add(NODE, Some("An object with an ID"), kind);
    let id = DraftInput::new("id", "ID!", InputBinding::lenient(ArgumentRole::GlobalId));
    // No id stands for the root itself.
    let field = DraftField::new("node", NODE, FieldBinding::Lookup { root: "" })
        .described("Fetches an object given its ID")
        .argument(id.described("The ID of an object"));
    build.draft.add_field(query, field);
}

/// Adds the id to a type that has global ids.
pub(super) fn field(build: &mut Build<'_>, name: &str, attributes: &[Attribute<'_>]) {
    let Some(attribute) = attribute(attributes) else { return };
    let Spot::Node(field) = attribute.spot else { return };
    let prefix = prefix(name, attribute.name());
    let binding = FieldBinding::GlobalId { prefix, field };
    build.draft.add_field(name, DraftField::new("id", "ID!", binding));
    build.draft.implement(name, NODE);
}

/// Adds the condition on it.
pub(super) fn condition(
    build: &mut Build<'_>,
    node: usize,
    name: &str,
    attributes: &[Attribute<'_>],
) {
    if attribute(attributes).is_none() {
        return;
    }
    let Some(entity) = build.placed.nodes.get(node).map(|placed| placed.entity) else { return };
    let role = InputBinding::lenient(FilterRole::IsGlobalId(entity));
    build.draft.add_input(name, DraftInput::new("id", "ID", role));
}

fn attribute<'b, 'a>(attributes: &'b [Attribute<'a>]) -> Option<&'b Attribute<'a>> {
    attributes.iter().find(|attribute| attribute.property.is_relay_id)
}
