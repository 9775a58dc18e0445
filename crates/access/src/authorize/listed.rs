//! Rows that a change of objects lists by their keys.

use catalog::{EntityId, FieldId};
use ir::{Comparison, Filter, Operand, ValueRef};

/// The rows whose fields are each one of a list.
pub(super) struct Listed<'c> {
    pub(super) entity: EntityId,
    pub(super) lists: Vec<(FieldId, &'c Operand)>,
}

impl Listed<'_> {
    pub(super) fn filter(&self) -> Filter {
        let one = |(field, operand): &(FieldId, &Operand)| Filter::Compare {
            place: ValueRef::field(*field),
            comparison: Comparison::In,
            operand: (*operand).clone(),
        };
        Filter::and(self.lists.iter().map(one).collect())
    }
}
