//! Where objects stand in the answer. Only errors ask for it, so nobody keeps it.

use super::arena::{Arena, Cell, ObjectId};
use super::{Path, Step};
use crate::outline::Tree;

/// So many objects are looked at for the places of one: those of the rest are not counted.
const MOST_LOOKED_AT: usize = 1000;

/// The places of an object.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The first of them.
    pub(super) paths: Vec<Path>,
    /// How many there are beside these.
    pub(super) more: usize,
}

/// The places of an object: no more than `most`, and how many others.
pub(super) fn places(arena: &Arena, tree: &Tree, object: ObjectId, most: usize) -> Places {
    let mut climber = Climber {
        arena,
        tree,
        most,
        steps: Vec::new(),
        left: MOST_LOOKED_AT,
        places: Places::default(),
    };
    climber.climb(object);
    climber.places
}

struct Climber<'c> {
    arena: &'c Arena,
    tree: &'c Tree,
    most: usize,
    /// The steps, the last first.
    steps: Vec<Step>,
    left: usize,
    places: Places,
}

impl Climber<'_> {
    /// Recursion is bounded by the depth of the tree.
    fn climb(&mut self, id: ObjectId) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        let object = self.arena.object(id);
        let by = self.tree.position(object.position).parent;
        let (Some(parent), Some(item)) = (object.parent, by) else {
            return self.arrive();
        };
        let slot = self.arena.slot(item);
        let cell = self.arena.cell(parent, slot);
        let before = self.steps.len();
        find(self.arena, cell, id, &mut self.steps);
        self.steps.push(Step::Key(self.tree.item(item).key.clone()));
        self.climb(parent);
        for (of, twin) in &self.arena.twins {
            if *of == parent && self.arena.cell(*twin, slot) == cell {
                self.climb(*twin);
            }
        }
        self.steps.truncate(before);
    }

    fn arrive(&mut self) {
        if self.places.paths.len() < self.most {
            self.places.paths.push(self.steps.iter().rev().cloned().collect());
        } else {
            self.places.more += 1;
        }
    }
}

/// Where an object is in a value: adds the indexes, the last first. Recursion is bounded by the
/// wrappers of types.
fn find(arena: &Arena, cell: Cell, wanted: ObjectId, steps: &mut Vec<Step>) -> bool {
    match cell {
        Cell::Object(object) => object == wanted,
        Cell::List { start, end } => {
            for (place, cell) in arena.list(start, end).iter().enumerate() {
                if find(arena, *cell, wanted, steps) {
                    steps.push(Step::Index(place));
                    return true;
                }
            }
            false
        }
        Cell::Absent | Cell::Null | Cell::Failed | Cell::Leaf { .. } => false,
    }
}
