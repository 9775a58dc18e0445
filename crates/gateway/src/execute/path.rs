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
        let (Some(_), Some(item)) = (object.parent, by) else {
            return self.arrive();
        };
        let slot = self.arena.slot(item);
        for parent in self.arena.parents(id) {
            let cell = self.arena.cell(parent, slot);
            let mut places = Vec::new();
            find(self.arena, cell, id, self.left, &mut Vec::new(), &mut places);
            for indexes in places {
                let before = self.steps.len();
                self.steps.extend(indexes.into_iter().rev().map(Step::Index));
                self.steps.push(Step::Key(self.tree.item(item).key.clone()));
                self.climb(parent);
                for twin in self.arena.twins_of(parent) {
                    if self.arena.cell(twin, slot) == cell {
                        self.climb(twin);
                    }
                }
                self.steps.truncate(before);
            }
            if self.left == 0 {
                return;
            }
        }
    }

    fn arrive(&mut self) {
        if self.places.paths.len() < self.most {
            self.places.paths.push(self.steps.iter().rev().cloned().collect());
        } else {
            self.places.more += 1;
        }
    }
}

/// Where an object is in a value: the indexes of its first places, no more than `most`. Recursion is
/// bounded by the wrappers of types.
fn find(
    arena: &Arena,
    cell: Cell,
    wanted: ObjectId,
    most: usize,
    indexes: &mut Vec<usize>,
    places: &mut Vec<Vec<usize>>,
) {
    match cell {
        Cell::Object(object) if object == wanted => places.push(indexes.clone()),
        Cell::List { start, end } => {
            for (place, cell) in arena.list(start, end).iter().enumerate() {
                if places.len() >= most {
                    return;
                }
                indexes.push(place);
                find(arena, *cell, wanted, most, indexes, places);
                indexes.pop();
            }
        }
        Cell::Absent | Cell::Null | Cell::Failed | Cell::Leaf { .. } | Cell::Object(_) => {}
    }
}
