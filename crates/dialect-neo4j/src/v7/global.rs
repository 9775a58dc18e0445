//! `@relayId`: ids that tell a node from all others, whatever their types, and the field that finds
//! nodes by them.

use ir::Codec;

use super::attribute::{Attribute, Spot};
use super::build::{Build, Owner};
use super::objects;
use crate::model::{FieldKind, Model, NodeType, Placed, PlacedField, Property};
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use api::ApiBuilder;
use api::binding::{ArgumentRole, FieldBinding, FilterRole, InputBinding, NodeIdBinding};

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

/// Says how nodes are found by their ids.
pub(crate) fn bind(builder: &mut ApiBuilder, model: &Model, placed: &Placed) {
    for (node, placed) in model.nodes.iter().zip(&placed.nodes) {
        let mut fields = node.fields.iter().zip(&placed.fields);
        let Some((field, PlacedField::Property(id))) = fields.find(|(field, _)| is_id(&field.kind))
        else {
            continue;
        };
        let Some(r#type) = builder.schema().find_type(&node.name) else { continue };
        let binding = NodeIdBinding {
            prefix: prefix(&node.name, &field.name),
            key: vec![*id],
            codec: Codec::GlobalId,
            // The database may not know that the value is unique.
            enforced: false,
            found: true,
            r#type,
        };
        builder.bind_node_id(placed.entity, binding);
    }
}

/// The name of a field with `@relayId` whose value cannot be found again by its text.
pub(crate) fn unserved(node: &NodeType) -> Option<&crate::model::ModelField> {
    use crate::model::PropertyType as Type;
    node.fields.iter().find(|field| match &field.kind {
        FieldKind::Property(property) if property.is_relay_id => {
            let is_plain = match property.r#type {
                Type::Id | Type::String | Type::Int | Type::BigInt | Type::Enum(_) => true,
                Type::Boolean
                | Type::Float
                | Type::Date
                | Type::Time
                | Type::LocalTime
                | Type::DateTime
                | Type::LocalDateTime
                | Type::Duration
                | Type::Point
                | Type::CartesianPoint
                | Type::Scalar(_) => false,
            };
            !is_plain || property.is_list || property.coalesce.is_some()
        }
        FieldKind::Property(_)
        | FieldKind::Relationship(_)
        | FieldKind::Statement(_)
        | FieldKind::Part(_) => false,
    })
}

fn is_id(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Property(Property { is_relay_id: true, .. }))
}

fn attribute<'b, 'a>(attributes: &'b [Attribute<'a>]) -> Option<&'b Attribute<'a>> {
    attributes.iter().find(|attribute| attribute.property.is_relay_id)
}

pub(crate) fn prefix(r#type: &str, field: &str) -> Box<str> {
    [r#type, ":", field].concat().into()
}
