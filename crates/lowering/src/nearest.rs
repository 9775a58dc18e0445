//! Rows by the distances of their vectors from another.

use catalog::{EntityId, FieldId};
use graphql::operation::Location;
use graphql::schema::InputId;
use ir::{
    Candidates, Comparison, Distance, Filter, Metric, Nearest, Operand, OtherVector, Value,
    ValueRef, VectorOfRow,
};

use super::input::Input;
use super::{Context, LowerError};
use api::binding::{NearestRole, ValueBinding, VariantsId};

/// The arguments of [`NearestRole`].
#[derive(Debug, Default)]
pub(super) struct NearestArguments {
    by: Option<(ValueRef, Metric)>,
    visited: Option<Operand>,
    /// Of the vectors, if the request does not choose.
    visited_by_default: Option<u16>,
    vector: Option<Operand>,
    /// Values of the row with the vector.
    keys: Vec<(ValueRef, Operand)>,
    count: Option<Operand>,
    most: Option<Operand>,
}

/// An entity whose rows may be the nearest, one of several with the fields that common ones are of it.
type CandidateEntity<'b> = (EntityId, Option<&'b [FieldId]>);

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
                Some(ValueBinding::Vector { field, metric, visited }) => {
                    arguments.by = Some((ValueRef::field(*field), *metric));
                    arguments.visited_by_default = *visited;
                }
                Some(ValueBinding::CommonVector { place, metric, visited }) => {
                    arguments.by = Some((ValueRef::Common(*place), *metric));
                    arguments.visited_by_default = *visited;
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
            NearestRole::Visited => arguments.visited = Some(operand()),
        }
        Ok(())
    }

    /// The distance of the rows, and the condition that they are the nearest ones.
    pub(super) fn nearest(
        &self,
        entity: EntityId,
        given: NearestArguments,
    ) -> Result<(Distance, Filter), LowerError> {
        let (distance, mut filters) = self.nearest_of_each(&[(entity, None)], given)?;
        Ok((distance, filters.pop().ok_or_else(vectors)?))
    }

    /// The distance of rows of several entities, and for each entity the condition that its rows are
    /// among the nearest of all.
    pub(super) fn nearest_of_variants(
        &self,
        variants: VariantsId,
        given: NearestArguments,
    ) -> Result<(Distance, Vec<Filter>), LowerError> {
        let variants = self.api.variants(variants).iter();
        let each: Vec<CandidateEntity<'_>> =
            variants.map(|variant| (variant.entity, Some(&*variant.common))).collect();
        self.nearest_of_each(&each, given)
    }

    /// The distance of rows, and for each entity the condition on its rows.
    fn nearest_of_each(
        &self,
        each: &[CandidateEntity<'_>],
        given: NearestArguments,
    ) -> Result<(Distance, Vec<Filter>), LowerError> {
        let NearestArguments { by, vector: other, keys, count, most, .. } = given;
        let by_default = given
            .visited_by_default
            .map(|visited| Operand::Constant(Value::Integer(visited.into())));
        let visited = given.visited.or(by_default);
        let (vector, metric) = by.ok_or_else(vectors)?;
        let to = match other {
            Some(other) => OtherVector::Given(other),
            None => {
                let rows = each.iter().map(|(_, common)| vector_of_row(&vector, &keys, *common));
                OtherVector::OfRow(rows.collect::<Result<_, _>>()?)
            }
        };
        let candidates = |(entity, common): &CandidateEntity<'_>| {
            let vector = ValueRef::field(own_field(&vector, *common)?);
            let (key, filter) = (self.key(*entity)?, Filter::all());
            Ok(Candidates { key, distance: Distance { vector, metric, to: to.clone() }, filter })
        };
        let among = each.iter().map(candidates).collect::<Result<Vec<_>, LowerError>>()?;
        let count = count.ok_or_else(vectors)?;
        let filters = among.iter().map(|one| {
            let (among, most, count) = (among.clone(), most.clone(), count.clone());
            let visited = visited.clone();
            Filter::Nearest(Box::new(Nearest { key: one.key, among, most, count, visited }))
        });
        let filters = filters.collect();
        Ok((Distance { vector, metric, to }, filters))
    }

    fn key(&self, entity: EntityId) -> Result<FieldId, LowerError> {
        let key = self.api.find_entity(entity).and_then(|entity| entity.tie_break.first());
        key.copied().ok_or(LowerError::Misplaced { what: "vectors of rows without a key" })
    }
}

/// The vector of the row with these values; without any it is that of no row.
fn vector_of_row(
    vector: &ValueRef,
    keys: &[(ValueRef, Operand)],
    common: Option<&[FieldId]>,
) -> Result<VectorOfRow, LowerError> {
    let field = own_field(vector, common)?;
    let equal = |(place, operand): &(ValueRef, Operand)| {
        Ok(Filter::Compare {
            place: ValueRef::field(own_field(place, common)?),
            comparison: Comparison::Equal,
            operand: operand.clone(),
        })
    };
    let filters = keys.iter().map(equal).collect::<Result<Vec<_>, LowerError>>()?;
    let filter = if filters.is_empty() { Filter::none() } else { Filter::and(filters) };
    Ok(VectorOfRow { field, filter })
}

/// The field of an entity's row that a value is.
fn own_field(place: &ValueRef, common: Option<&[FieldId]>) -> Result<FieldId, LowerError> {
    let own = match (place, common) {
        (ValueRef::Field { path, field }, None) if path.is_empty() => Some(*field),
        (ValueRef::Common(place), Some(common)) => common.get(usize::from(*place)).copied(),
        _ => None,
    };
    own.ok_or_else(vectors)
}

fn vectors() -> LowerError {
    LowerError::Misplaced { what: "vectors" }
}
