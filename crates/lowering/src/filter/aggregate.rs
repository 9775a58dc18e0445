//! Conditions on one aggregate of related rows.

use catalog::FieldId;
use graphql::operation::Location;
use graphql::schema::InputId;
use ir::{AggregateFunction, Filter, Hop, ValueRef};

use super::{FilterContext, PresentInput, meaning};
use crate::count::{Count, count_of};
use crate::input::{Input, Presence};
use crate::selection::misplaced;
use crate::{Context, LowerError};
use api::binding::{FilterRole, InputRole, Subject};

impl Context<'_> {
    /// Filters rows by an aggregate of related rows.
    // A function of its own: its stack frame would be part of all enclosing conditions.
    #[inline(never)]
    pub(super) fn related_aggregate(
        &self,
        given: PresentInput<'_, '_>,
        hop: Hop,
        function: AggregateFunction,
    ) -> Result<Option<Filter>, LowerError> {
        let entries = self.entries(given.input, self.api.schema[given.id].r#type.base)?;
        if entries.is_empty() {
            return meaning(given.binding.empty(), None, given.location);
        }
        let (mut columns, mut distinct) = (Vec::new(), false);
        let (mut filter, mut having) = (Vec::new(), Vec::new());
        let mut conditions: Vec<(InputId, &Input<'_>)> = Vec::new();
        for (id, input) in &entries {
            let is_present = self.presence(input) == Presence::Present;
            match &self.api.input(*id).role {
                InputRole::Filter(FilterRole::AggregatedColumns) => {
                    if is_present {
                        let r#type = self.api.schema[*id].r#type;
                        columns = self.columns(input, r#type, given.location)?;
                    }
                }
                InputRole::Filter(FilterRole::AggregatedPair) => {
                    if is_present {
                        columns = self.pair((*id, input), given.location)?;
                    }
                }
                InputRole::Filter(FilterRole::AggregatesDistinct) => distinct = self.is_true(input),
                InputRole::Filter(FilterRole::AggregateIs) => conditions.push((*id, input)),
                InputRole::Filter(FilterRole::GroupFilter) => {
                    let around = FilterContext { group: true, ..FilterContext::default() };
                    filter.extend(self.condition(*id, input, around, given.location)?);
                }
                InputRole::Refused(text) => {
                    if is_present {
                        return Err(LowerError::refused(text, given.location));
                    }
                }
                _ => return Err(misplaced("a part of a condition on an aggregate")),
            }
        }
        let subject = Subject::new(aggregated(function, &columns, distinct)?);
        for (id, input) in conditions {
            if self.presence(input) != Presence::Present {
                continue;
            }
            let around = FilterContext { subject: Some(&subject), ..FilterContext::default() };
            let binding = self.api.input(id);
            let given = PresentInput { id, input, binding, around, ..given };
            having.extend(self.object(given, around)?);
        }
        let (filter, having) = (Box::new(Filter::and(filter)), Box::new(Filter::and(having)));
        // Without a condition on the group, every row passes.
        Ok(Some(match having.is_all() {
            true => Filter::all(),
            false => Filter::RelatedGroup { hop, filter, having, once: false },
        }))
    }
}

impl Context<'_> {
    /// The two columns of an object, in the order of its type.
    fn pair(
        &self,
        (id, input): (InputId, &Input<'_>),
        location: Location,
    ) -> Result<Vec<FieldId>, LowerError> {
        let mut members = self.entries(input, self.api.schema[id].r#type.base)?;
        members.sort_by_key(|(member, _)| *member);
        let mut columns = Vec::new();
        for (member, input) in members {
            match &self.api.input(member).role {
                InputRole::Filter(FilterRole::AggregatedColumns) => {
                    let r#type = self.api.schema[member].r#type;
                    columns.extend(self.columns(&input, r#type, location)?);
                }
                InputRole::Refused(text) if self.presence(&input) == Presence::Present => {
                    return Err(LowerError::refused(text, location));
                }
                InputRole::Refused(_) => {}
                _ => return Err(misplaced("a column of a pair")),
            }
        }
        Ok(columns)
    }
}

/// The aggregated value that operators compare.
fn aggregated(
    function: AggregateFunction,
    columns: &[FieldId],
    distinct: bool,
) -> Result<ValueRef, LowerError> {
    let Count { function, place } = match (function, columns) {
        (AggregateFunction::Count, _) => count_of(columns, distinct),
        (AggregateFunction::Correlation | AggregateFunction::CovarianceSample, [_, _]) => {
            Count { function, place: Some(ValueRef::Together(columns.to_vec())) }
        }
        (AggregateFunction::Correlation | AggregateFunction::CovarianceSample, _) => {
            return Err(misplaced("an aggregate of another number of columns than two"));
        }
        (_, [column]) => Count { function, place: Some(ValueRef::field(*column)) },
        (_, _) => return Err(misplaced("an aggregate of no column")),
    };
    let is_count = matches!(function, AggregateFunction::Count | AggregateFunction::DistinctCount);
    // Of a number, the function says that values are different.
    let place = match place {
        Some(place) if distinct && !is_count => Some(ValueRef::Distinct(Box::new(place))),
        place => place,
    };
    Ok(match place {
        None => ValueRef::Counted { distinct: false },
        Some(place) => ValueRef::Aggregated { function, place: Box::new(place) },
    })
}
