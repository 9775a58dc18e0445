//! Grants of rows of several entities in one list: of an interface, of a union.
//!
//! The rows of each entity are those that its own grants permit, and so are the values of their
//! fields. An entity without a grant has no rows in the list, as a row without a grant has no place
//! in a list of its own; a list of which no entity is granted is denied. Common fields are values of
//! all entities together: they are used only if each of them may be read in all rows.

use catalog::EntityId;
use ir::{Filter, From, Page, Rows, Variant};

use super::{Walk, Within};
use crate::denial::Denial;
use crate::grant::Privilege;

impl Walk<'_> {
    /// Restricts rows of several entities to those that are granted.
    pub(super) fn grant_variants(&mut self, rows: &mut Rows, outer: Option<EntityId>) {
        let Rows { from: From::Variants(variants), filter, order, page, distinct, outputs, .. } =
            rows
        else {
            return;
        };
        // Conditions are those of each variant.
        let has_key = matches!(page, Page::BesideRows(_));
        if !filter.is_all() || !distinct.is_empty() || has_key {
            self.unsupported("one condition on rows of several entities");
        }
        let mut commons = Vec::new();
        for variant in variants.iter_mut() {
            self.check(variant.entity, Privilege::Read, None);
            if self.is_readable(variant.entity) && !variant.filter.is_none() {
                self.grant_variant(variant, outer);
                commons.push(variant.common.clone());
            } else {
                // It has no rows from which these could be read.
                variant.filter = Filter::none();
                variant.outputs.clear();
            }
        }
        let first = variants.first().map(|variant| variant.entity);
        if let Some(first) = first
            && !variants.iter().any(|variant| self.is_readable(variant.entity))
        {
            self.deny(Denial::Entity(first, Privilege::Read));
        }
        let mut within = Within { commons: Some(commons), ..Within::nothing() };
        for term in order {
            self.order_key(&mut term.key, &mut within);
        }
        self.outputs(outputs, &mut within);
        outputs.retain(|output| !self.refused.takes(output));
    }

    fn grant_variant(&mut self, variant: &mut Variant, outer: Option<EntityId>) {
        let (visible, edge) = match (variant.through, variant.hop) {
            (None, None) => (self.visible(variant.entity), None),
            (None, Some(hop)) => (self.hop(hop, outer).1, None),
            (Some(near), Some(far)) => {
                let (edge, may_join) = self.hop(near, outer);
                if !may_join.is_all() {
                    self.unsupported("joining rows of several entities");
                }
                (self.hop(far, Some(edge)).1, Some(edge))
            }
            (Some(_), None) => {
                self.unsupported("joining rows alone");
                return;
            }
        };
        let paths = Some(Vec::new());
        let mut within = Within { edge, paths, ..Within::rows(Some(variant.entity), visible) };
        self.filter(&mut variant.filter, &mut within);
        self.outputs(&mut variant.outputs, &mut within);
        variant.outputs.retain(|output| !self.refused.takes(output));
        for (path, filter) in within.paths.unwrap_or_default() {
            self.present_if(&mut variant.outputs, path, filter);
        }
        let own = std::mem::replace(&mut variant.filter, Filter::all());
        variant.filter = Filter::barrier(within.visible, own);
    }

    /// Returns true if some rows of the entity may be read.
    pub(super) fn is_readable(&self, entity: EntityId) -> bool {
        self.set.visible(self.catalog, entity).is_some()
    }

    /// Checks a field that all entities of the rows have.
    pub(super) fn common(&mut self, place: u16, within: &Within) {
        let Some(commons) = &within.commons else {
            return self.unsupported("a common field of one entity");
        };
        for fields in commons {
            match fields.get(usize::from(place)) {
                Some(field) => self.plain(*field),
                None => self.unsupported("a common field of some entities"),
            }
        }
    }
}
