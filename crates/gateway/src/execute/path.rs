//! Where objects stand in the answer. Only errors ask for it, so nobody keeps it.

use super::arena::{Arena, Cell, ObjectId};
use super::{Path, Step};
use crate::outline::{Item, Tree};
use crate::supergraph::Supergraph;

/// The first place of an object in the answer; of one that clients do not see, that of the nearest
/// object above that they see. `None` if the answer has neither.
pub(super) fn first_place(
    supergraph: &Supergraph,
    tree: &Tree,
    arena: &Arena,
    object: ObjectId,
) -> Option<Path> {
    let mut steps: Path = Vec::new();
    let mut id = object;
    loop {
        let object = arena.object(id);
        let by = tree.position(object.position).parent;
        let (Some(parent), Some(by)) = (object.parent, by) else { break };
        let item = tree.item(by);
        if !is_meant(supergraph, tree, arena, item, parent) {
            return None;
        }
        let mut indexes = Vec::new();
        if !find(arena, arena.cell(parent, arena.slot(by)), id, &mut indexes) {
            return None;
        }
        match item.is_visible {
            true => {
                steps.extend(indexes.into_iter().rev().map(Step::Index));
                steps.push(Step::Key(item.key.clone()));
            }
            false => steps.clear(),
        }
        id = parent;
    }
    steps.reverse();
    Some(steps)
}

/// Whether an item is asked of an object, whose type is known or does not matter.
pub(super) fn is_meant(
    supergraph: &Supergraph,
    tree: &Tree,
    arena: &Arena,
    item: &Item,
    object: ObjectId,
) -> bool {
    match arena.object(object).r#type {
        Some(own) => supergraph.contains(&item.types, own),
        None => tree.position(item.position).possible.is_subset(&item.types),
    }
}

/// Where an object is in a value: the indexes of its first place. Recursion is bounded by the wrappers
/// of types.
fn find(arena: &Arena, cell: Cell, wanted: ObjectId, indexes: &mut Vec<usize>) -> bool {
    match cell {
        Cell::Object(object) => object == wanted,
        Cell::List { start, end } => {
            arena.list(start, end).iter().enumerate().any(|(place, cell)| {
                indexes.push(place);
                let is_found = find(arena, *cell, wanted, indexes);
                if !is_found {
                    indexes.pop();
                }
                is_found
            })
        }
        Cell::Absent | Cell::Null | Cell::Unknown | Cell::Failed(_) | Cell::Leaf { .. } => false,
    }
}
