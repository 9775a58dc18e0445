//! Conditions of version 3 of a graph's API on nodes of several types: conditions for some of the
//! types, beside those for all.

use std::sync::Arc;

use graphql::schema::InputId;
use ir::Filter;

use super::{FilterContext, PresentInput, RelatedRows};
use crate::input::{Input, Presence};
use crate::selection::misplaced;
use crate::variants::OfVariant;
use crate::{Context, LowerError};
use api::binding::{InputRole, RowsRole, VariantRole, VariantsId};

impl Context<'_> {
    /// Filters rows by related rows of several entities, where each entity has a condition of its
    /// own: all of these must hold, and entities that are not named have none.
    pub(super) fn related_each(
        &self,
        given: PresentInput<'_, '_>,
        variants: VariantsId,
        role: &RowsRole,
    ) -> Result<Option<Filter>, LowerError> {
        let mut filters = Vec::new();
        for (id, input) in self.entries(given.input, self.api.schema[given.id].r#type.base)? {
            let binding = self.api.input(id);
            let InputRole::Variant(VariantRole::Of(number)) = binding.role else {
                return Err(misplaced("a condition on rows of one of several entities"));
            };
            let mut all = self.api.variants(variants).iter();
            let hop = all.find(|variant| variant.number == number).and_then(|variant| variant.hop);
            if let Some(hop) = hop
                && self.presence(&input) == Presence::Present
            {
                let rows = RelatedRows::One(hop);
                let around = FilterContext::of_rows(rows);
                let given = PresentInput { id, input: &input, binding, around, ..given };
                filters.extend(self.of_rows(given, role, rows)?);
            }
        }
        Ok(if filters.is_empty() { None } else { Some(Filter::and(filters)) })
    }

    /// Conditions on rows of all entities that one entity overrides by others of the same names.
    pub(super) fn overridden(
        &self,
        entries: &[(InputId, Input<'_>)],
        own: OfVariant<'_>,
    ) -> Result<Vec<Arc<str>>, LowerError> {
        let is_on = |(id, _): &&(InputId, Input<'_>)| {
            matches!(self.api.input(*id).role, InputRole::Variant(VariantRole::On))
        };
        let Some((id, input)) = entries.iter().find(is_on) else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        for (id, input) in self.entries(input, self.api.schema[*id].r#type.base)? {
            if self.api.input(id).role == InputRole::Variant(VariantRole::Of(own.number)) {
                let members = self.entries(&input, self.api.schema[id].r#type.base)?;
                names.extend(members.iter().map(|(id, _)| Arc::clone(&self.api.schema[*id].name)));
            }
        }
        Ok(names)
    }
}
