//! What is asked of rows.

use catalog::FieldId;
use ir::{Aggregate, AggregateFunction, Output, OutputKind, Place};

use super::super::denial::Denial;
use super::super::withhold::Part;
use super::{Walk, Within};

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
                self.deny(Denial::NotUnderstood("a value with a condition"));
            }
            OutputKind::Edge { field, .. } => self.edge(*field, within),
            OutputKind::Related { path, rows } => {
                let outer = self.path(path, within);
                let before = self.enter(Part::Rows(rows.id));
                self.rows(rows, outer);
                self.part = before;
            }
            OutputKind::Aggregate(aggregate) => self.aggregate(aggregate, within),
            OutputKind::Computed { call, .. } => self.call(call, within),
            OutputKind::OrderValue(key) => self.order_key(key, within),
            // Of the rows that may be seen; of what a step did within what it might.
            OutputKind::Count | OutputKind::Counter { .. } | OutputKind::Ordinal => {}
            OutputKind::Common { .. } | OutputKind::Variant => {
                self.deny(Denial::NotUnderstood("rows of several entities"));
            }
            OutputKind::Groups(_) => self.deny(Denial::NotUnderstood("groups with their rows")),
        }
    }

    pub(super) fn edge(&mut self, field: FieldId, within: &Within) {
        match within.edge == Some(self.catalog[field].entity) {
            true => self.plain(field),
            false => self.deny(Denial::NotUnderstood("a property of a relationship")),
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

    /// Groups are made of values that may all be seen.
    fn grouped(&mut self, place: &mut Place, within: &mut Within) {
        match place {
            Place::Field { path, field } => {
                self.path(path, within);
                self.plain(*field);
            }
            Place::Truncated { place, .. } | Place::Attribute { of: place, .. } => {
                self.grouped(place, within);
            }
            Place::Edge(_) | Place::Computed(_) | Place::Aggregated { .. } => {
                self.place(place, within);
            }
            Place::Counted { .. } | Place::Common(_) | Place::If { .. } | Place::OrElse { .. } => {
                self.deny(Denial::NotUnderstood("groups of such values"));
            }
        }
    }
}
