//! Conditions on the elements of a list.

use ir::{Comparison, Filter, Operand};

use super::{OF_ELEMENTS, PresentInput};
use crate::input::Presence;
use crate::selection::misplaced;
use crate::{Context, LowerError};
use api::binding::{FilterRole, InputRole, OperatorRole, Subject};

impl Context<'_> {
    /// The condition that one element of a list has both bounds of an object.
    pub(super) fn element_between(
        &self,
        given: PresentInput<'_, '_>,
        subject: &Subject,
    ) -> Result<Filter, LowerError> {
        let (mut least, mut most): (Option<Operand>, Option<Operand>) = (None, None);
        for (id, input) in self.entries(given.input, self.api.schema[given.id].r#type.base)? {
            if self.presence(&input) != Presence::Present {
                return Err(misplaced("a bound without a value"));
            }
            let comparison = match &self.api.input(id).role {
                InputRole::Filter(FilterRole::Operator(OperatorRole::Compare(comparison))) => {
                    *comparison
                }
                InputRole::Refused(text) => return Err(LowerError::refused(text, given.location)),
                _ => return Err(LowerError::refused(OF_ELEMENTS, given.location)),
            };
            let operand = self.operand(&input, self.api.schema[id].r#type);
            match comparison {
                Comparison::GreaterOrEqual => least = Some(operand),
                Comparison::LessOrEqual => most = Some(operand),
                _ => return Err(LowerError::refused(OF_ELEMENTS, given.location)),
            }
        }
        match least.zip(most) {
            Some((least, most)) => {
                Ok(Filter::ElementBetween { place: subject.place.clone(), least, most })
            }
            None => Err(LowerError::refused(OF_ELEMENTS, given.location)),
        }
    }
}
