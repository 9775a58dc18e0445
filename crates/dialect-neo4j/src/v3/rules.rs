//! Rules that nodes obey after changes.

use ir::{Otherwise, OtherwiseKind};

use crate::model::Target;
use crate::shared::builder::{Builder, Owner};
use crate::shared::link::links;
use api::ApiBuilder;
use api::binding::{LinkRule, NodeRules};

/// Message where a change sets a value and computes with it.
const SET_TWICE: &str = "Cannot mutate the same field multiple times in one Mutation: ";

/// Binds the rules of the nodes of all types, and of relationships with properties.
pub(super) fn bind(builder: &mut ApiBuilder, build: &Builder<'_>) {
    for (place, placed) in build.placed.nodes.iter().enumerate() {
        let rules = rules(&build.model.nodes[place].name, link_rules(build, place));
        builder.bind_rules(placed.entity, rules);
    }
    for (properties, (entity, _)) in build.model.properties.iter().zip(&build.placed.properties) {
        builder.bind_rules(*entity, rules(&properties.name, Vec::new()));
    }
}

fn rules(name: &str, links: Vec<LinkRule>) -> NodeRules {
    let set_twice = Some(SET_TWICE.into());
    NodeRules { links, is_made_with_values: true, name: name.into(), set_twice }
}

/// The rules of relationships that lead to one node of one type. As in the library, those to nodes
/// of several types have none.
fn link_rules(build: &Builder<'_>, node: usize) -> Vec<LinkRule> {
    let links = links(build, Owner::Node(node)).into_iter();
    let single = links.filter(|link| !link.is_list() && matches!(link.target(), Target::Node(_)));
    let rule = single.filter_map(|link| {
        let path = link.path()?;
        let is_required = link.relationship.is_required;
        let number = match is_required {
            true => "required exactly once",
            false => "must be less than or equal to one",
        };
        let message = format!("{}.{} {number}", link.source, link.name());
        let otherwise = Otherwise::new(OtherwiseKind::Invalid, message);
        Some(LinkRule { hop: path.written, entity: path.entity, is_required, otherwise })
    });
    rule.collect()
}
