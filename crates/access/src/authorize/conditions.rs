//! Grants of conditions and orders, which read no more than the response reveals.

use catalog::{EntityId, FunctionResult};
use ir::{Call, Distance, Filter, Hop, OrderKey, OtherVector, Quantifier, ValueRef};

use super::{Walk, Within};
use crate::Privilege;
use crate::set::Cell;

impl Walk<'_> {
    pub(super) fn order_key(&mut self, key: &mut OrderKey, within: &mut Within) {
        match key {
            OrderKey::Value(place) => self.place(place, within),
            OrderKey::Relation { path, hop, filter, aggregate } => {
                let entity = self.path(path, within);
                let mut below = self.along(*hop, &Within { entity, ..Within::nothing() });
                self.filter(filter, &mut below);
                below.paths = Some(Vec::new());
                self.aggregate(aggregate, &mut below);
                // A join row counts as absent if its other row is hidden.
                let mut visible = vec![below.visible];
                let paths = below.paths.unwrap_or_default();
                visible.extend(paths.into_iter().map(|(path, visible)| behind(&path, visible)));
                let own = std::mem::replace(filter, Filter::all());
                *filter = Filter::barrier(Filter::and(visible), own);
            }
            OrderKey::Call(call) => self.call(call, within),
            OrderKey::FunctionRows { call, filter, aggregate } => {
                let mut below = self.rows_of_function(call, within);
                self.filter(filter, &mut below);
                self.aggregate(aggregate, &mut below);
                let own = std::mem::replace(filter, Filter::all());
                *filter = Filter::barrier(below.visible, own);
            }
        }
    }

    /// Returns true for the order of a field of the rows that may not be read.
    pub(super) fn is_order_denied(&self, key: &OrderKey) -> bool {
        match key {
            OrderKey::Value(ValueRef::Field { path, field }) if path.is_empty() => {
                self.set.cell(self.catalog, *field) == Cell::Denied
            }
            _ => false,
        }
    }

    /// The rows that a function of the row returns, within a condition.
    fn rows_of_function(&mut self, call: &Call, within: &mut Within) -> Within {
        self.may_call(call);
        if let Some(path) = &call.of_row {
            self.path(path, within);
        }
        match self.catalog[call.function].result {
            FunctionResult::Row(entity)
            | FunctionResult::Rows(entity)
            | FunctionResult::RowArray(entity) => {
                let visible = self.visible(entity);
                Within::rows(Some(entity), visible)
            }
            FunctionResult::Values(_) | FunctionResult::Value(_) | FunctionResult::Nothing => {
                self.unsupported("a condition on values of a function");
                Within::nothing()
            }
        }
    }

    /// Follows a relationship within a condition.
    pub(super) fn along(&mut self, hop: Hop, within: &Within) -> Within {
        let (entity, visible) = self.hop(hop, within.entity);
        Within::rows(Some(entity), visible)
    }

    pub(super) fn place(&mut self, place: &mut ValueRef, within: &mut Within) {
        match place {
            ValueRef::Field { path, field } => {
                if let Some(filter) = self.cell(path, *field, within) {
                    let hidden = std::mem::replace(place, ValueRef::Common(0));
                    *place = ValueRef::If { place: Box::new(hidden), filter: Box::new(filter) };
                }
            }
            ValueRef::Edge(field) => self.edge(*field, within),
            ValueRef::Computed(call) => self.call(call, within),
            ValueRef::Distance(distance) => self.distance(distance, within),
            ValueRef::Attribute { of: place, .. }
            | ValueRef::Truncated { place, .. }
            | ValueRef::Spatial { place, .. }
            | ValueRef::Distinct(place)
            | ValueRef::OrElse { place, .. }
            | ValueRef::Aggregated { place, .. } => self.place(place, within),
            ValueRef::Coalesce(places) => {
                places.iter_mut().for_each(|place| self.place(place, within));
            }
            ValueRef::Counted { .. } => {}
            ValueRef::Common(place) => self.common(*place, within),
            ValueRef::Together(fields) => {
                fields.iter().for_each(|field| self.plain(*field));
            }
            ValueRef::If { .. } => self.unsupported("a value with a condition"),
            ValueRef::Outer { .. } => self.unsupported("a value of an outer row"),
        }
    }

    /// Vectors cannot be masked, and the one of another row is that of a readable row.
    fn distance(&mut self, distance: &mut Distance, within: &Within) {
        match &distance.vector {
            ValueRef::Field { field, .. } => {
                let (field, entity) = (*field, self.catalog[*field].entity);
                self.check(entity, Privilege::Read, Some(field));
                self.plain(field);
            }
            ValueRef::Common(place) => self.common(*place, within),
            _ => self.unsupported("the distance of such a value"),
        }
        let rows = match &distance.to {
            OtherVector::OfRow(rows) => rows.len(),
            OtherVector::Given(_) => 0,
        };
        for (field, filter) in distance.filters_mut() {
            let entity = self.catalog[field].entity;
            if rows > 1 && !self.is_readable(entity) {
                *filter = Filter::none();
                continue;
            }
            self.plain(field);
            self.among_visible(filter, entity);
        }
    }

    /// Restricts a condition on rows of their own to the readable rows.
    fn among_visible(&mut self, filter: &mut Filter, entity: EntityId) {
        self.filter_of(filter, entity);
        let visible = self.visible(entity);
        let own = std::mem::replace(filter, Filter::all());
        *filter = Filter::barrier(visible, own);
    }

    /// A condition of the request.
    pub(super) fn filter(&mut self, filter: &mut Filter, within: &mut Within) {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter_mut().for_each(|filter| self.filter(filter, within));
            }
            Filter::Not(filter) | Filter::Except(filter) => self.filter(filter, within),
            Filter::Required(_) => self.unsupported("a required condition"),
            Filter::CompareValues { .. } | Filter::Exists { .. } => {
                self.unsupported("a condition of an access rule");
            }
            Filter::Barrier { .. } => {
                self.unsupported("a condition that comes after another");
            }
            Filter::Compare { place, .. }
            | Filter::CompareText { place, .. }
            | Filter::IsNull(place)
            | Filter::AnyElement { place, .. }
            | Filter::ElementBetween { place, .. }
            | Filter::Text { place, .. }
            | Filter::Geo { place, .. } => self.place(place, within),
            Filter::Nearest(nearest) => {
                let is_one = nearest.among.len() == 1;
                for candidates in &mut nearest.among {
                    let entity = self.catalog[candidates.key].entity;
                    if !is_one && !self.is_readable(entity) {
                        candidates.filter = Filter::none();
                        continue;
                    }
                    self.distance(&mut candidates.distance, within);
                    self.among_visible(&mut candidates.filter, entity);
                }
            }
            Filter::Relation { hop, quantifier, filter } => {
                let mut below = self.along(*hop, within);
                self.filter(filter, &mut below);
                if below.visible.is_all() {
                    return;
                }
                let own = std::mem::replace(&mut **filter, Filter::all());
                let own = match quantifier {
                    Quantifier::Some | Quantifier::None | Quantifier::Single => own,
                    // No readable row fails.
                    Quantifier::Every => {
                        *quantifier = Quantifier::None;
                        Filter::Not(Box::new(own))
                    }
                };
                **filter = Filter::barrier(below.visible, own);
            }
            Filter::FunctionRows { call, filter } => {
                let mut below = self.rows_of_function(call, within);
                self.filter(filter, &mut below);
                let own = std::mem::replace(&mut **filter, Filter::all());
                **filter = Filter::barrier(below.visible, own);
            }
            Filter::RelatedGroup { hop, filter, having, .. } => {
                let mut below = self.along(*hop, within);
                self.filter(filter, &mut below);
                self.filter(having, &mut below);
                let own = std::mem::replace(&mut **filter, Filter::all());
                **filter = Filter::barrier(below.visible, own);
            }
            Filter::VariantGroup { variants, having, .. } => {
                for variant in variants {
                    let Some(hop) = variant.hop else { continue };
                    let mut below = self.along(hop, within);
                    self.filter(&mut variant.filter, &mut below);
                    let own = std::mem::replace(&mut variant.filter, Filter::all());
                    variant.filter = Filter::barrier(below.visible, own);
                }
                self.filter(having, &mut Within::nothing());
            }
        }
    }

    /// A condition of the request on rows that it changes.
    pub(super) fn filter_of(&mut self, filter: &mut Filter, entity: EntityId) {
        let mut within = Within::rows(Some(entity), Filter::all());
        self.filter(filter, &mut within);
    }
}

/// A condition on the row at the end of a path of to-one hops.
fn behind(path: &[Hop], filter: Filter) -> Filter {
    path.iter().rev().fold(filter, |filter, hop| Filter::Relation {
        hop: *hop,
        quantifier: Quantifier::Some,
        filter: Box::new(filter),
    })
}
