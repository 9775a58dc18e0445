//! Copies of an entity for all objects that stand for it: its JSON is read once.

use response::BudgetExceeded;

use super::arena::{Arena, Cell, ObjectId};
use crate::plan::{Read, Shape, Value};

/// An object with its shape. All objects of one entity have the same members under the same names,
/// at positions of their own.
pub(super) type Copied<'c> = (ObjectId, &'c Shape);

/// Copies the members of one object to another. Returns `false` without a change if the other
/// already has objects, which would have to be merged.
pub(super) fn copy(
    arena: &mut Arena,
    from: Copied<'_>,
    to: Copied<'_>,
) -> Result<bool, BudgetExceeded> {
    let r#type = arena.object(from.0).r#type;
    let holds_objects = |read: &Read| {
        matches!(read.value, Value::Objects { .. }) && arena.cell(to.0, read.slot).is_value()
    };
    if to.1.reads_of(r#type).any(holds_objects) {
        return Ok(false);
    }
    Copying { arena }.members(from, to)?;
    Ok(true)
}

struct Copying<'c> {
    arena: &'c mut Arena,
}

impl Copying<'_> {
    /// Recursion is bounded by the depth of the selection.
    fn members(
        &mut self,
        (from, read): Copied<'_>,
        (to, target): Copied<'_>,
    ) -> Result<(), BudgetExceeded> {
        let r#type = self.arena.object(from).r#type;
        let is_same = std::ptr::eq(read, target);
        let mut is_shared = false;
        for (read, target) in read.reads_of(r#type).zip(target.reads_of(r#type)) {
            let cell = self.arena.cell(from, read.slot);
            let cell = match (&read.value, &target.value) {
                (Value::Objects { is_alone: true, .. }, _) if is_same && self.arena.is_shared() => {
                    is_shared |= matches!(cell, Cell::Object(_) | Cell::List { .. });
                    cell
                }
                (Value::Objects { shape, .. }, Value::Objects { shape: other, .. }) => {
                    self.value(cell, shape, (target, other), to)?
                }
                (Value::Leaf(_) | Value::Objects { .. }, _) => cell,
            };
            self.arena.set(to, target.slot, cell);
        }
        if is_shared {
            self.arena.mark_shared(from, to);
        }
        Ok(())
    }

    /// Recursion is bounded by list nesting and by the depth of the selection.
    fn value(
        &mut self,
        cell: Cell,
        shape: &Shape,
        (target, other): (&Read, &Shape),
        parent: ObjectId,
    ) -> Result<Cell, BudgetExceeded> {
        match cell {
            Cell::Absent | Cell::Null | Cell::Unknown | Cell::Failed(_) | Cell::Leaf { .. } => {
                Ok(cell)
            }
            Cell::List { start, end } => {
                let begin = self.arena.open_list();
                for place in start..end {
                    let cell = self.arena.list(place, place + 1).first().copied();
                    let cell = cell.unwrap_or(Cell::Absent);
                    let copy = self.value(cell, shape, (target, other), parent)?;
                    self.arena.push(copy)?;
                }
                self.arena.close_list(begin)
            }
            Cell::Object(object) => {
                let Value::Objects { position, .. } = &target.value else {
                    return Ok(Cell::Absent);
                };
                let r#type = self.arena.object(object).r#type;
                let own = self.arena.add_object(*position, r#type, Some(parent))?;
                self.members((object, shape), (own, other))?;
                Ok(Cell::Object(own))
            }
        }
    }
}
