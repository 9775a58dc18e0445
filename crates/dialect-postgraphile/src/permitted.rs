//! Permitted operations on the database's objects, by smart tags, options and indexes.

use catalog::{EntityId, EntityKind, FieldId, FunctionId, Relationship};

use super::build::Build;
use super::tags::Tags;
use super::tags::omit::{Action, omits};
use super::{SimpleCollections, Version};

impl Build<'_> {
    pub(super) fn offers_entity(&self, entity: EntityId, action: Action) -> bool {
        let may = match action {
            Action::Read | Action::All | Action::Many => self.is_readable(entity),
            Action::Filter
            | Action::Order
            | Action::Create
            | Action::Update
            | Action::Delete
            | Action::Base
            | Action::Execute
            | Action::ManyToMany => true,
        };
        may && self.has_entity(entity) && !omits(self.entity_tags(entity), action)
    }

    /// True if each row of an entity has a global id.
    pub(super) fn has_node_ids(&self, entity: EntityId) -> bool {
        let key = self.catalog[entity].primary_key();
        self.options.node_ids && key.is_some_and(|key| !key.fields.is_empty())
    }

    /// True if the type of an entity's rows is in the API, if something refers to it.
    pub(super) fn shows_entity(&self, entity: EntityId) -> bool {
        self.has_entity(entity) && !omits(self.entity_tags(entity), Action::Read)
    }

    fn has_entity(&self, entity: EntityId) -> bool {
        !self.enum_tables.contains(entity)
    }

    /// True if any part of an entity's rows may be read on its own.
    pub(super) fn is_readable(&self, entity: EntityId) -> bool {
        let mut fields = self.catalog.fields_of(entity).peekable();
        fields.peek().is_none() || fields.any(|field| field.access.read)
    }

    pub(super) fn offers_field(&self, field: FieldId, action: Action) -> bool {
        let searched = matches!(action, Action::Filter | Action::Order);
        let found = self.options.ignore_indexes || !searched || self.is_found_by_index(field);
        found && self.lets_field(field, action) && !omits(self.field_tags(field), action)
    }

    /// True if an action on a field is permitted. Rows of an unreadable entity come only from
    /// objects with privileges of their own, such as functions: then they have all their fields.
    fn lets_field(&self, field: FieldId, action: Action) -> bool {
        let definition = &self.catalog[field];
        let offered = definition.access;
        let may = match action {
            Action::Read | Action::Filter | Action::Order => offered.read,
            Action::Create => offered.insert,
            Action::Update => offered.update,
            Action::All
            | Action::Delete
            | Action::Base
            | Action::Many
            | Action::Execute
            | Action::ManyToMany => true,
        };
        may || !self.is_readable(definition.entity)
    }

    /// True if an action on a key is permitted; the key is given by its index in its entity.
    pub(super) fn offers_key(&self, entity: EntityId, place: usize, action: Action) -> bool {
        !omits(self.key_tags(entity, place), action)
    }

    pub(super) fn offers_relationship(&self, relationship: &Relationship, action: Action) -> bool {
        let found = self.options.ignore_indexes
            || action != Action::Read
            || !relationship.enforced
            || self.is_followed_by_index(relationship);
        found && self.offers_without_index(relationship, action)
    }

    /// True if the row that a foreign key refers to may be read from the referring one. Version 5
    /// needs an index only in the other direction.
    pub(super) fn offers_forward(&self, relationship: &Relationship) -> bool {
        match self.options.version {
            Version::Four => self.offers_relationship(relationship, Action::Read),
            Version::Five => self.offers_without_index(relationship, Action::Read),
        }
    }

    fn offers_without_index(&self, relationship: &Relationship, action: Action) -> bool {
        let fields = relationship.from_fields.iter().chain(&relationship.to_fields);
        let shown = |field: &FieldId| self.offers_field(*field, Action::Read);
        !self.catalog.given().leaves_out(relationship.id)
            && fields.into_iter().all(shown)
            && !omits(self.relationship_tags(relationship), action)
    }

    /// The forms of all rows of an entity.
    pub(super) fn collections(&self, entity: EntityId) -> SimpleCollections {
        collections(self.entity_tags(entity)).unwrap_or(self.options.simple_collections)
    }

    pub(super) fn offers_function(&self, function: FunctionId) -> bool {
        self.catalog[function].callable && !omits(self.function_tags(function), Action::Execute)
    }

    /// True if rows have filters by a function's values.
    pub(super) fn offers_filter_by(&self, function: FunctionId) -> bool {
        !omits(self.function_tags(function), Action::Filter)
    }

    /// The forms of a function's set.
    pub(super) fn function_collections(&self, function: FunctionId) -> SimpleCollections {
        collections(self.function_tags(function)).unwrap_or(self.options.simple_collections)
    }

    /// The forms of the rows that refer to a row.
    pub(super) fn relation_collections(&self, relationship: &Relationship) -> SimpleCollections {
        self.collections_of(relationship, relationship.from)
    }

    /// The forms of an entity's rows along a foreign key.
    pub(super) fn collections_of(
        &self,
        relationship: &Relationship,
        entity: EntityId,
    ) -> SimpleCollections {
        collections(self.relationship_tags(relationship))
            .unwrap_or_else(|| self.collections(entity))
    }

    /// True if an index begins with the field. For version 5 it has the field, and views have all.
    fn is_found_by_index(&self, field: FieldId) -> bool {
        let entity = self.catalog[field].entity;
        let mut indexes = self.index_columns(entity);
        match self.options.version {
            Version::Four => indexes.any(|columns| columns.first() == Some(&field)),
            Version::Five => {
                !self.can_have_indexes(entity) || indexes.any(|columns| columns.contains(&field))
            }
        }
    }

    /// True if an index begins with the columns of the foreign key, in their order. For version 5 it
    /// has them in any order.
    fn is_followed_by_index(&self, relationship: &Relationship) -> bool {
        let mut indexes = self.index_columns(relationship.from);
        let from = &relationship.from_fields;
        match self.options.version {
            Version::Four => indexes.any(|columns| columns.starts_with(from)),
            Version::Five => {
                !self.can_have_indexes(relationship.from)
                    || indexes.any(|columns| from.iter().all(|field| columns.contains(field)))
            }
        }
    }

    fn can_have_indexes(&self, entity: EntityId) -> bool {
        matches!(self.catalog[entity].kind, EntityKind::Table | EntityKind::MaterializedView)
    }

    /// The columns of all indexes over all rows of an entity.
    fn index_columns(&self, entity: EntityId) -> impl Iterator<Item = &[FieldId]> {
        let entity = &self.catalog[entity];
        let keys = entity.keys.iter().filter(|key| key.enforced).map(|key| &*key.fields);
        let indexes = entity.indexes.iter().filter(|index| !index.is_partial());
        keys.chain(indexes.map(|index| &*index.fields))
    }
}

/// The meaning of the tag `@simpleCollections`.
fn collections(tags: &Tags) -> Option<SimpleCollections> {
    match tags.text("simpleCollections")? {
        "both" => Some(SimpleCollections::Both),
        "only" => Some(SimpleCollections::Only),
        // PostGraphile reads any other value so.
        _ => Some(SimpleCollections::Omit),
    }
}
