//! The classes of properties, by which types list their fields: not in the order of the definition,
//! but class by class, and in another order of classes here and there.

use crate::model::{FieldKind, Made, ModelField, Property, PropertyType, RelationshipField};

/// A class of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// What is none of the others; lengths of time are no temporal values here.
    Primitive,
    /// Of a scalar of the definitions' own.
    Own,
    Enum,
    Temporal,
    Point,
}

/// In object types.
pub(super) const OF_OBJECTS: [Class; 5] =
    [Class::Primitive, Class::Enum, Class::Own, Class::Temporal, Class::Point];

/// In interfaces, in orders, and in what is created and updated.
pub(super) const USUAL: [Class; 5] =
    [Class::Primitive, Class::Own, Class::Enum, Class::Temporal, Class::Point];

/// In conditions.
pub(super) const OF_CONDITIONS: [Class; 5] =
    [Class::Primitive, Class::Temporal, Class::Enum, Class::Point, Class::Own];

/// In what is created if it is not there.
pub(super) const OF_ABSENT: [Class; 5] =
    [Class::Primitive, Class::Own, Class::Enum, Class::Point, Class::Temporal];

/// In lists that grow and shrink.
pub(super) const OF_LISTS: [Class; 3] = [Class::Temporal, Class::Primitive, Class::Point];

/// In aggregates.
pub(super) const OF_AGGREGATES: [Class; 2] = [Class::Primitive, Class::Temporal];

/// A property with its place among the fields of its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored<'m> {
    pub(super) place: usize,
    pub(super) field: &'m ModelField,
    pub(super) property: &'m Property,
}

impl Property {
    /// Whether nobody says its value when a row is created.
    pub(super) fn is_made_on_create(&self) -> bool {
        match self.made {
            Some(Made::Id | Made::Timestamp { .. }) => true,
            None => false,
        }
    }
}

/// The properties of some classes, class by class.
pub(super) fn stored<'m>(fields: &'m [ModelField], classes: &[Class]) -> Vec<Stored<'m>> {
    let all: Vec<(Class, Stored<'m>)> = fields
        .iter()
        .enumerate()
        .filter_map(|(place, field)| match &field.kind {
            FieldKind::Property(property) => {
                Some((class(&property.r#type), Stored { place, field, property }))
            }
            FieldKind::Relationship(_) | FieldKind::Statement(_) | FieldKind::Part(_) => None,
        })
        .collect();
    let of = |wanted: Class| {
        let of_class = all.iter().filter(move |(class, _)| *class == wanted);
        of_class.map(|(_, stored)| *stored)
    };
    classes.iter().flat_map(|class| of(*class)).collect()
}

/// The relationships of a type, each with its place among the fields.
pub(super) fn relationships(
    fields: &[ModelField],
) -> impl Iterator<Item = (usize, &ModelField, &RelationshipField)> {
    fields.iter().enumerate().filter_map(|(place, field)| match &field.kind {
        FieldKind::Relationship(relationship) => Some((place, field, relationship)),
        FieldKind::Property(_) | FieldKind::Statement(_) | FieldKind::Part(_) => None,
    })
}

fn class(r#type: &PropertyType) -> Class {
    match r#type {
        PropertyType::Boolean
        | PropertyType::Id
        | PropertyType::Int
        | PropertyType::BigInt
        | PropertyType::Float
        | PropertyType::String
        | PropertyType::Duration => Class::Primitive,
        PropertyType::Date
        | PropertyType::Time
        | PropertyType::LocalTime
        | PropertyType::DateTime
        | PropertyType::LocalDateTime => Class::Temporal,
        PropertyType::Point | PropertyType::CartesianPoint => Class::Point,
        PropertyType::Enum(_) => Class::Enum,
        PropertyType::Scalar(_) => Class::Own,
    }
}
