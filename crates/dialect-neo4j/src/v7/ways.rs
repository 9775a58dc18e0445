//! The ways along which nodes are changed, where nodes of several types are at an end of them.

use std::collections::hash_map::Entry;

use super::build::{Build, Owner};
use super::declared;
use super::link::Link;
use super::variants::{common, types};
use crate::model::{FieldKind, PlacedField, RelationshipField, Target, Way};
use api::binding::{WayBinding, WaysId};

/// The ways along a link to the nodes of a type, or of an interface. A link that an interface
/// declares has those of each type that implements it.
pub(super) fn of(build: &mut Build<'_>, link: &Link<'_>, to: Target) -> WaysId {
    let name = [&link.prefix, " ", build.name(to)].concat();
    let next = WaysId(u32::try_from(build.ways.len()).unwrap_or(u32::MAX));
    if let Entry::Vacant(place) = build.ways_of.entry(name) {
        place.insert(next);
        let ways = match link.owner {
            Owner::Node(_) => vec![found(build, link.relationship, link.ways, to)],
            Owner::Interface(interface) => {
                let nodes = build.implementations(interface).iter();
                nodes.map(|node| declared_by(build, *node, link.name(), to)).collect()
            }
        };
        build.ways.push(ways);
        return next;
    }
    let name = [&link.prefix, " ", build.name(to)].concat();
    build.ways_of.get(&name).copied().unwrap_or(next)
}

/// The way along a link of one type to the nodes of one type.
pub(super) fn only<'l>(build: &Build<'_>, link: &Link<'l>, to: Target) -> Option<&'l Way> {
    match (link.owner, to) {
        (Owner::Node(_), Target::Node(node)) => {
            let place = types(build, link.target()).iter().position(|known| *known == node)?;
            link.ways.get(place)
        }
        (Owner::Interface(_), _) | (_, Target::Interface(_) | Target::Union(_)) => None,
    }
}

/// Those of a type for what an interface declares.
fn declared_by(build: &mut Build<'_>, node: usize, name: &str, to: Target) -> Vec<WayBinding> {
    let (Some(known), Some(placed)) = (build.model.nodes.get(node), build.placed.nodes.get(node))
    else {
        return Vec::new();
    };
    let mut fields = known.fields.iter().zip(&placed.fields);
    let field = fields.find(|(field, _)| &*field.name == name);
    match field.map(|(field, placed)| (&field.kind, placed)) {
        Some((FieldKind::Relationship(relationship), PlacedField::Ways(ways))) => {
            found(build, relationship, ways, to)
        }
        _ => Vec::new(),
    }
}

fn found(
    build: &mut Build<'_>,
    relationship: &RelationshipField,
    ways: &[Way],
    to: Target,
) -> Vec<WayBinding> {
    let edge = relationship.properties.and_then(|edge| build.placed.properties.get(edge));
    let edge = edge.map(|(edge, _)| *edge);
    let wanted = types(build, to);
    let ways = types(build, relationship.target).into_iter().zip(ways);
    let bound = ways.filter_map(|(node, way)| {
        let number = wanted.iter().position(|wanted| *wanted == node)?;
        let (common, links) = match to {
            Target::Interface(interface) => {
                (common(build, interface, node), declared::links(build, interface, node))
            }
            Target::Node(_) | Target::Union(_) => (Vec::new(), Vec::new()),
        };
        Some(WayBinding {
            entity: way.entity,
            edge,
            hop: way.hop,
            written: way.written,
            number: u16::try_from(number).unwrap_or(u16::MAX),
            common,
            links,
            single: None,
        })
    });
    bound.collect()
}
