//! The root field `node` and the ids by which it finds nodes of any type: `@relayId`, or
//! `@id(global: true)` of version 3.

use super::attribute::{Attribute, Origin, attributes};
use super::builder::{Builder, Owner};
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use crate::shared::global_ids::prefix;
use api::binding::{ArgumentRole, FieldBinding, FilterRole};

/// The interface of all types that have such ids.
const NODE: &str = "Node";

/// `node(id: …)`, if a type has global ids.
pub(crate) fn root(build: &mut Builder<'_>, of_interface: FieldBinding) {
    let mut nodes = 0..build.model.nodes.len();
    if !nodes.any(|node| attribute(&attributes(build, Owner::Node(node))).is_some()) {
        return;
    }
    // Types that implement it have fields of their own.
    let id = DraftField::new("id", "ID!", of_interface).described("The id of the object.");
    let kind = DraftKind::Interface { fields: vec![id], interfaces: Vec::new() };
    build.draft.add(NODE, Some("An object with an ID"), kind);
    let id = DraftInput::lenient("id", "ID!", ArgumentRole::GlobalId);
    // No id stands for the root itself.
    let field = DraftField::new("node", NODE, FieldBinding::Lookup { root: None })
        .described("Fetches an object given its ID")
        .argument(id.described("The ID of an object"));
    build.draft.add_field("Query", field);
}

/// Adds the id to a type that has global ids.
pub(crate) fn field(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    let Some(attribute) = attribute(attributes) else { return };
    let Origin::Node(field) = attribute.origin else { return };
    let prefix = prefix(name, attribute.name());
    build.show(name, "id", "ID!", FieldBinding::GlobalId { prefix, field });
    build.draft.implement(name, NODE);
}

/// Adds the condition on it.
pub(crate) fn condition(
    build: &mut Builder<'_>,
    node: usize,
    name: &str,
    attributes: &[Attribute<'_>],
) {
    let Some(placed) = build.placed.nodes.get(node) else { return };
    if attribute(attributes).is_some() {
        build.put_lenient(name, "id", "ID", FilterRole::IsGlobalId(placed.entity));
    }
}

fn attribute<'b, 'a>(attributes: &'b [Attribute<'a>]) -> Option<&'b Attribute<'a>> {
    attributes.iter().find(|attribute| attribute.property.is_relay_id)
}
