//! Given names and what goes with them: descriptions, types, and parts that are left out.

use crate::catalog::Catalog;
use crate::entity::{FieldAccess, Key, KeyKind, WriteAccess};
use crate::given::{EnumNames, GivenNames, Join, RelationshipNames};
use crate::ids::{EntityId, EnumId, FieldId, RelationshipId};
use crate::types::{Enum, EnumLabel, Type};

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

    /// States that the server sets the field to the time of a change.
    pub fn declare_moment_of_change(&mut self, field: FieldId) {
        self.given.moments_of_change.insert(field);
    }

    /// Names an enum, and its labels in their order.
    pub fn name_enum(&mut self, r#enum: EnumId, name: Box<str>, labels: Vec<Option<Box<str>>>) {
        self.given.enums.insert(r#enum, EnumNames { name, labels });
    }

    pub fn name_relationship(&mut self, relationship: RelationshipId, names: RelationshipNames) {
        self.given.relationships.insert(relationship, names);
    }

    pub fn name_join(&mut self, join: Join) {
        self.given.joins.push((self[join.near].to, join));
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

    /// True if the entity has a key of exactly these fields, in any order.
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
