//! What holds for nodes when they were changed.

use ir::{Otherwise, OtherwiseKind};

use super::classes::relationships;
use crate::model::{
    Model, ModelField, NodeType, Placed, PlacedField, PlacedNode, RelationshipField, Target,
};
use api::ApiBuilder;
use api::binding::{LinkRule, NodeRules};

/// What is said where a change sets a value and computes with it.
const SET_TWICE: &str = "Cannot mutate the same field multiple times in one Mutation: ";

/// Says what holds for the nodes of all types, and for relationships with properties.
pub(super) fn bind(builder: &mut ApiBuilder, model: &Model, placed: &Placed) {
    for (node, placed) in model.nodes.iter().zip(&placed.nodes) {
        let rules = rules(&node.name, links(node, placed));
        builder.bind_rules(placed.entity, rules);
    }
    for (properties, (entity, _)) in model.properties.iter().zip(&placed.properties) {
        builder.bind_rules(*entity, rules(&properties.name, Vec::new()));
    }
}

fn rules(name: &str, links: Vec<LinkRule>) -> NodeRules {
    let set_twice = Some(SET_TWICE.into());
    NodeRules { links, is_made_with_values: true, name: name.into(), set_twice }
}

/// The relationships that lead to one node of one type: those to nodes of several types may be as
/// they are, as in the library.
fn links(node: &NodeType, placed: &PlacedNode) -> Vec<LinkRule> {
    let link = |(place, field, relationship): (usize, &ModelField, &RelationshipField)| {
        let (false, Target::Node(_)) = (relationship.is_list, relationship.target) else {
            return None;
        };
        let Some(PlacedField::Ways(ways)) = placed.fields.get(place) else { return None };
        let way = ways.first()?;
        let number = match relationship.is_required {
            true => "required exactly once",
            false => "must be less than or equal to one",
        };
        let message = format!("{}.{} {number}", node.name, field.name);
        Some(LinkRule {
            hop: way.written,
            entity: way.entity,
            is_required: relationship.is_required,
            otherwise: Otherwise::new(OtherwiseKind::Invalid, message),
        })
    };
    relationships(&node.fields).filter_map(link).collect()
}
