//! What subgraphs answered, as objects with a cell for each item of their position.

use std::sync::Arc;

use bytes::Bytes;
use graphql::schema::TypeId;

use super::Step;
use crate::outline::{ItemId, PositionId, Tree, ids};
use crate::plan::Layout;

ids! {
    /// An object of the arena.
    ObjectId "object";
}

/// What is known of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// Nobody said anything.
    Absent,
    Null,
    /// There was an error.
    Failed,
    /// A range of a buffer: the JSON of a leaf.
    Leaf {
        buffer: u32,
        start: u32,
        end: u32,
    },
    Object(ObjectId),
    /// A range of the elements of lists.
    List {
        start: u32,
        end: u32,
    },
}

#[derive(Debug)]
pub(super) struct Object {
    pub(super) position: PositionId,
    /// Its type, once somebody said it.
    pub(super) r#type: Option<TypeId>,
    /// The first of its cells.
    cells: u32,
    parent: Option<ObjectId>,
    /// Where it stands in its parent's value, if that is a list: an index for each depth.
    indexes: Box<[u32]>,
}

#[derive(Debug, Default)]
pub(super) struct Arena {
    pub(super) buffers: Vec<Bytes>,
    pub(super) objects: Vec<Object>,
    cells: Vec<Cell>,
    pub(super) elements: Vec<Cell>,
    /// By position.
    pub(super) at: Vec<Vec<ObjectId>>,
    layout: Arc<Layout>,
}

fn narrow(length: usize) -> u32 {
    // Answers are bounded far below.
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Arena {
    pub(super) fn new(layout: Arc<Layout>) -> Self {
        let at = vec![Vec::new(); layout.widths.len()];
        Self { at, layout, ..Self::default() }
    }

    pub(super) fn add_buffer(&mut self, bytes: Bytes) -> u32 {
        self.buffers.push(bytes);
        narrow(self.buffers.len() - 1)
    }

    pub(super) fn add_object(
        &mut self,
        position: PositionId,
        r#type: Option<TypeId>,
        parent: Option<ObjectId>,
        indexes: &[u32],
    ) -> ObjectId {
        let id = ObjectId::new(self.objects.len());
        let cells = narrow(self.cells.len());
        let width = self.layout.widths[position.index()] as usize;
        self.cells.resize(self.cells.len() + width, Cell::Absent);
        self.objects.push(Object { position, r#type, cells, parent, indexes: indexes.into() });
        self.at[position.index()].push(id);
        id
    }

    pub(super) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    pub(super) fn set_type(&mut self, id: ObjectId, r#type: TypeId) {
        self.objects[id.index()].r#type = Some(r#type);
    }

    fn place(&self, object: ObjectId, item: ItemId) -> usize {
        (self.object(object).cells + self.layout.slots[item.index()]) as usize
    }

    /// The value of an item of the object's position.
    pub(super) fn cell(&self, object: ObjectId, item: ItemId) -> Cell {
        self.cells[self.place(object, item)]
    }

    pub(super) fn set(&mut self, object: ObjectId, item: ItemId, cell: Cell) {
        let place = self.place(object, item);
        let known = &mut self.cells[place];
        // What is there is not lost to somebody who has nothing.
        let keeps = matches!(known, Cell::Leaf { .. } | Cell::Object(_) | Cell::List { .. })
            && matches!(cell, Cell::Null | Cell::Absent | Cell::Failed);
        if !keeps {
            *known = cell;
        }
    }

    pub(super) fn add_list(&mut self, elements: &[Cell]) -> Cell {
        let start = narrow(self.elements.len());
        self.elements.extend_from_slice(elements);
        Cell::List { start, end: narrow(self.elements.len()) }
    }

    pub(super) fn list(&self, start: u32, end: u32) -> &[Cell] {
        self.elements.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Where the objects of an item stand.
    pub(super) fn child_of(&self, item: ItemId) -> Option<PositionId> {
        self.layout.children[item.index()]
    }

    /// The objects of a value.
    pub(super) fn objects_in(&self, cell: Cell) -> Vec<ObjectId> {
        match cell {
            Cell::Object(object) => vec![object],
            Cell::List { start, end } => {
                let cells = self.list(start, end).iter();
                cells.flat_map(|cell| self.objects_in(*cell)).collect()
            }
            Cell::Absent | Cell::Null | Cell::Failed | Cell::Leaf { .. } => Vec::new(),
        }
    }

    /// The bytes of a leaf.
    pub(super) fn leaf(&self, buffer: u32, start: u32, end: u32) -> &[u8] {
        self.buffers[buffer as usize].get(start as usize..end as usize).unwrap_or_default()
    }

    /// Where an object stands in the answer.
    pub(super) fn path(&self, tree: &Tree, id: ObjectId) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut current = Some(id);
        while let Some(id) = current {
            let object = self.object(id);
            steps.extend(object.indexes.iter().rev().map(|index| Step::Index(*index as usize)));
            if let Some(parent) = tree.position(object.position).parent {
                steps.push(Step::Key(tree.item(parent).key.clone()));
            }
            current = object.parent;
        }
        steps.reverse();
        steps
    }
}
