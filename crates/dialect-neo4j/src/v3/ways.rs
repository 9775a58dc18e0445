//! The ways by which nodes are changed, where nodes of several types are at an end of them.

use super::build::Build;
use super::classes::relationships;
use super::relations::{Owner, Relation, members, targets};
use crate::model::{PlacedField, Target, Way};
use api::binding::{WayBinding, WaysId};

/// The ways along a relationship of a node type, or along those that an interface declares. What they
/// lead to is known when all types are.
#[derive(Clone, Debug)]
pub(super) struct WaysDraft<'m> {
    owner: Owner,
    field: &'m str,
    /// What the library calls the relationship's owner.
    prefix: &'m str,
    target: Target,
}

impl<'m> Build<'m> {
    /// The ways along a relationship, if nodes of several types are at an end of it.
    pub(super) fn ways(&mut self, relation: &Relation<'m>) -> Option<WaysId> {
        let target = relation.relationship.target;
        if let (Owner::Node(_), Target::Node(_)) = (relation.owner, target) {
            return None;
        }
        let id = WaysId(u32::try_from(self.ways.len()).unwrap_or(u32::MAX));
        let Relation { owner, prefix, field, .. } = *relation;
        self.ways.push(WaysDraft { owner, field: &field.name, prefix, target });
        Some(id)
    }

    /// All ways in the order of their numbers, from each type of nodes to each.
    pub(super) fn finished_ways(&self) -> Vec<Vec<Vec<WayBinding>>> {
        let finished = |draft: &WaysDraft<'_>| match draft.owner {
            Owner::Node(node) => vec![self.ways_from(node, draft).unwrap_or_default()],
            Owner::Interface(interface) => {
                let nodes = members(self.model, Target::Interface(interface));
                let ways = |node| self.ways_from(node, draft).unwrap_or_default();
                nodes.into_iter().map(ways).collect()
            }
        };
        self.ways.iter().map(finished).collect()
    }

    /// Those from the nodes of one type.
    fn ways_from(&self, node: usize, draft: &WaysDraft<'_>) -> Option<Vec<WayBinding>> {
        let mut all = relationships(&self.model.nodes.get(node)?.fields);
        let (place, _, relationship) = all.find(|(_, field, _)| *field.name == *draft.field)?;
        let placed = self.placed.nodes.get(node)?.fields.get(place)?;
        let PlacedField::Ways(ways) = placed else { return None };
        let edge = relationship.properties.and_then(|place| self.placed.properties.get(place));
        let edge = edge.map(|(edge, _)| *edge);
        let known = members(self.model, draft.target);
        let mut ways: Vec<(usize, &Way)> =
            targets(self.model, relationship.target).into_iter().zip(ways).collect();
        // The types stand in the order of the definitions, as in lists of such nodes.
        ways.sort_by_key(|(node, _)| *node);
        let bound = ways.into_iter().filter_map(|(to, way)| {
            let number = known.iter().position(|known| *known == to)?;
            Some(WayBinding {
                entity: way.entity,
                edge,
                // Nodes are changed along relationships as these are written.
                hop: way.written,
                written: way.written,
                number: u16::try_from(number).unwrap_or(u16::MAX),
                common: self.common(draft.target, to).unwrap_or_default(),
                links: self.links(draft.target, to),
                single: (!relationship.is_list).then(|| single(draft.prefix, draft.field)),
            })
        });
        Some(bound.collect())
    }
}

/// What is said where more than one node would be at the end of a relationship to one.
fn single(prefix: &str, field: &str) -> Box<str> {
    let text = "cannot have more than one node linked";
    format!("Relationship field \"{prefix}.{field}\" {text}").into()
}
