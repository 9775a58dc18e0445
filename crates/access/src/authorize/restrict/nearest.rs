//! Restrictions of the nearest rows.
//!
//! Only rows that pass are among the nearest, and only vectors of such rows are the other vector, in
//! the condition as in orders and outputs: a distance from the vector of a hidden row reveals it.

use catalog::{EntityId, FieldId};
use ir::{Filter, Nearest, OrderKey, OrderTerm, Output, ValueRef};

use super::super::Walk;
use super::super::requirement::add;
use super::order_keys;

/// The rows that pass, by their entity.
type Passes<'p> = &'p [(EntityId, Filter)];

impl Walk<'_> {
    /// Restricts the rows that a condition on the nearest ones reads.
    pub(super) fn restrict_nearest(&self, filter: &mut Filter, passes: Passes<'_>) {
        each_nearest(filter, &mut |nearest| self.restrict_each(nearest.filters_mut(), passes));
    }

    /// Restricts the rows whose vectors outputs and orders measure distances from.
    pub(super) fn restrict_distances(
        &self,
        (outputs, order): (&mut [Output], &mut [OrderTerm]),
        passes: Passes<'_>,
    ) {
        for key in order_keys(outputs, order) {
            if let OrderKey::Value(ValueRef::Distance(distance)) = key {
                self.restrict_each(distance.filters_mut(), passes);
            }
        }
    }

    /// Restricts rows, which are given by a field and a condition. No row of another entity passes.
    fn restrict_each<'f>(
        &self,
        filters: impl Iterator<Item = (FieldId, &'f mut Filter)>,
        passes: Passes<'_>,
    ) {
        for (field, filter) in filters {
            let entity = self.catalog[field].entity;
            let own = passes.iter().find(|(of, _)| *of == entity);
            add(filter, own.map_or_else(Filter::none, |(_, passes)| passes.clone()));
        }
    }
}

/// Returns true if a condition chooses the nearest rows.
pub(super) fn has_nearest(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) => filters.iter().any(has_nearest),
        Filter::Barrier { then, .. } => has_nearest(then),
        Filter::Nearest(_) => true,
        _ => false,
    }
}

/// Calls a function for each choice of the nearest rows in a conjunction.
fn each_nearest(filter: &mut Filter, call: &mut impl FnMut(&mut Nearest)) {
    match filter {
        Filter::And(filters) => {
            filters.iter_mut().for_each(|filter| each_nearest(filter, call));
        }
        Filter::Barrier { then, .. } => each_nearest(then, call),
        Filter::Nearest(nearest) => call(nearest),
        _ => {}
    }
}
