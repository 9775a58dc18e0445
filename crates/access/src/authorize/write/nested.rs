//! Grants of writes within a write: each row by the grants of its own entity.

use catalog::FieldId;
use ir::{
    ChildWrite, Comparison, Filter, HopDirection, Operand, Value, ValueRef, Write, WriteKind,
};

use super::super::Walk;
use crate::denial::Denial;
use crate::grant::Presets;

impl Walk<'_> {
    /// Authorizes the writes below a write.
    pub(super) fn children(&mut self, write: &mut Write) {
        for child in &mut write.children {
            self.child(child);
        }
    }

    fn child(&mut self, child: &mut ChildWrite) {
        let determined = self.determined(&child.write, Some(child));
        let write = &mut child.write;
        self.children(write);
        let entity = write.entity;
        let check = match &mut write.kind {
            WriteKind::Insert(insert) => self.insert(entity, insert, &determined),
            WriteKind::Upsert { insert, conflict } => {
                let check = self.upsert(entity, insert, conflict, &determined);
                // That a row is left as it is would be an error, which is known of whole steps only.
                let may_be_left = !conflict.assignments.is_empty() && !conflict.filter.is_all();
                if may_be_left && !self.set.changes_unreadable() {
                    self.deny(Denial::NotUnderstood("an upsert within a write"));
                }
                check
            }
            _ => return self.deny(Denial::NotUnderstood("this kind of write within a write")),
        };
        write.check = check.unwrap_or_else(Filter::all);
    }

    /// The fields of new rows that relationships to other rows of the write set.
    pub(super) fn determined(&self, write: &Write, child: Option<&ChildWrite>) -> Vec<FieldId> {
        let mut fields = Vec::new();
        if let Some(child) = child
            && child.hop.direction == HopDirection::Backward
        {
            fields.extend_from_slice(&self.catalog[child.hop.relationship].from_fields);
        }
        let below = write.children.iter().map(|child| child.hop);
        for hop in below.filter(|hop| hop.direction == HopDirection::Forward) {
            fields.extend_from_slice(&self.catalog[hop.relationship].from_fields);
        }
        fields
    }
}

/// The condition that relationships set preset fields to the preset values.
pub(super) fn as_preset(presets: &Presets, determined: &[FieldId]) -> Filter {
    let presets = presets.iter().filter(|(field, _)| determined.contains(field));
    let one = |(field, operand): &(FieldId, Operand)| {
        let place = ValueRef::field(*field);
        match operand {
            Operand::Constant(Value::Null) => Filter::IsNull(place),
            _ => {
                let (comparison, operand) = (Comparison::Equal, operand.clone());
                Filter::Compare { place, comparison, operand }
            }
        }
    };
    Filter::and(presets.map(one).collect())
}

/// Two checks, where both are left to do.
pub(super) fn both(one: Option<Filter>, other: Filter) -> Option<Filter> {
    match (one, other.is_all()) {
        (one, true) => one,
        (None, false) => Some(other),
        (Some(one), false) => Some(Filter::and(vec![one, other])),
    }
}
