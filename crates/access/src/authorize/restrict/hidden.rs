//! Rows that conditions of the request must not reveal.

use catalog::EntityId;
use ir::{Filter, From, OrderKey, Quantifier, Rows};

use super::super::Walk;
use super::order_keys;
use crate::denial::Denial;
use crate::restriction::Action;
use crate::set::Stage;

impl Walk<'_> {
    /// The rows at the end of a path that the restrictions do not hide.
    pub(in crate::authorize) fn restricted_end(&mut self, entity: EntityId) -> Filter {
        if !self.is_restricted() {
            return Filter::all();
        }
        self.open(entity, &[], Action::Read);
        let set = &self.set.restrictions;
        let visible = set.in_conditions(entity);
        let required = set.validation(entity, &[], Action::Read, Stage::Before);
        if set.filter(entity, &[], Action::Read) != visible || !required.is_all() {
            self.deny(Denial::NotUnderstood("a row referred to"));
        }
        visible
    }

    /// Makes hidden rows absent in the conditions and orders of the request on related rows.
    pub(super) fn hide_in_conditions(&self, rows: &mut Rows) {
        self.hide(&mut rows.filter);
        if let From::Variants(variants) | From::FunctionOfVariants { variants, .. } = &mut rows.from
        {
            variants.iter_mut().for_each(|variant| self.hide(&mut variant.filter));
        }
        for key in order_keys(&mut rows.outputs, &mut rows.order) {
            match key {
                OrderKey::Relation { hop, filter, .. } => {
                    self.hide(filter);
                    let visible = self.set.restrictions.in_conditions(self.far(*hop));
                    put_first(filter, visible);
                }
                OrderKey::FunctionRows { call, filter, .. } => {
                    self.hide(filter);
                    if let Some(entity) = self.returned_entity(call) {
                        put_first(filter, self.set.restrictions.in_conditions(entity));
                    }
                }
                OrderKey::Value(_) | OrderKey::Call(_) => {}
            }
        }
    }

    fn hide(&self, filter: &mut Filter) {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter_mut().for_each(|filter| self.hide(filter));
            }
            Filter::Not(filter) | Filter::Except(filter) => self.hide(filter),
            // Conditions of rules read everything.
            Filter::Required(_) => {}
            Filter::Barrier { then, .. } => self.hide(then),
            Filter::Compare { .. }
            | Filter::CompareText { .. }
            | Filter::CompareValues { .. }
            // Conditions of rules alone have it.
            | Filter::Exists { .. }
            | Filter::IsNull(_)
            | Filter::AnyElement { .. }
            | Filter::ElementBetween { .. }
            | Filter::Text { .. }
            | Filter::Geo { .. } => {}
            Filter::Nearest(nearest) => {
                nearest.filters_mut().for_each(|(_, filter)| self.hide(filter));
            }
            Filter::Relation { hop, quantifier, filter } => {
                self.hide(filter);
                let visible = self.set.restrictions.in_conditions(self.far(*hop));
                if visible.is_all() {
                    return;
                }
                // No visible row fails.
                if *quantifier == Quantifier::Every {
                    *quantifier = Quantifier::None;
                    let own = std::mem::replace(&mut **filter, Filter::all());
                    **filter = Filter::Not(Box::new(own));
                }
                put_first(filter, visible);
            }
            Filter::FunctionRows { call, filter } => {
                self.hide(filter);
                if let Some(entity) = self.returned_entity(call) {
                    put_first(filter, self.set.restrictions.in_conditions(entity));
                }
            }
            Filter::RelatedGroup { hop, filter, .. } => {
                self.hide(filter);
                put_first(filter, self.set.restrictions.in_conditions(self.far(*hop)));
            }
            Filter::VariantGroup { variants, .. } => {
                for variant in variants {
                    self.hide(&mut variant.filter);
                    let visible = self.set.restrictions.in_conditions(variant.entity);
                    put_first(&mut variant.filter, visible);
                }
            }
        }
    }
}

fn put_first(filter: &mut Filter, first: Filter) {
    let own = std::mem::replace(filter, Filter::all());
    *filter = Filter::barrier(first, own);
}
