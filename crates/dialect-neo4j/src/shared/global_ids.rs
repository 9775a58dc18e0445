//! Ids that tell a node from all others, whatever their types: how nodes are found by them.

use ir::Codec;

use crate::model::{FieldKind, Model, ModelField, NodeType, Placed, PlacedField, Property};
use crate::shared::kinds::Kind;
use api::ApiBuilder;
use api::binding::NodeIdBinding;

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
            form: api::binding::IdForm::Tagged,
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

/// The field with a global id whose value cannot be found again by its text.
pub(crate) fn unserved(node: &NodeType) -> Option<&ModelField> {
    node.fields.iter().find(|field| match &field.kind {
        FieldKind::Property(property) if property.is_relay_id => {
            let is_plain = matches!(
                property.r#type.kind(),
                Kind::Id | Kind::String | Kind::Integer | Kind::Enum
            );
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

/// The beginning of the global ids of a type.
pub(crate) fn prefix(r#type: &str, field: &str) -> Box<str> {
    [r#type, ":", field].concat().into()
}
