//! Rows by the distances of their vectors from another.

use catalog::{EntityId, FieldId};
use graphql::operation::Location;
use graphql::schema::InputId;
use ir::{
    Candidates, Comparison, Distance, Filter, Metric, Nearest, Operand, OtherVector, ValueRef,
    VectorOfRow,
};

use super::input::Input;
use super::{Context, LowerError};
use api::binding::{NearestRole, ValueBinding, VariantBinding, VariantsId};

/// The arguments of [`NearestRole`].
#[derive(Debug, Default)]
pub(super) struct NearestArguments {
    by: Option<(ValueRef, Metric)>,
    vector: Option<Operand>,
    /// Values of the row with the vector.
    keys: Vec<(ValueRef, Operand)>,
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
        let operand = || self.operand(input, r#type);
        match role {
            NearestRole::By => match self.enum_value(input, r#type.base, location)? {
                Some(ValueBinding::Vector { field, metric }) => {
                    arguments.by = Some((ValueRef::field(*field), *metric));
                }
                Some(ValueBinding::CommonVector { place, metric }) => {
                    arguments.by = Some((ValueRef::Common(*place), *metric));
                }
                _ => return Err(LowerError::Misplaced { what: "a value of vectors" }),
            },
            NearestRole::Vector => arguments.vector = Some(operand()),
            NearestRole::Key(field) => arguments.keys.push((ValueRef::field(field), operand())),
            NearestRole::CommonKey(place) => {
                arguments.keys.push((ValueRef::Common(place), operand()));
            }
            NearestRole::Count => arguments.count = Some(operand()),
            NearestRole::Most => arguments.most = Some(operand()),
        }
        Ok(())
    }

    /// The distance of the rows, and the condition that they are the nearest ones.
    pub(super) fn nearest(
        &self,
        entity: EntityId,
        given: NearestArguments,
    ) -> Result<(Distance, Filter), LowerError> {
        let own = |place: &ValueRef| match place {
            ValueRef::Field { path, field } if path.is_empty() => Some(*field),
            _ => None,
        };
        let (vector, metric) = given.by.clone().ok_or_else(vectors)?;
        let to = match &given.vector {
            Some(vector) => OtherVector::Given(vector.clone()),
            None => OtherVector::OfRow(vec![vector_of_row(own(&vector), &given.keys, own)?]),
        };
        let distance = Distance { vector, metric, to };
        let key = self.key(entity)?;
        let filter = Filter::all();
        let among = vec![Candidates { key, distance: distance.clone(), filter }];
        let count = given.count.ok_or_else(vectors)?;
        let nearest = Nearest { key, among, most: given.most, count };
        Ok((distance, Filter::Nearest(Box::new(nearest))))
    }

    /// The same of rows of several entities, with the condition on the rows of each.
    pub(super) fn nearest_of_variants(
        &self,
        variants: VariantsId,
        given: NearestArguments,
    ) -> Result<(Distance, Vec<Filter>), LowerError> {
        let all = self.api.variants(variants);
        let own = |variant: &VariantBinding, place: &ValueRef| match place {
            ValueRef::Common(place) => variant.common.get(usize::from(*place)).copied(),
            _ => None,
        };
        let (vector, metric) = given.by.clone().ok_or_else(vectors)?;
        let to = match &given.vector {
            Some(vector) => OtherVector::Given(vector.clone()),
            None => {
                let row = |variant: &VariantBinding| {
                    let own = |place: &ValueRef| own(variant, place);
                    vector_of_row(own(&vector), &given.keys, own)
                };
                OtherVector::OfRow(all.iter().map(row).collect::<Result<_, _>>()?)
            }
        };
        let candidates = |variant: &VariantBinding| {
            let vector = own(variant, &vector).map(ValueRef::field).ok_or_else(vectors)?;
            let (key, filter) = (self.key(variant.entity)?, Filter::all());
            Ok(Candidates { key, distance: Distance { vector, metric, to: to.clone() }, filter })
        };
        let among = all.iter().map(candidates).collect::<Result<Vec<_>, LowerError>>()?;
        let count = given.count.ok_or_else(vectors)?;
        let filters = among.iter().map(|one| {
            let (among, most, count) = (among.clone(), given.most.clone(), count.clone());
            Filter::Nearest(Box::new(Nearest { key: one.key, among, most, count }))
        });
        let filters = filters.collect();
        Ok((Distance { vector, metric, to }, filters))
    }

    fn key(&self, entity: EntityId) -> Result<FieldId, LowerError> {
        let key = self.api.find_entity(entity).and_then(|entity| entity.tie_break.first());
        key.copied().ok_or(LowerError::Misplaced { what: "vectors of rows without a key" })
    }
}

/// The vector of the row with these values; without any it is that of no row. `own` resolves a value
/// to a field of the row's entity.
fn vector_of_row(
    vector: Option<FieldId>,
    keys: &[(ValueRef, Operand)],
    own: impl Fn(&ValueRef) -> Option<FieldId>,
) -> Result<VectorOfRow, LowerError> {
    let field = vector.ok_or_else(vectors)?;
    let equal = |(place, operand): &(ValueRef, Operand)| {
        Ok(Filter::Compare {
            place: ValueRef::field(own(place).ok_or_else(vectors)?),
            comparison: Comparison::Equal,
            operand: operand.clone(),
        })
    };
    let filters = keys.iter().map(equal).collect::<Result<Vec<_>, LowerError>>()?;
    let filter = if filters.is_empty() { Filter::none() } else { Filter::and(filters) };
    Ok(VectorOfRow { field, filter })
}

fn vectors() -> LowerError {
    LowerError::Misplaced { what: "vectors" }
}
