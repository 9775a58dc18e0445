//! Changes of objects that refer to each other by keys of one sequence.

use std::sync::Arc;

use catalog::{EntityId, FieldId};

use super::VariantsId;

/// Objects of one type as rows of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectBinding {
    pub entity: EntityId,
    /// The field of the key, which is an integer of the sequence.
    pub key: FieldId,
    /// The name of the type in errors.
    pub name: Box<str>,
    /// The members without which no object is created.
    pub required: Box<[RequiredMember]>,
    /// False if objects are found only.
    pub is_creatable: bool,
}

/// The objects that a change finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedTypes {
    One(Arc<ObjectBinding>),
    /// Of several entities, in the order of the list of variants.
    Each {
        each: Arc<[Arc<ObjectBinding>]>,
        variants: VariantsId,
    },
}

/// A member without which no object is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredMember {
    pub name: Box<str>,
    /// The storage, if it is a relation: within an object to which the same relation leads from the
    /// other end, the member is given by that.
    pub link: Option<ObjectLink>,
}

/// A relation from the objects of an input to other objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRelation {
    pub target: ObjectTarget,
    pub link: ObjectLink,
    /// True if the relation is its own inverse: it leads back from each object.
    pub is_symmetric: bool,
}

/// The objects to which a relation leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectTarget {
    One(Arc<ObjectBinding>),
    /// Of several entities, whose keys stand in the rows of this one. They are found only, or given
    /// as an object of [`VariantRole::Of`](super::VariantRole::Of), one for each of `each`.
    Several {
        keys: Arc<ObjectBinding>,
        each: Arc<[Arc<ObjectBinding>]>,
    },
    /// Of several entities, which hold the key of the object, each in a field of its own. They are
    /// found only: by the rows of this entity, and by the keys of the others.
    Holding {
        keys: Arc<ObjectBinding>,
        others: Arc<[(EntityId, FieldId)]>,
        each: Arc<[HoldingField]>,
    },
}

/// A field of an entity that holds the key of another object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldingField {
    pub entity: EntityId,
    pub key: FieldId,
    pub field: FieldId,
    /// True if only one row may hold it.
    pub is_unique: bool,
}

/// Storage of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectLink {
    /// A field of the row holds the other's key, unique if only one row may hold it.
    Near { field: FieldId, is_unique: bool },
    /// A field of the other row, of this entity, holds the key of the row.
    Far { field: FieldId, is_unique: bool },
    /// Rows of a join entity hold both keys.
    Joined { joining: EntityId, near: FieldId, far: FieldId },
}

impl ObjectRelation {
    /// True if it is the inverse of a relation with this link, and leads back to one object only: within
    /// an object to which that relation leads, it is known.
    #[must_use]
    pub fn leads_back(&self, link: ObjectLink) -> bool {
        match (link, self.link) {
            (ObjectLink::Far { field, .. }, ObjectLink::Near { field: own, .. }) => field == own,
            (ObjectLink::Near { field, is_unique }, ObjectLink::Far { field: own, .. }) => {
                is_unique && field == own
            }
            (ObjectLink::Near { field, .. }, ObjectLink::Near { field: own, .. }) => {
                self.is_symmetric && field == own
            }
            _ => false,
        }
    }
}

impl ObjectLink {
    /// True if both are the two ends of one relation, or the same end of it.
    #[must_use]
    pub fn is_stored_as(self, other: Self) -> bool {
        match (self, other) {
            (
                Self::Near { field, .. } | Self::Far { field, .. },
                Self::Near { field: own, .. } | Self::Far { field: own, .. },
            ) => field == own,
            (Self::Joined { joining, .. }, Self::Joined { joining: own, .. }) => joining == own,
            (Self::Joined { .. }, _) | (_, Self::Joined { .. }) => false,
        }
    }
}

/// The meaning of an input of a change of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectRole {
    /// A list of objects to add: of [`WriteRole::Stored`](super::WriteRole::Stored),
    /// [`ObjectRole::Identifier`] and [`ObjectRole::Relation`].
    Added,
    /// A boolean that steers: objects that exist are updated.
    Upsert,
    /// The key of an object that exists.
    Key,
    /// A value that no two objects have: an object with it is found by it.
    Identifier(FieldId),
    /// An identifier that is stored as it is written, without the form of its type: the id of another
    /// subgraph.
    ExternalIdentifier(FieldId),
    /// A list of values: an update adds the values that the stored list lacks.
    Elements(FieldId),
    /// A password, of which the field stores a hash.
    Password(FieldId),
    /// An object, or a list of such, to which the relation leads: one that exists, or a new one.
    Relation(Box<ObjectRelation>),
    /// A value that the objects of each of several entities have, by its index among the common
    /// fields.
    Common(u16),
    /// A list of values, as [`ObjectRole::Elements`], that the objects of each of several entities
    /// have, by its index among the common fields.
    CommonElements(u16),
    /// A relation of the objects of each of several entities, in the order of the list of variants.
    CommonRelation(Arc<Box<[ObjectRelation]>>),
    /// A password of the objects of each of several entities, of which these fields store a hash, in
    /// the order of the list of variants.
    CommonPassword(Arc<Box<[FieldId]>>),
    /// An object of values to set.
    Set,
    /// An object of values to remove.
    Remove,
}
