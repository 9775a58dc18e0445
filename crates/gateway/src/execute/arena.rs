//! Arena of the objects in subgraph responses, with a cell for each item of their position.

use std::sync::Arc;

use bytes::Bytes;
use graphql::schema::TypeId;
use response::memory::growth;
use response::{BudgetExceeded, MemoryReservation};

use super::cause::CauseId;
use crate::outline::{ItemId, PositionId, ids};
use crate::plan::{Layout, SizeHint, append_range};

ids! {
    /// An object of the arena.
    ObjectId "object";
}

/// State of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// Not in any response.
    Absent,
    Null,
    /// A subgraph does not know the entity that the value belongs to.
    Unknown,
    /// Failed with an error.
    Failed(CauseId),
    /// JSON of a leaf, as a range of a buffer.
    Leaf {
        buffer: u32,
        start: u32,
        end: u32,
    },
    Object(ObjectId),
    /// A range of the list elements.
    List {
        start: u32,
        end: u32,
    },
}

impl Cell {
    /// Whether the cell has a value other than null.
    #[inline]
    pub(super) fn is_value(self) -> bool {
        matches!(self, Self::Leaf { .. } | Self::Object(_) | Self::List { .. })
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    pub(super) position: PositionId,
    /// Its runtime type, once a response contained it.
    pub(super) r#type: Option<TypeId>,
    /// Index of its first cell.
    cells: u32,
    /// The object it is a value of; the first one, if there are several.
    pub(super) parent: Option<ObjectId>,
    /// Whether it is the value of several objects, or several times of one, because their JSON was
    /// equal.
    pub(super) is_repeated: bool,
    /// Whether it shares the objects below it with another object.
    pub(super) shares_children: bool,
}

/// Address of a cell, in an object or in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellAddress {
    OfObject(usize),
    Element(usize),
}

#[derive(Debug, Default)]
pub(super) struct Arena {
    pub(super) buffers: Vec<Bytes>,
    objects: Vec<Object>,
    cells: Vec<Cell>,
    elements: Vec<Cell>,
    /// Elements of the lists that are being read.
    open: Vec<Cell>,
    /// Objects by position.
    at: Vec<Vec<ObjectId>>,
    layout: Arc<Layout>,
    undo: Undo,
    held: MemoryReservation,
    /// Capacity of all vectors in bytes.
    allocated: usize,
    /// Whether a vector grew without reserved memory, where the growth could not fail: the next
    /// growth fails instead.
    is_exhausted: bool,
}

/// Undo log of the response that is being read.
#[derive(Debug, Default)]
struct Undo {
    objects: usize,
    cells: usize,
    elements: usize,
    buffers: usize,
    changed: Vec<(usize, Cell)>,
    typed: Vec<(ObjectId, Option<TypeId>)>,
}

/// Number of bytes that are compared as one integer.
pub(super) const PREFIX_BYTES: usize = size_of::<u64>();

/// Minimum length of a response before which capacity for the usual size is allocated.
const PREALLOCATE_FROM: usize = 8 << 10;

/// Maximum number of objects or cells that are preallocated because the last execution had as many.
const MAX_PREALLOCATED: usize = 1 << 15;

/// Maximum number of response bytes that are preallocated.
const MAX_PREALLOCATED_BYTES: usize = 1 << 20;

/// Grows a vector of the arena. Memory is reserved before it is allocated, for the old and the new
/// buffer while both exist.
#[inline]
fn reserve<T>(
    held: &mut MemoryReservation,
    allocated: &mut usize,
    vector: &mut Vec<T>,
    more: usize,
) -> Result<(), BudgetExceeded> {
    match more > vector.capacity() - vector.len() {
        true => grow(held, allocated, vector, more),
        false => Ok(()),
    }
}

#[cold]
fn grow<T>(
    held: &mut MemoryReservation,
    allocated: &mut usize,
    vector: &mut Vec<T>,
    more: usize,
) -> Result<(), BudgetExceeded> {
    let before = bytes_of(vector);
    let grown = vector.capacity() + growth(before) / size_of::<T>();
    let capacity = grown.max(vector.len() + more).max(MIN_CAPACITY);
    held.grow_to((*allocated + capacity * size_of::<T>()) as u64)?;
    vector.reserve_exact(capacity - vector.len());
    *allocated = *allocated - before + bytes_of(vector);
    held.shrink_to(*allocated as u64);
    Ok(())
}

/// A larger capacity for list elements is not kept for the next response.
const MAX_KEPT_LIST_BYTES: usize = 64 << 10;

/// Minimum capacity of a vector that grows.
const MIN_CAPACITY: usize = 4;

fn bytes_of<T>(vector: &Vec<T>) -> usize {
    vector.capacity() * size_of::<T>()
}

fn narrow(length: usize) -> u32 {
    // Responses are limited far below.
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Arena {
    pub(super) fn new(layout: Arc<Layout>, held: MemoryReservation) -> Self {
        let at = vec![Vec::new(); layout.widths.len()];
        Self { at, layout, held, ..Self::default() }
    }

    /// Allocates the capacity that the last execution needed. Only before a long response: many
    /// executions may be waiting for theirs.
    fn preallocate(&mut self) {
        let layout = Arc::clone(&self.layout);
        let Layout { objects, cells, elements, at, .. } = &*layout;
        let more =
            |usual: &SizeHint, known: usize| usual.get(MAX_PREALLOCATED).saturating_sub(known);
        let objects = more(objects, self.objects.len());
        let cells = more(cells, self.cells.len());
        let elements = more(elements, self.elements.len());
        let Self { held, allocated, .. } = self;
        // If the memory is not available, growth is checked when it is needed.
        let mut made = reserve(held, allocated, &mut self.objects, objects)
            .and_then(|()| reserve(held, allocated, &mut self.cells, cells))
            .and_then(|()| reserve(held, allocated, &mut self.elements, elements));
        for (at, usual) in self.at.iter_mut().zip(at) {
            let more = more(usual, at.len());
            made = made.and_then(|()| reserve(held, allocated, at, more));
        }
    }

    /// Records the capacity for the next execution of the plan.
    pub(super) fn record_sizes(&self) {
        let Layout { objects, cells, elements, at, .. } = &*self.layout;
        objects.set(self.objects.len());
        cells.set(self.cells.len());
        elements.set(self.elements.len());
        at.iter().zip(&self.at).for_each(|(usual, at)| usual.set(at.len()));
    }

    /// Records the length of the written data.
    pub(super) fn record_written(&self, length: usize) {
        self.layout.written.set(length);
    }

    /// Length of the data of the last execution.
    pub(super) fn expected_written(&self) -> usize {
        self.layout.written.get(MAX_PREALLOCATED_BYTES)
    }

    /// Begins to read a response of this length: later changes can be rolled back.
    pub(super) fn begin_response(&mut self, length: usize) {
        if length >= PREALLOCATE_FROM {
            self.preallocate();
        }
        self.undo.objects = self.objects.len();
        self.undo.cells = self.cells.len();
        self.undo.elements = self.elements.len();
        self.undo.buffers = self.buffers.len();
        self.undo.changed.clear();
        self.undo.typed.clear();
    }

    /// Commits the changes since `begin_response`.
    pub(super) fn commit_response(&mut self) {
        let undo = std::mem::take(&mut self.undo);
        self.allocated -= bytes_of(&undo.changed) + bytes_of(&undo.typed);
        if bytes_of(&self.open) > MAX_KEPT_LIST_BYTES {
            self.allocated -= bytes_of(&std::mem::take(&mut self.open));
        }
        self.held.shrink_to(self.allocated as u64);
    }

    /// Rolls back all changes since `begin_response`, because the response is invalid.
    pub(super) fn roll_back(&mut self) {
        let mut undo = std::mem::take(&mut self.undo);
        for (place, cell) in undo.changed.drain(..).rev() {
            self.cells[place] = cell;
        }
        for (object, r#type) in undo.typed.drain(..).rev() {
            self.objects[object.index()].r#type = r#type;
        }
        for object in self.objects.drain(undo.objects..).rev() {
            self.at[object.position.index()].pop();
        }
        self.cells.truncate(undo.cells);
        self.elements.truncate(undo.elements);
        self.buffers.truncate(undo.buffers);
        self.open.clear();
        self.undo = undo;
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
    ) -> Result<ObjectId, BudgetExceeded> {
        self.check_exhausted()?;
        let id = ObjectId::new(self.objects.len());
        let cells = self.cells.len();
        let width = self.layout.widths[position.index()] as usize;
        let Self { held, allocated, .. } = self;
        // A few bytes of JSON can be an object with many cells.
        reserve(held, allocated, &mut self.cells, width)?;
        reserve(held, allocated, &mut self.objects, 1)?;
        reserve(held, allocated, &mut self.at[position.index()], 1)?;
        self.cells.resize(cells + width, Cell::Absent);
        let (cells, is_repeated, shares_children) = (narrow(cells), false, false);
        self.objects.push(Object { position, r#type, cells, parent, is_repeated, shares_children });
        self.at[position.index()].push(id);
        Ok(id)
    }

    #[inline]
    fn check_exhausted(&self) -> Result<(), BudgetExceeded> {
        match self.is_exhausted {
            true => Err(BudgetExceeded { most: 0 }),
            false => Ok(()),
        }
    }

    pub(super) fn objects_at(&self, position: PositionId) -> &[ObjectId] {
        &self.at[position.index()]
    }

    #[inline]
    pub(super) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// Marks an object as the value of one more object.
    pub(super) fn mark_repeated(&mut self, id: ObjectId) {
        self.objects[id.index()].is_repeated = true;
    }

    /// Marks two objects that share the objects below them.
    pub(super) fn mark_shared(&mut self, of: ObjectId, twin: ObjectId) {
        self.objects[of.index()].shares_children = true;
        self.objects[twin.index()].shares_children = true;
    }

    pub(super) fn set_type(&mut self, id: ObjectId, r#type: TypeId) {
        let known = &mut self.objects[id.index()].r#type;
        let typed = &mut self.undo.typed;
        self.is_exhausted |= reserve(&mut self.held, &mut self.allocated, typed, 1).is_err();
        typed.push((id, *known));
        *known = Some(r#type);
    }

    #[inline]
    pub(super) fn index(&self, object: ObjectId, slot: u32) -> usize {
        (self.object(object).cells + slot) as usize
    }

    /// Value in a slot of an object.
    #[inline]
    pub(super) fn cell(&self, object: ObjectId, slot: u32) -> Cell {
        self.cells[self.index(object, slot)]
    }

    /// Value of an item of the object's position.
    #[inline]
    pub(super) fn cell_of(&self, object: ObjectId, item: ItemId) -> Cell {
        self.cell(object, self.layout.slots[item.index()])
    }

    pub(super) fn slot(&self, item: ItemId) -> u32 {
        self.layout.slots[item.index()]
    }

    /// Cells of an object, and those behind them.
    #[inline]
    pub(super) fn cells_of(&self, object: &Object) -> &[Cell] {
        self.cells.get(object.cells as usize..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn set(&mut self, object: ObjectId, slot: u32, cell: Cell) {
        self.set_at(self.index(object, slot), cell);
    }

    /// Sets a cell by its index.
    #[inline]
    pub(super) fn set_at(&mut self, index: usize, cell: Cell) {
        let known = self.cells[index];
        // A value is not replaced by null or a failure.
        if known.is_value() && !cell.is_value() {
            return;
        }
        if index < self.undo.cells {
            let changed = &mut self.undo.changed;
            self.is_exhausted |= reserve(&mut self.held, &mut self.allocated, changed, 1).is_err();
            changed.push((index, known));
        }
        self.cells[index] = cell;
    }

    /// Begins a list; the result is passed to `close_list`.
    pub(super) fn open_list(&self) -> usize {
        self.open.len()
    }

    #[inline]
    pub(super) fn push(&mut self, cell: Cell) -> Result<(), BudgetExceeded> {
        self.check_exhausted()?;
        reserve(&mut self.held, &mut self.allocated, &mut self.open, 1)?;
        self.open.push(cell);
        Ok(())
    }

    /// Number of elements of a list that is being read.
    pub(super) fn open_length(&self, begin: usize) -> usize {
        self.open.len() - begin
    }

    pub(super) fn close_list(&mut self, begin: usize) -> Result<Cell, BudgetExceeded> {
        self.check_exhausted()?;
        let start = narrow(self.elements.len());
        let more = self.open.len() - begin;
        reserve(&mut self.held, &mut self.allocated, &mut self.elements, more)?;
        self.elements.extend(self.open.drain(begin..));
        Ok(Cell::List { start, end: narrow(self.elements.len()) })
    }

    pub(super) fn list(&self, start: u32, end: u32) -> &[Cell] {
        self.elements.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Position of the objects of an item.
    pub(super) fn child_of(&self, item: ItemId) -> Option<PositionId> {
        self.layout.children[item.index()]
    }

    /// Whether objects may occur several times in the response.
    pub(super) fn is_shared(&self) -> bool {
        self.layout.is_shared
    }

    /// Whether a condition holds for all objects of a value.
    pub(super) fn all_objects(&self, cell: Cell, holds: &impl Fn(ObjectId) -> bool) -> bool {
        match cell {
            Cell::Object(object) => holds(object),
            Cell::List { start, end } => {
                self.list(start, end).iter().all(|cell| self.all_objects(*cell, holds))
            }
            Cell::Absent | Cell::Null | Cell::Unknown | Cell::Failed(_) | Cell::Leaf { .. } => true,
        }
    }

    /// Bytes of a leaf.
    #[inline]
    pub(super) fn leaf(&self, buffer: u32, start: u32, end: u32) -> &[u8] {
        self.buffers[buffer as usize].get(start as usize..end as usize).unwrap_or_default()
    }

    /// Bytes of a cell, if it is a leaf.
    #[inline]
    pub(super) fn leaf_of(&self, cell: Cell) -> Option<&[u8]> {
        match cell {
            Cell::Leaf { buffer, start, end } => Some(self.leaf(buffer, start, end)),
            Cell::Absent
            | Cell::Null
            | Cell::Unknown
            | Cell::Failed(_)
            | Cell::Object(_)
            | Cell::List { .. } => None,
        }
    }

    /// Length of a leaf and its first bytes as an integer; `None` for other cells.
    #[inline]
    pub(super) fn prefix_of(&self, cell: Cell) -> Option<(usize, u64)> {
        let Cell::Leaf { buffer, start, end } = cell else { return None };
        let length = (end - start) as usize;
        let rest = self.buffers[buffer as usize].get(start as usize..)?;
        let word = match rest.first_chunk() {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => rest.iter().rev().fold(0, |word, byte| word << u8::BITS | u64::from(*byte)),
        };
        let bits = u8::BITS * u32::try_from(length.min(PREFIX_BYTES)).unwrap_or_default();
        let mask = u64::MAX.checked_shr(u64::BITS - bits).unwrap_or_default();
        Some((length, word & mask))
    }

    /// Appends the bytes of a leaf.
    #[inline]
    pub(super) fn append_leaf(&self, bytes: &mut Vec<u8>, buffer: u32, start: u32, end: u32) {
        append_range(bytes, &self.buffers[buffer as usize], start as usize, end as usize);
    }

    pub(super) fn address_of(&self, object: ObjectId, slot: u32) -> CellAddress {
        CellAddress::OfObject(self.index(object, slot))
    }

    pub(super) fn cell_at(&self, place: CellAddress) -> Cell {
        let cell = match place {
            CellAddress::OfObject(index) => self.cells.get(index),
            CellAddress::Element(index) => self.elements.get(index),
        };
        cell.copied().unwrap_or(Cell::Absent)
    }

    /// Records the cause of a missing value.
    pub(super) fn fail(&mut self, place: CellAddress, cause: CauseId) {
        let cell = match place {
            CellAddress::OfObject(index) => self.cells.get_mut(index),
            CellAddress::Element(index) => self.elements.get_mut(index),
        };
        if let Some(cell) = cell.filter(|cell| !cell.is_value()) {
            *cell = Cell::Failed(cause);
        }
    }
}
