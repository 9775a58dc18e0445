//! Grants of fields, of related rows and of functions.

use catalog::{EntityId, FieldId, FunctionResult, Scalar, Type};
use ir::{Call, Filter, Hop};

use super::{Checked, Walk, Within};
use crate::denial::Denial;
use crate::grant::Privilege;
use crate::set::Cell;

impl Walk<'_> {
    /// Follows a path; returns the entity at its end.
    pub(super) fn path(&mut self, path: &[Hop], within: &mut Within) -> Option<EntityId> {
        let mut entity = within.entity;
        for (place, hop) in path.iter().enumerate() {
            let (target, visible) = self.hop(*hop, entity);
            let visible = Filter::and(vec![visible, self.restricted_end(target)]);
            entity = Some(target);
            if visible.is_all() {
                continue;
            }
            let path = path.get(..=place).unwrap_or_default();
            match &mut within.paths {
                Some(paths) if paths.iter().any(|(known, _)| known == path) => {}
                Some(paths) => paths.push((path.to_vec(), visible)),
                None => self.unsupported("a related row within a condition"),
            }
        }
        entity
    }

    /// The condition under which the value of a field may be read, if not always.
    pub(super) fn cell(
        &mut self,
        path: &[Hop],
        field: FieldId,
        within: &mut Within,
    ) -> Option<Filter> {
        let entity = self.path(path, within);
        if entity.is_none_or(|entity| entity != self.catalog[field].entity) {
            self.unsupported("a field of other rows");
        }
        self.check(self.catalog[field].entity, Privilege::Read, Some(field));
        // Parts of a value cannot be masked.
        if self.hides(&self.catalog[field].r#type) {
            self.unsupported("a value that is a row");
        }
        match self.set.cell(self.catalog, field) {
            Cell::Plain => None,
            // The rows related to it at its deletion are unknown.
            Cell::Masked(filter)
                if within.is_gone && path.is_empty() && filter.reads_other_rows() =>
            {
                self.deny(Denial::Hidden(field));
                None
            }
            Cell::Masked(filter) => Some(filter),
            Cell::Denied => {
                self.deny(Denial::Field(field, Privilege::Read));
                None
            }
        }
    }

    /// Returns true if a value of the type contains rows that are only partly readable. No
    /// composite contains itself.
    pub(super) fn hides(&self, r#type: &Type) -> bool {
        match self.catalog.base_type(r#type) {
            Type::Row(entity) => {
                let all = self.set.visible(self.catalog, *entity);
                let mut fields = self.catalog[*entity].fields.iter();
                let is_plain = |field: &FieldId| self.set.cell(self.catalog, *field) == Cell::Plain;
                !all.is_some_and(|rows| rows.is_all()) || !fields.all(is_plain)
            }
            Type::List(element) => self.hides(element) || self.is_limited(element),
            Type::Composite(composite) => {
                let mut attributes = self.catalog[*composite].attributes.iter();
                attributes.any(|attribute| self.hides(&attribute.r#type))
            }
            // The type of a row deeper in a value is known by name only, which is that of its table.
            Type::Scalar(Scalar::Other(name)) => self.catalog.entities().any(|entity| {
                entity.kind.is_stored() && entity.name == *name && self.hides(&Type::Row(entity.id))
            }),
            Type::Scalar(_) | Type::Enum(_) | Type::Range(_) | Type::Domain(_) => false,
        }
    }

    pub(super) fn may_call(&mut self, call: &Call) {
        self.checked.insert(Checked::Function(call.function));
        if !self.set.may_call(call.function) {
            self.deny(Denial::Function(call.function));
        }
    }

    pub(super) fn call(&mut self, call: &Call, within: &mut Within) {
        self.may_call(call);
        // Parts of a value cannot be masked.
        let hides = match self.catalog[call.function].result {
            FunctionResult::Value(field) | FunctionResult::Values(field) => {
                self.hides(&self.catalog[field].r#type)
            }
            FunctionResult::Row(entity) => self.hides(&Type::Row(entity)),
            FunctionResult::Rows(entity) | FunctionResult::RowArray(entity) => {
                let row = Type::Row(entity);
                self.hides(&row) || self.is_limited(&row)
            }
            FunctionResult::Nothing => false,
        };
        if hides {
            self.unsupported("a value that is a row");
        }
        if let Some(path) = &call.of_row {
            self.path(path, within);
        }
    }
}
