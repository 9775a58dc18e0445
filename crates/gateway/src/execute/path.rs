//! Response paths of objects. They are computed for errors only, and so not stored.

use super::arena::{Arena, Cell, ObjectId};
use super::{Path, Step};
use crate::outline::{Item, ItemId, Tree};
use supergraph::Supergraph;

/// Returns the first path of an object in the response; for a hidden object, the path of its
/// nearest visible ancestor. `None` if it is not in the response.
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
        if !is_selected_on(supergraph, tree, arena, item, parent) {
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

/// Whether an item is selected on an object, by its runtime type or for every possible type.
pub(super) fn is_selected_on(
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

/// Whether the response has a path of visible items below an object, as far as there are values.
pub(super) fn has_path(
    supergraph: &Supergraph,
    tree: &Tree,
    arena: &Arena,
    object: ObjectId,
    (items, steps): (&[ItemId], &[Step]),
) -> bool {
    let mut cell = Cell::Object(object);
    let mut items = items.iter();
    for step in steps {
        cell = match (step, cell) {
            (Step::Key(_), Cell::Object(object)) => {
                let Some(item) = items.next() else { return true };
                if !is_selected_on(supergraph, tree, arena, tree.item(*item), object) {
                    return false;
                }
                arena.cell_of(object, *item)
            }
            (Step::Index(index), Cell::List { start, end }) => {
                arena.list(start, end).get(*index).copied().unwrap_or(Cell::Absent)
            }
            // The path goes on below a null, or is not of this value.
            (Step::Key(_) | Step::Index(_), _) => return true,
        };
    }
    true
}

/// Finds an object in a value and appends the list indexes of its first occurrence. Recursion is
/// bounded by list nesting.
fn find(arena: &Arena, cell: Cell, target: ObjectId, indexes: &mut Vec<usize>) -> bool {
    match cell {
        Cell::Object(object) => object == target,
        Cell::List { start, end } => {
            arena.list(start, end).iter().enumerate().any(|(place, cell)| {
                indexes.push(place);
                let is_found = find(arena, *cell, target, indexes);
                if !is_found {
                    indexes.pop();
                }
                is_found
            })
        }
        Cell::Absent | Cell::Null | Cell::Unknown | Cell::Failed(_) | Cell::Leaf { .. } => false,
    }
}
