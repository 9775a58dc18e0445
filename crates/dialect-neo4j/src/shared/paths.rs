//! Paths along which nodes are changed, where nodes of several types are at an end of them.

use std::collections::hash_map::Entry;

use super::builder::{Builder, Owner};
use super::declared;
use super::link::Link;
use super::variants::{common, typed_paths};
use crate::model::{Path, Target};
use api::binding::{RelationshipVariant, RelationshipVariantsId};

/// Paths along a relationship of a node type, or along those of the node types of an interface that
/// declares it.
#[derive(Clone, Debug)]
pub(crate) struct PathsDraft<'m> {
    owner: Owner,
    field: &'m str,
    /// Name of the owner in messages.
    prefix: &'m str,
    target: Target,
}

/// Adds the paths along a relationship to a target: they are found when all lists of types are.
pub(crate) fn add<'m>(
    build: &mut Builder<'m>,
    link: &Link<'m>,
    target: Target,
) -> RelationshipVariantsId {
    let id = RelationshipVariantsId(u32::try_from(build.pending_paths.len()).unwrap_or(u32::MAX));
    let draft = PathsDraft { owner: link.owner, field: link.name(), prefix: link.prefix, target };
    build.pending_paths.push(draft);
    id
}

/// Finds the paths that were added.
pub(crate) fn fill(build: &mut Builder<'_>) {
    for draft in std::mem::take(&mut build.pending_paths) {
        let found = find(build, &draft);
        build.paths.push(found);
    }
}

/// The paths along a relationship to a target, found at once and once only.
pub(crate) fn of(
    build: &mut Builder<'_>,
    link: &Link<'_>,
    target: Target,
) -> RelationshipVariantsId {
    let name = [&link.own, " ", build.name(target)].concat();
    let next = RelationshipVariantsId(u32::try_from(build.paths.len()).unwrap_or(u32::MAX));
    match build.paths_of.entry(name) {
        Entry::Occupied(known) => return *known.get(),
        Entry::Vacant(place) => place.insert(next),
    };
    let draft = PathsDraft { owner: link.owner, field: link.name(), prefix: link.prefix, target };
    let found = find(build, &draft);
    build.paths.push(found);
    next
}

/// The path along a relationship of one type to the nodes of one type.
pub(crate) fn only<'m>(build: &Builder<'_>, link: &Link<'m>, target: Target) -> Option<&'m Path> {
    match (link.owner, target) {
        (Owner::Node(_), Target::Node(node)) => {
            let place = build.targets(link.target()).iter().position(|known| *known == node)?;
            link.paths.get(place)
        }
        (Owner::Interface(_), _) | (_, Target::Interface(_) | Target::Union(_)) => None,
    }
}

/// The paths from each type of nodes to each.
fn find(build: &mut Builder<'_>, draft: &PathsDraft<'_>) -> Vec<Vec<RelationshipVariant>> {
    match draft.owner {
        Owner::Node(node) => vec![from_node(build, node, draft)],
        Owner::Interface(interface) => {
            let nodes = build.variant_types(Target::Interface(interface)).into_iter();
            nodes.map(|node| from_node(build, node, draft)).collect()
        }
    }
}

fn from_node(
    build: &mut Builder<'_>,
    node: usize,
    draft: &PathsDraft<'_>,
) -> Vec<RelationshipVariant> {
    let Some((relationship, paths)) = declared::named(build, node, draft.field) else {
        return Vec::new();
    };
    let edge = build.edge_entity(relationship);
    let wanted = build.variant_types(draft.target);
    let bound =
        typed_paths(build, relationship.target, paths).into_iter().filter_map(|(to, path)| {
            let number = wanted.iter().position(|wanted| *wanted == to)?;
            let is_single = build.version.checks_single && !relationship.is_list;
            Some(RelationshipVariant {
                entity: path.entity,
                edge,
                hop: (build.version.changed_along)(path),
                written: path.written,
                number: u16::try_from(number).unwrap_or(u16::MAX),
                common: common(build, draft.target, to),
                links: declared::links(build, draft.target, to),
                single: is_single.then(|| single(draft.prefix, draft.field)),
            })
        });
    bound.collect()
}

/// Message where more than one node would be at the end of a relationship to one.
fn single(prefix: &str, field: &str) -> Box<str> {
    let text = "cannot have more than one node linked";
    format!("Relationship field \"{prefix}.{field}\" {text}").into()
}
