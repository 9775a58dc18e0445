//! Conditions: the input objects that filter rows.

use graphql::operation::Location;
use graphql::schema::InputId;
use ir::{Comparison, Filter, Place};

use super::input::{Input, Presence};
use super::{Context, LowerError};
use crate::binding::{InputRole, Meaning};

impl Context<'_> {
    /// The condition that one input position states; `None` if it states none.
    /// `operators_of` is the field that an enclosing object of operators is about.
    pub(super) fn condition(
        &self,
        id: InputId,
        input: &Input<'_>,
        operators_of: Option<catalog::FieldId>,
        location: Location,
    ) -> Result<Option<Filter>, LowerError> {
        let binding = self.api.input(id);
        let field = match &binding.role {
            InputRole::Equal(field)
            | InputRole::IsNull { field, .. }
            | InputRole::Operators(field) => Some(*field),
            _ => operators_of,
        };
        match self.presence(input) {
            Presence::Absent => return Ok(None),
            Presence::Null => return meaning(&binding.null, field, location),
            Presence::Present => {}
        }
        let r#type = self.api.schema[id].r#type;
        // What is compared needs a field; a position of the schema always has one.
        let operand = || self.operand(input, r#type);
        let compared = |field, comparison| -> Result<Option<Filter>, LowerError> {
            let place = Place::field(field);
            Ok(Some(Filter::Compare { place, comparison, operand: operand() }))
        };
        match (&binding.role, field) {
            (InputRole::Equal(_) | InputRole::Compare(_) | InputRole::Match { .. }, None) => {
                Ok(None)
            }
            (InputRole::IsNull { otherwise, .. }, _) => {
                Err(LowerError::Refused { message: otherwise.clone(), location })
            }
            (InputRole::Equal(_), Some(field)) => compared(field, Comparison::Equal),
            (InputRole::Compare(comparison), Some(field)) => compared(field, *comparison),
            (InputRole::Match { r#match, ignore_case }, Some(field)) => Ok(Some(Filter::Text {
                place: Place::field(field),
                r#match: *r#match,
                ignore_case: *ignore_case,
                operand: operand(),
            })),
            (InputRole::Filter | InputRole::Operators(_), _) => {
                let entries = self.entries(input, r#type.base)?;
                if entries.is_empty() {
                    return meaning(&binding.empty, field, location);
                }
                self.conjunction(&entries, field, location).map(Some)
            }
            (InputRole::And | InputRole::Or, _) => {
                let items = self.items(input)?;
                if items.is_empty() {
                    return meaning(&binding.empty, field, location);
                }
                let mut filters = Vec::with_capacity(items.len());
                for item in &items {
                    if self.presence(item) == Presence::Present {
                        let entries = self.entries(item, r#type.base)?;
                        filters.push(self.conjunction(&entries, None, location)?);
                    }
                }
                if filters.is_empty() {
                    return meaning(&binding.empty, field, location);
                }
                Ok(Some(if matches!(binding.role, InputRole::Or) {
                    Filter::Or(filters)
                } else {
                    Filter::and(filters)
                }))
            }
            (
                InputRole::Member
                | InputRole::NodeId
                | InputRole::Limit
                | InputRole::Last
                | InputRole::After
                | InputRole::Before
                | InputRole::Offset
                | InputRole::OrderBy
                | InputRole::GroupBy
                | InputRole::Sort
                | InputRole::SortField(_),
                _,
            ) => Ok(None),
        }
    }

    fn conjunction(
        &self,
        entries: &[(InputId, Input<'_>)],
        operators_of: Option<catalog::FieldId>,
        location: Location,
    ) -> Result<Filter, LowerError> {
        let mut filters = Vec::with_capacity(entries.len());
        for (id, input) in entries {
            filters.extend(self.condition(*id, input, operators_of, location)?);
        }
        Ok(Filter::and(filters))
    }
}

/// What a null or an empty value states.
pub(super) fn meaning(
    meaning: &Meaning,
    field: Option<catalog::FieldId>,
    location: Location,
) -> Result<Option<Filter>, LowerError> {
    match meaning {
        Meaning::Ignore => Ok(None),
        Meaning::True => Ok(Some(Filter::all())),
        Meaning::False => Ok(Some(Filter::none())),
        Meaning::IsNull => Ok(field.map(|field| Filter::IsNull(Place::field(field)))),
        Meaning::Refuse(text) => Err(LowerError::Refused { message: text.clone(), location }),
    }
}
