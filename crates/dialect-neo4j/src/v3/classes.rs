//! Classes of properties, by which types list their fields: not in the order of the definition,
//! but class by class, and in another order of classes here and there.

use crate::model::{Made, NodeType, Property};
use crate::shared::attribute::{Attribute, Origin};
use crate::shared::builder::relationship;
use crate::shared::kinds::Kind;

/// Class of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Any other value; durations are not temporal here.
    Primitive,
    /// Value of a scalar of the definitions.
    Own,
    Enum,
    Temporal,
    Point,
}

/// In object types.
pub(super) const OF_OBJECTS: [Class; 5] =
    [Class::Primitive, Class::Enum, Class::Own, Class::Temporal, Class::Point];

/// In interfaces, in orders, and in inputs of creations and updates.
pub(super) const USUAL: [Class; 5] =
    [Class::Primitive, Class::Own, Class::Enum, Class::Temporal, Class::Point];

/// In conditions.
pub(super) const OF_CONDITIONS: [Class; 5] =
    [Class::Primitive, Class::Temporal, Class::Enum, Class::Point, Class::Own];

/// In inputs of nodes that are created if there are none.
pub(super) const OF_ABSENT: [Class; 5] =
    [Class::Primitive, Class::Own, Class::Enum, Class::Point, Class::Temporal];

/// In lists that grow and shrink.
pub(super) const OF_LISTS: [Class; 3] = [Class::Temporal, Class::Primitive, Class::Point];

/// In aggregates.
pub(super) const OF_AGGREGATES: [Class; 2] = [Class::Primitive, Class::Temporal];

impl Property {
    /// Whether its value is generated when a row is created.
    pub(super) fn is_made_on_create(&self) -> bool {
        match self.made {
            Some(Made::Id | Made::Timestamp { .. }) => true,
            None => false,
        }
    }
}

/// The stored properties of some classes, class by class.
pub(super) fn stored<'m>(attributes: &[Attribute<'m>], classes: &[Class]) -> Vec<Attribute<'m>> {
    let of = |wanted: Class| attributes.iter().filter(move |one| class(one) == Some(wanted));
    classes.iter().flat_map(|class| of(*class)).copied().collect()
}

/// The unique properties of a node type.
pub(super) fn unique<'m>(attributes: &[Attribute<'m>]) -> Vec<Attribute<'m>> {
    let mut all = stored(attributes, &USUAL);
    all.retain(|one| one.property.is_unique);
    all
}

/// Whether a node type has relationships.
pub(super) fn has_relationships(node: &NodeType) -> bool {
    node.fields.iter().any(|field| relationship(field).is_some())
}

fn class(attribute: &Attribute<'_>) -> Option<Class> {
    if let Origin::Computed(_) = attribute.origin {
        return None;
    }
    Some(match attribute.property.r#type.kind() {
        Kind::Boolean | Kind::Id | Kind::String | Kind::Integer | Kind::Float | Kind::Duration => {
            Class::Primitive
        }
        Kind::Date | Kind::Time => Class::Temporal,
        Kind::Point => Class::Point,
        Kind::Enum => Class::Enum,
        Kind::Scalar => Class::Own,
    })
}
