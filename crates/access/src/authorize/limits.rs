//! Row limits of grants: the most rows of a list.
//!
//! A limit cuts the page of rows that are part of the response; for each outer row where they are
//! related rows. Counts and aggregates are over all readable rows. A list of several entities has
//! the smallest of their limits. Without a limit are rows that are found by keys, since each key
//! finds one row, and rows that a change returns, since it is the change that is restricted; rows
//! that a function gives have one where changes return what they reach.

use catalog::{EntityId, FunctionResult, Type};
use ir::{Call, From, Rows, StepId, Variant};

use super::{Changed, Walk};

impl Walk<'_> {
    /// Cuts the page of rows to the limit of the grants.
    pub(super) fn limit(&mut self, rows: &mut Rows) {
        if rows.single || !rows.shown {
            return;
        }
        let most = match &rows.from {
            From::Entity(entity) => self.set.row_limit(*entity),
            From::Relation(hop) | From::Through { far: hop, .. } => {
                self.set.row_limit(self.far(*hop))
            }
            From::Joining { near, .. } => self.set.row_limit(self.far(*near)),
            From::Variants(variants) => self.smallest_limit(variants),
            From::FunctionOfVariants { variants, .. } => self.smallest_limit(variants),
            From::Function(call) => {
                self.returned_entity(call).and_then(|entity| self.set.row_limit(entity))
            }
            From::Value(field) => {
                let row = self.catalog.find_rows(&self.catalog[*field].r#type);
                row.and_then(|(entity, _)| self.set.row_limit(entity))
            }
            From::Search { search, .. } => self.set.row_limit(self.catalog[*search].entity),
            From::Returned { step, .. } => self.given_by_function(*step),
            From::Keys { .. } | From::Event(_) | From::List { .. } | From::Once => None,
        };
        if let Some(most) = most {
            if rows.page.is_unlimited() {
                self.limited.insert(rows.id);
            }
            rows.page.cut(most);
        }
    }

    fn smallest_limit(&self, variants: &[Variant]) -> Option<u64> {
        variants.iter().filter_map(|variant| self.set.row_limit(variant.entity)).min()
    }

    /// The limit of rows that a function gave, where such rows are granted as any others.
    fn given_by_function(&self, step: StepId) -> Option<u64> {
        match self.changed.get(&step)? {
            Changed { entity: Some(entity), is_given: true, .. }
                if self.set.changes_unreadable() =>
            {
                self.set.row_limit(*entity)
            }
            Changed { .. } => None,
        }
    }

    pub(super) fn returned_entity(&self, call: &Call) -> Option<EntityId> {
        match self.catalog[call.function].result {
            FunctionResult::Row(entity)
            | FunctionResult::Rows(entity)
            | FunctionResult::RowArray(entity) => Some(entity),
            FunctionResult::Value(_) | FunctionResult::Values(_) | FunctionResult::Nothing => None,
        }
    }

    /// Returns true if a value of the type is a list of rows that has a limit.
    pub(super) fn is_limited(&self, element: &Type) -> bool {
        match self.catalog.base_type(element) {
            Type::Row(entity) => self.set.row_limit(*entity).is_some(),
            _ => false,
        }
    }
}
