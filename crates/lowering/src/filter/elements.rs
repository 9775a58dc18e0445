//! Conditions on the elements of a list, on lists as a whole, and on the texts of values.

use ir::{Case, Comparison, Filter, Operand};

use super::{FilterContext, OF_ELEMENTS, PresentInput, compare};
use crate::input::{Input, Presence};
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

    /// The condition that a list equals one of several.
    pub(super) fn equals_any(
        &self,
        given: PresentInput<'_, '_>,
        subject: &Subject,
    ) -> Result<Filter, LowerError> {
        let r#type = self.api.schema[given.id].r#type;
        let element = r#type.item().unwrap_or(r#type);
        let equals = |item: &Input<'_>| {
            let operand = self.operand(item, element);
            compare(subject, Comparison::Equal, subject.plain, operand)
        };
        Ok(Filter::Or(self.items(given.input)?.iter().map(equals).collect()))
    }

    /// The condition of an object of operators on the text of a value.
    pub(super) fn as_text(
        &self,
        given: PresentInput<'_, '_>,
        subject: &Subject,
    ) -> Result<Option<Filter>, LowerError> {
        if given.around.of_elements {
            return Err(LowerError::refused(OF_ELEMENTS, given.location));
        }
        let place = subject.place.clone();
        let subject = Subject { place, plain: Case::Exact, ignoring: Case::Ignored };
        let around = FilterContext { subject: Some(&subject), ..FilterContext::default() };
        self.object(given, around)
    }
}
