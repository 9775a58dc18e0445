//! Conditions on related rows, and on their aggregates.

use graphql::schema::InputId;
use ir::{Filter, Hop, Quantifier};

use super::meaning::meaning;
use super::{FilterContext, PresentInput};
use crate::input::Input;
use crate::{Context, LowerError};
use api::binding::{FilterRole, InputRole, Meaning};

impl Context<'_> {
    /// Filters rows by aggregates of related rows.
    pub(super) fn related_group(
        &self,
        given: PresentInput<'_, '_>,
        hop: Hop,
        nothing: &str,
    ) -> Result<Option<Filter>, LowerError> {
        let entries = self.entries(given.input, self.api.schema[given.id].r#type.base)?;
        if entries.is_empty() {
            return meaning(given.binding.empty(), None, given.location);
        }
        let is_filter = |(id, _): &&(InputId, Input<'_>)| {
            self.api.input(*id).role == InputRole::Filter(FilterRole::GroupFilter)
        };
        let (filters, conditions): (Vec<_>, Vec<_>) = entries.iter().partition(is_filter);
        if conditions.is_empty() {
            return Err(LowerError::refused(nothing, given.location));
        }
        let mut having = Vec::with_capacity(conditions.len());
        for (id, input) in conditions {
            having.extend(self.condition(*id, input, FilterContext::default(), given.location)?);
        }
        let of_group = FilterContext { group: true, ..FilterContext::default() };
        let mut filter = Vec::with_capacity(filters.len());
        for (id, input) in filters {
            filter.extend(self.condition(*id, input, of_group, given.location)?);
        }
        let filter = Box::new(Filter::and(filter));
        Ok(match having.is_empty() {
            true => None,
            false => {
                let having = Box::new(Filter::and(having));
                Some(Filter::RelatedGroup { hop, filter, having, once: false })
            }
        })
    }

    /// Filters rows by related rows.
    pub(super) fn related(
        &self,
        given: PresentInput<'_, '_>,
        hop: Hop,
        quantifier: Quantifier,
    ) -> Result<Option<Filter>, LowerError> {
        let filter = self.object(given, FilterContext::along(hop))?;
        let filter = filter.or_else(|| match given.binding.empty() {
            Meaning::Related | Meaning::Unrelated => Some(Filter::all()),
            _ => None,
        });
        Ok(filter.map(|filter| Filter::Relation { hop, quantifier, filter: Box::new(filter) }))
    }

    /// Filters rows by those that joining rows lead to.
    pub(super) fn related_through(
        &self,
        given: PresentInput<'_, '_>,
        (hop, far): (Hop, Hop),
        quantifier: Quantifier,
    ) -> Result<Option<Filter>, LowerError> {
        // A joining row has one row at its end, and each of these must pass, or one, or none.
        let of_end = match quantifier {
            Quantifier::Every => Quantifier::Every,
            Quantifier::Some | Quantifier::None | Quantifier::Single => Quantifier::Some,
        };
        let joined = self.related(given, far, of_end)?;
        Ok(joined.map(|joined| Filter::Relation { hop, quantifier, filter: joined.into() }))
    }
}
