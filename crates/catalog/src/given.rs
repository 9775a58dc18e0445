//! Given names: those that a user has given the parts of a source, beside the source's own. A dialect
//! makes its names of them, and statements have the source's.

use std::collections::{HashMap, HashSet};

use crate::catalog::Catalog;
use crate::entity::{FieldAccess, Key, KeyKind, WriteAccess};
use crate::ids::{EntityId, EnumId, FieldId, RelationshipId};
use crate::types::{Enum, EnumLabel, Type};

/// Given names by the ids of their catalog.
#[derive(Clone, Debug, Default)]
pub struct GivenNames {
    entities: HashMap<EntityId, Box<str>>,
    fields: HashMap<FieldId, Box<str>>,
    enums: HashMap<EnumId, EnumNames>,
    relationships: HashMap<RelationshipId, RelationshipNames>,
    joins: Vec<Join>,
    /// The names of entities.
    singular: HashSet<Box<str>>,
}

/// The name of an enum, and those of its labels.
#[derive(Clone, Debug)]
struct EnumNames {
    name: Box<str>,
    /// In the order of the labels.
    labels: Vec<Option<Box<str>>>,
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
    pub fn joins<'g>(
        &'g self,
        catalog: &'g Catalog,
        of: EntityId,
    ) -> impl Iterator<Item = &'g Join> {
        self.joins.iter().filter(move |join| catalog[join.near].to == of)
    }

    /// True for the name of an entity, of which no rule makes a singular.
    #[must_use]
    pub fn is_singular(&self, name: &str) -> bool {
        self.singular.contains(name)
    }
}

impl Catalog {
    /// The names that a user has given.
    #[must_use]
    pub fn given(&self) -> &GivenNames {
        &self.given
    }

    pub fn name_entity(&mut self, entity: EntityId, name: Box<str>) {
        self.given.singular.insert(name.clone());
        self.given.entities.insert(entity, name);
    }

    pub fn name_field(&mut self, field: FieldId, name: Box<str>) {
        self.given.fields.insert(field, name);
    }

    /// Names an enum, and its labels in their order.
    pub fn name_enum(&mut self, r#enum: EnumId, name: Box<str>, labels: Vec<Option<Box<str>>>) {
        self.given.enums.insert(r#enum, EnumNames { name, labels });
    }

    pub fn name_relationship(&mut self, relationship: RelationshipId, names: RelationshipNames) {
        self.given.relationships.insert(relationship, names);
    }

    pub fn name_join(&mut self, join: Join) {
        self.given.joins.push(join);
    }

    /// Describes an entity that the source does not describe.
    pub fn describe_entity(&mut self, entity: EntityId, description: &str) {
        fill(&mut self.entities[entity.index()].description, description);
    }

    /// Describes a field that the source does not describe.
    pub fn describe_field(&mut self, field: FieldId, description: &str) {
        fill(&mut self.fields[field.index()].description, description);
    }

    /// Describes an enum that the source does not describe.
    pub fn describe_enum(&mut self, r#enum: EnumId, description: &str) {
        fill(&mut self.enums[r#enum.index()].description, description);
    }

    /// Describes a label by its index.
    pub fn describe_label(&mut self, r#enum: EnumId, place: usize, description: &str) {
        if let Some(label) = self.enums[r#enum.index()].labels.get_mut(place) {
            fill(&mut label.description, description);
        }
    }

    /// Leaves a field out: clients neither read nor write its values.
    pub fn leave_out_field(&mut self, field: FieldId) {
        self.fields[field.index()].access = FieldAccess::NONE;
    }

    /// Leaves out an entity with all of its fields.
    pub fn leave_out_entity(&mut self, entity: EntityId) {
        self.entities[entity.index()].access = WriteAccess::NONE;
        for field in self.entities[entity.index()].fields.clone() {
            self.leave_out_field(field);
        }
    }

    /// True if clients may neither read nor write anything of an entity.
    #[must_use]
    pub fn is_left_out(&self, entity: EntityId) -> bool {
        let mut fields = self.fields_of(entity).peekable();
        fields.peek().is_some() && fields.all(|field| field.access == FieldAccess::NONE)
    }

    /// Adds an enum that the source does not define.
    pub fn declare_enum(&mut self, name: Box<str>, labels: Vec<Box<str>>) -> EnumId {
        let id = EnumId::new(self.enums.len());
        let labels = labels.into_iter().map(|label| EnumLabel { label, description: None });
        let labels = labels.collect();
        self.enums.push(Enum { id, namespace: None, name, labels, description: None });
        id
    }

    /// Declares that the values of a text field are labels of an enum.
    pub fn declare_labels(&mut self, field: FieldId, r#enum: EnumId) {
        self.fields[field.index()].r#type = Type::Enum(r#enum);
    }

    /// Whether the source has a key of exactly these fields, in any order.
    #[must_use]
    pub fn has_key(&self, entity: EntityId, fields: &[FieldId], is_primary: bool) -> bool {
        let is_same = |key: &Key| {
            key.fields.len() == fields.len() && fields.iter().all(|own| key.fields.contains(own))
        };
        let is_kind = |key: &Key| !is_primary || key.kind == KeyKind::Primary;
        self[entity].keys.iter().any(|key| is_kind(key) && is_same(key))
    }
}

fn fill(description: &mut Option<Box<str>>, text: &str) {
    description.get_or_insert_with(|| text.into());
}
