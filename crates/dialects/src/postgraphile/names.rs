//! The names of what the database has: [`naming`](super::naming) applied to the catalog.

use catalog::{EntityId, FieldId, Key, KeyKind, Relationship};

use super::build::Build;
use super::naming::RelationNames;

impl<'a> Build<'a> {
    /// What names of and around an entity are formed from.
    pub(super) fn table_name(&self, entity: EntityId) -> &'a str {
        &self.catalog[entity].name
    }

    /// What names of and around a column are formed from.
    pub(super) fn column_name(&self, field: FieldId) -> &'a str {
        &self.catalog[field].name
    }

    pub(super) fn column_names(&self, fields: &[FieldId]) -> Vec<&'a str> {
        fields.iter().map(|field| self.column_name(*field)).collect()
    }

    pub(super) fn all_rows_name(&self, entity: EntityId) -> String {
        self.inflection.all_rows(self.table_name(entity))
    }

    pub(super) fn all_rows_list_name(&self, entity: EntityId) -> String {
        self.inflection.all_rows_list(self.table_name(entity))
    }

    /// The field that gives one row by a key.
    pub(super) fn row_by_key_name(&self, entity: EntityId, key: &Key) -> String {
        let (table, columns) = (self.table_name(entity), self.column_names(&key.fields));
        match key.kind {
            KeyKind::Primary => self.inflection.row_by_primary_key(table, &columns),
            KeyKind::Unique => self.inflection.row_by(table, &columns),
        }
    }

    /// The field that follows a foreign key.
    pub(super) fn forward_name(&self, relationship: &Relationship) -> String {
        self.inflection.forward(&self.relation_names(relationship))
    }

    /// The field that goes back along a foreign key to one row.
    pub(super) fn backward_single_name(&self, relationship: &Relationship) -> String {
        self.inflection.backward_single(&self.relation_names(relationship))
    }

    /// The field that goes back along a foreign key to a connection.
    pub(super) fn backward_many_name(&self, relationship: &Relationship) -> String {
        self.inflection.backward_many(&self.relation_names(relationship))
    }

    /// The field that goes back along a foreign key to a list.
    pub(super) fn backward_list_name(&self, relationship: &Relationship) -> String {
        self.inflection.backward_list(&self.relation_names(relationship))
    }

    fn relation_names(&self, relationship: &Relationship) -> RelationNames<'a> {
        RelationNames {
            from: self.table_name(relationship.from),
            to: self.table_name(relationship.to),
            to_in_database: &self.catalog[relationship.to].name,
            columns: self.column_names(&relationship.from_fields),
        }
    }
}
