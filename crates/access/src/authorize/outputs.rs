//! Grants of outputs.

use catalog::FieldId;
use ir::{Aggregate, AggregateFunction, Output, OutputKind, ValueRef};

use super::{Walk, Within};
use crate::refused::Part;

impl Walk<'_> {
    pub(super) fn output(&mut self, output: &mut Output, within: &mut Within) {
        match &mut output.kind {
            OutputKind::Field { path, field, form } => {
                if let Some(filter) = self.cell(path, *field, within) {
                    let (path, field, form) = (std::mem::take(path), *field, *form);
                    output.kind = OutputKind::FieldIf { path, field, form, filter };
                }
            }
            OutputKind::Present { path } => {
                self.path(path, within);
            }
            OutputKind::FieldIf { .. } | OutputKind::PresentIf { .. } => {
                self.unsupported("a value with a condition");
            }
            OutputKind::Edge { field, .. } => self.edge(*field, within),
            OutputKind::Related { path, rows } => {
                let outer = self.path(path, within);
                let before = self.enter(Part::Rows(rows.id));
                self.rows(rows, outer);
                self.limit(rows);
                self.part = before;
            }
            OutputKind::Aggregate(aggregate) => self.aggregate(aggregate, within),
            OutputKind::Computed { call, .. } => self.call(call, within),
            OutputKind::OrderValue(key) => self.order_key(key, within),
            // They count readable rows, or those that a step was permitted to change.
            OutputKind::Count | OutputKind::Counter { .. } | OutputKind::Ordinal => {}
            OutputKind::Common { place, .. } => self.common(*place, within),
            OutputKind::Variant => {}
            OutputKind::Groups(groups) => {
                self.unsupported("groups with their rows");
                self.outputs(&mut groups.outputs, within);
            }
        }
    }

    pub(super) fn edge(&mut self, field: FieldId, within: &Within) {
        match within.edge == Some(self.catalog[field].entity) {
            true => self.plain(field),
            false => self.unsupported("a property of a relationship"),
        }
    }

    pub(super) fn aggregate(&mut self, aggregate: &mut Aggregate, within: &mut Within) {
        for place in &mut aggregate.group_by {
            self.grouped(place, within);
        }
        for term in &mut aggregate.terms {
            if let Some(place) = &mut term.place {
                match term.function {
                    AggregateFunction::GroupKey => self.grouped(place, within),
                    _ => self.place(place, within),
                }
            }
        }
        if let Some(having) = &mut aggregate.having {
            self.filter(having, within);
        }
    }

    /// Values of groups cannot be masked.
    fn grouped(&mut self, place: &mut ValueRef, within: &mut Within) {
        match place {
            ValueRef::Field { path, field } => {
                self.path(path, within);
                self.plain(*field);
            }
            ValueRef::Truncated { place, .. } | ValueRef::Attribute { of: place, .. } => {
                self.grouped(place, within);
            }
            ValueRef::Edge(_)
            | ValueRef::Computed(_)
            | ValueRef::Aggregated { .. }
            | ValueRef::Common(_) => {
                self.place(place, within);
            }
            ValueRef::Coalesce(places) => {
                places.iter_mut().for_each(|place| self.grouped(place, within));
            }
            ValueRef::Counted { .. }
            | ValueRef::Distinct(_)
            | ValueRef::Together(_)
            | ValueRef::Distance(_)
            | ValueRef::If { .. }
            | ValueRef::Outer { .. }
            | ValueRef::Spatial { .. }
            | ValueRef::OrElse { .. } => {
                self.unsupported("groups of such values");
            }
        }
    }
}
