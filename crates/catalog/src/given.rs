//! Given names: those that a user has given the parts of a source, beside the source's own. A dialect
//! makes its names of them, and statements have the source's.

use std::collections::{HashMap, HashSet};

use crate::ids::{EntityId, EnumId, FieldId, RelationshipId};

/// Given names by the ids of their catalog.
#[derive(Clone, Debug, Default)]
pub struct GivenNames {
    pub(crate) entities: HashMap<EntityId, Box<str>>,
    pub(crate) fields: HashMap<FieldId, Box<str>>,
    pub(crate) enums: HashMap<EnumId, EnumNames>,
    pub(crate) relationships: HashMap<RelationshipId, RelationshipNames>,
    /// With the entity of the rows.
    pub(crate) joins: Vec<(EntityId, Join)>,
    /// The names of entities.
    pub(crate) singular: HashSet<Box<str>>,
    /// Fields that the server sets to the time of a change, where the source does not.
    pub(crate) moments_of_change: HashSet<FieldId>,
}

/// The name of an enum, and those of its labels.
#[derive(Clone, Debug)]
pub(crate) struct EnumNames {
    pub(crate) name: Box<str>,
    /// In the order of the labels.
    pub(crate) labels: Vec<Option<Box<str>>>,
}

/// The names of both directions of a relationship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelationshipNames {
    /// It is not in the API.
    LeftOut,
    Given {
        /// The field of the rows that refer.
        forward: Box<str>,
        /// The field of the rows that are referred to.
        backward: Box<str>,
    },
}

/// The rows that a join entity relates to those of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The field of the rows.
    pub name: Box<str>,
    /// From the join entity to the rows.
    pub near: RelationshipId,
    /// From the join entity to the related rows.
    pub far: RelationshipId,
}

impl GivenNames {
    /// True for a field that the server sets to the time of a change.
    #[must_use]
    pub fn is_moment_of_change(&self, field: FieldId) -> bool {
        self.moments_of_change.contains(&field)
    }

    #[must_use]
    pub fn entity(&self, entity: EntityId) -> Option<&str> {
        self.entities.get(&entity).map(|name| &**name)
    }

    #[must_use]
    pub fn field(&self, field: FieldId) -> Option<&str> {
        self.fields.get(&field).map(|name| &**name)
    }

    #[must_use]
    pub fn r#enum(&self, r#enum: EnumId) -> Option<&str> {
        self.enums.get(&r#enum).map(|names| &*names.name)
    }

    /// The name of a label by its index.
    #[must_use]
    pub fn label(&self, r#enum: EnumId, place: usize) -> Option<&str> {
        self.enums.get(&r#enum)?.labels.get(place)?.as_deref()
    }

    /// The field of the rows that refer.
    #[must_use]
    pub fn forward(&self, relationship: RelationshipId) -> Option<&str> {
        match self.relationships.get(&relationship)? {
            RelationshipNames::LeftOut => None,
            RelationshipNames::Given { forward, .. } => Some(forward),
        }
    }

    /// The field of the rows that are referred to.
    #[must_use]
    pub fn backward(&self, relationship: RelationshipId) -> Option<&str> {
        match self.relationships.get(&relationship)? {
            RelationshipNames::LeftOut => None,
            RelationshipNames::Given { backward, .. } => Some(backward),
        }
    }

    /// True if neither direction of a relationship is in the API.
    #[must_use]
    pub fn leaves_out(&self, relationship: RelationshipId) -> bool {
        self.relationships.get(&relationship) == Some(&RelationshipNames::LeftOut)
    }

    /// The joins from the rows of an entity.
    pub fn joins(&self, of: EntityId) -> impl Iterator<Item = &Join> {
        self.joins.iter().filter(move |(entity, _)| *entity == of).map(|(_, join)| join)
    }

    /// True for the name of an entity, of which no rule makes a singular.
    #[must_use]
    pub fn is_singular(&self, name: &str) -> bool {
        self.singular.contains(name)
    }
}
