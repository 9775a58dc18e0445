//! Conditions on values of PostGIS.

use catalog::SpatialKind;
use ir::{Filter, GeoOperator, SpatialRelation, ValueRef};

use super::{FilterContext, OF_ELEMENTS, PresentInput};
use crate::input::Presence;
use crate::selection::misplaced;
use crate::{Context, LowerError};
use api::binding::{FilterRole, InputRole, Subject};

impl Context<'_> {
    /// The relation to an object of arguments. One that is null is as one that is not given, so it
    /// stands behind those that are required.
    pub(super) fn spatial(
        &self,
        given: PresentInput<'_, '_>,
        subject: &Subject,
        relation: SpatialRelation,
    ) -> Result<Option<Filter>, LowerError> {
        if given.around.of_elements {
            return Err(LowerError::refused(OF_ELEMENTS, given.location));
        }
        let mut arguments = Vec::new();
        for (id, input) in self.entries(given.input, self.api.schema[given.id].r#type.base)? {
            let InputRole::Filter(FilterRole::SpatialArgument(place)) = self.api.input(id).role
            else {
                return Err(misplaced("an argument of a relation of shapes"));
            };
            if self.presence(&input) == Presence::Present {
                arguments.push((place, self.operand(&input, self.api.schema[id].r#type)));
            }
        }
        arguments.sort_by_key(|(place, _)| *place);
        let operand = ir::Operand::List(arguments.into_iter().map(|(_, one)| one).collect());
        let (place, operator) = (subject.place.clone(), GeoOperator::Spatial(relation));
        Ok(Some(Filter::Geo { place, operator, operand }))
    }

    /// The condition of an object of operators on a value of PostGIS as another type.
    pub(super) fn as_spatial(
        &self,
        given: PresentInput<'_, '_>,
        subject: &Subject,
        to: SpatialKind,
    ) -> Result<Option<Filter>, LowerError> {
        if given.around.of_elements {
            return Err(LowerError::refused(OF_ELEMENTS, given.location));
        }
        let place = Box::new(subject.place.clone());
        let subject = Subject::new(ValueRef::Spatial { place, to });
        let around = FilterContext { subject: Some(&subject), ..FilterContext::default() };
        self.object(given, around)
    }
}
