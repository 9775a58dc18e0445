//! Rows by the distances of their vectors from another.

use catalog::{EntityId, FieldId};
use graphql::operation::Location;
use graphql::schema::InputId;
use ir::{Comparison, Distance, Filter, Metric, Nearest, Operand, OtherVector, ValueRef};

use super::input::Input;
use super::{Context, LowerError};
use api::binding::{NearestRole, ValueBinding};

/// The arguments of [`NearestRole`].
#[derive(Debug, Default)]
pub(super) struct NearestArguments {
    by: Option<(FieldId, Metric)>,
    vector: Option<Operand>,
    keys: Vec<Filter>,
    count: Option<Operand>,
    most: Option<Operand>,
}

impl Context<'_> {
    /// Adds an argument that has a value.
    pub(super) fn nearest_argument(
        &self,
        role: NearestRole,
        (id, input): (InputId, &Input<'_>),
        location: Location,
        arguments: &mut NearestArguments,
    ) -> Result<(), LowerError> {
        let r#type = self.api.schema[id].r#type;
        match role {
            NearestRole::By => match self.enum_value(input, r#type.base) {
                Some(ValueBinding::Vector { field, metric }) => {
                    arguments.by = Some((*field, *metric));
                }
                Some(ValueBinding::Refused(text)) => {
                    return Err(LowerError::refused(text, location));
                }
                _ => return Err(LowerError::Misplaced { what: "a value of vectors" }),
            },
            NearestRole::Vector => arguments.vector = Some(self.operand(input, r#type)),
            NearestRole::Key(field) => arguments.keys.push(Filter::Compare {
                place: ValueRef::field(field),
                comparison: Comparison::Equal,
                operand: self.operand(input, r#type),
            }),
            NearestRole::Count => arguments.count = Some(self.operand(input, r#type)),
            NearestRole::Most => arguments.most = Some(self.operand(input, r#type)),
        }
        Ok(())
    }

    /// The distance of the rows, and the condition that they are the nearest ones.
    pub(super) fn nearest(
        &self,
        entity: EntityId,
        given: NearestArguments,
    ) -> Result<(Distance, Filter), LowerError> {
        let (field, metric) = given.by.ok_or(LowerError::Misplaced { what: "vectors" })?;
        let to = match given.vector {
            Some(vector) => OtherVector::Given(vector),
            None if given.keys.is_empty() => OtherVector::OfRow(Filter::none()),
            None => OtherVector::OfRow(Filter::and(given.keys)),
        };
        let key = self.api.find_entity(entity).and_then(|entity| entity.tie_break.first());
        let distance = Distance { field, metric, to };
        let nearest = Nearest {
            key: *key.ok_or(LowerError::Misplaced { what: "vectors of rows without a key" })?,
            distance: distance.clone(),
            most: given.most,
            count: given.count.ok_or(LowerError::Misplaced { what: "a number of vectors" })?,
            filter: Filter::all(),
        };
        Ok((distance, Filter::Nearest(Box::new(nearest))))
    }
}
