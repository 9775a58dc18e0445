//! Conditions on events of rows.
//!
//! The kind of a change and the values that it sets are known when its subscriptions are executed: they
//! steer. Only conditions on the row itself are left for the source.

use graphql::operation::Location;
use graphql::schema::InputId;
use ir::Filter;

use super::filter::FilterContext;
use super::input::{Input, Presence};
use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::{ArgumentRole, EventRole, InputRole, ValueBinding};

/// Limit of nested conditions.
const NESTED: usize = 32;

/// Whether the row of an event is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowState {
    There,
    Deleted,
}

/// The events that pass a condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Passes {
    Always,
    Never,
    /// If the row passes.
    If(Filter),
}

impl Passes {
    fn known(passes: bool) -> Self {
        if passes { Self::Always } else { Self::Never }
    }

    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, _) | (_, Self::Never) => Self::Never,
            (Self::Always, other) | (other, Self::Always) => other,
            (Self::If(one), Self::If(other)) => Self::If(Filter::and(vec![one, other])),
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Always, _) | (_, Self::Always) => Self::Always,
            (Self::Never, other) | (other, Self::Never) => other,
            (Self::If(one), Self::If(other)) => Self::If(Filter::Or(vec![one, other])),
        }
    }

    fn not(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::If(filter) => Self::If(Filter::Not(Box::new(filter))),
        }
    }
}

impl Context<'_> {
    /// The condition of an input on events; `None` if it says nothing about this one.
    pub(super) fn event_condition(
        &self,
        id: InputId,
        input: &Input<'_>,
        row: RowState,
        location: Location,
    ) -> Result<Option<Passes>, LowerError> {
        self.event_condition_within(id, input, row, (location, 0))
    }

    fn event_condition_within(
        &self,
        id: InputId,
        input: &Input<'_>,
        row: RowState,
        (location, depth): (Location, usize),
    ) -> Result<Option<Passes>, LowerError> {
        let role = match &self.api.input(id).role {
            InputRole::Argument(ArgumentRole::Event(role)) => *role,
            InputRole::Refused(text) if self.presence(input) == Presence::Present => {
                return Err(LowerError::refused(text, location));
            }
            InputRole::Refused(_) => return Ok(None),
            _ => return Err(misplaced("a condition on events")),
        };
        // As in other conditions of such an API, null says nothing.
        if self.presence(input) != Presence::Present {
            return Ok(None);
        }
        if depth >= NESTED {
            return Err(LowerError::ConditionsTooDeep { most: NESTED });
        }
        let all_of = |input: &Input<'_>| self.all_of((id, input), row, (location, depth + 1));
        let all_of_each = || {
            let items = self.items(input)?;
            items.iter().map(all_of).collect::<Result<Vec<_>, LowerError>>()
        };
        Ok(match role {
            EventRole::Conditions => all_of(input)?,
            EventRole::And => all_of_each()?.into_iter().flatten().reduce(Passes::and),
            EventRole::Or => {
                let items = all_of_each()?;
                // One that says nothing is true.
                let passes = items.into_iter().map(|item| item.unwrap_or(Passes::Always));
                Some(passes.fold(Passes::Never, Passes::or))
            }
            EventRole::Not => {
                let none = all_of_each()?.into_iter().flatten().map(Passes::not);
                none.reduce(Passes::and)
            }
            EventRole::Row if row == RowState::Deleted => None,
            EventRole::Row => {
                let mut filters = Vec::new();
                let around = FilterContext::default();
                for (id, input) in self.entries(input, self.api.schema[id].r#type.base)? {
                    filters.extend(self.condition(id, &input, around, location)?);
                }
                match Filter::and(filters) {
                    filter if filter == Filter::all() => Some(Passes::Always),
                    filter => Some(Passes::If(filter)),
                }
            }
            EventRole::KindIn | EventRole::Sets | EventRole::SetsEvery | EventRole::SetsSome => {
                // Nothing has happened when the subscription begins.
                let Some(kind) = self.event_kind() else { return Ok(None) };
                let mut named = Vec::new();
                for item in self.items(input)? {
                    named.push(match role {
                        EventRole::KindIn => self.is_kind((id, &item), kind, location)?,
                        _ => self.steering_text(&item).is_some_and(|name| self.event_sets(&name)),
                    });
                }
                Some(Passes::known(match role {
                    EventRole::SetsEvery => named.iter().all(|is_set| *is_set),
                    _ => named.contains(&true),
                }))
            }
        })
    }

    /// All conditions of an object.
    fn all_of(
        &self,
        (id, input): (InputId, &Input<'_>),
        row: RowState,
        place: (Location, usize),
    ) -> Result<Option<Passes>, LowerError> {
        let mut passes = None;
        for (id, input) in self.entries(input, self.api.schema[id].r#type.base)? {
            let condition = self.event_condition_within(id, &input, row, place)?;
            passes = match (passes, condition) {
                (Some(one), Some(other)) => Some(Passes::and(one, other)),
                (one, other) => one.or(other),
            };
        }
        Ok(passes)
    }

    fn is_kind(
        &self,
        (id, item): (InputId, &Input<'_>),
        kind: &str,
        location: Location,
    ) -> Result<bool, LowerError> {
        let value = self.enum_value(item, self.api.schema[id].r#type.base, location)?;
        Ok(matches!(value, Some(ValueBinding::Label(label)) if **label == *kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_known_parts_are_evaluated() {
        let row = || Passes::If(Filter::IsNull(ir::ValueRef::field(catalog::FieldId::new(0))));
        use Passes::{Always, Never};
        assert_eq!(Always.and(row()), row());
        assert_eq!(Never.and(row()), Never);
        assert_eq!(Always.or(row()), Always);
        assert_eq!(Never.or(row()), row());
        assert_eq!((Always.not(), Never.not()), (Never, Always));
        assert!(matches!(row().not(), Passes::If(Filter::Not(_))));
        assert!(matches!(row().and(row()), Passes::If(Filter::And(both)) if both.len() == 2));
        assert!(matches!(row().or(row()), Passes::If(Filter::Or(both)) if both.len() == 2));
    }
}
