//! Names of the database's objects: [`naming`](super::naming) applied to the catalog and its smart
//! tags.

use catalog::{EntityId, EnumId, FieldId, FunctionId, KeyKind, Relationship};

use super::SimpleCollections;
use super::build::Build;
use super::naming::{ListSuffix, RelationNames, coerce};
use super::tags::Tags;

impl<'a> Build<'a> {
    pub(super) fn entity_tags(&self, entity: EntityId) -> &'a Tags {
        &self.annotations.entity(entity).tags
    }

    pub(super) fn field_tags(&self, field: FieldId) -> &'a Tags {
        &self.annotations.field(field).tags
    }

    pub(super) fn relationship_tags(&self, relationship: &Relationship) -> &'a Tags {
        &self.annotations.relationship(relationship.id).tags
    }

    /// The tags of a key, by its index in its entity.
    pub(super) fn key_tags(&self, entity: EntityId, place: usize) -> &'a Tags {
        &self.annotations.key(entity, place).tags
    }

    /// The base of names of and around an entity.
    pub(super) fn table_name(&self, entity: EntityId) -> &'a str {
        let given = self.catalog.given().entity(entity);
        given
            .or_else(|| self.entity_tags(entity).text("name"))
            .unwrap_or(&self.catalog[entity].name)
    }

    /// The type of an entity's rows: a given name as it is.
    pub(super) fn row_type_name(&self, entity: EntityId) -> String {
        match self.catalog.given().entity(entity) {
            Some(name) => name.into(),
            None => self.inflection.table_type(self.table_name(entity)),
        }
    }

    /// The field of a column: a given name as it is.
    pub(super) fn column_field_name(&self, field: FieldId) -> String {
        match self.catalog.given().field(field) {
            // The name belongs to the global id.
            Some(name) if name != self.inflection.node_id() => name.into(),
            Some(_) | None => self.inflection.column(self.column_name(field)),
        }
    }

    /// The base of names of and around a column.
    pub(super) fn column_name(&self, field: FieldId) -> &'a str {
        let given = self.catalog.given().field(field);
        given.or_else(|| self.field_tags(field).text("name")).unwrap_or(&self.catalog[field].name)
    }

    pub(super) fn column_names(&self, fields: &[FieldId]) -> Vec<&'a str> {
        fields.iter().map(|field| self.column_name(*field)).collect()
    }

    /// The base of names of and around a function.
    pub(super) fn function_name(&self, function: FunctionId) -> &'a str {
        self.function_tags(function).text("name").unwrap_or(&self.catalog[function].name)
    }

    pub(super) fn function_tags(&self, function: FunctionId) -> &'a Tags {
        &self.annotations.function(function).tags
    }

    /// The field of the root for a function's result, a set as a connection.
    pub(super) fn query_name(&self, function: FunctionId, is_set: bool) -> String {
        let suffix = list_suffix(self.function_tags(function));
        self.inflection.function(&coerce(self.function_name(function)), is_set, suffix)
    }

    /// The field of the root for the set of a function as a list.
    pub(super) fn query_list_name(&self, function: FunctionId) -> String {
        let suffix = list_suffix(self.function_tags(function));
        self.inflection.function_list(&coerce(self.function_name(function)), suffix)
    }

    /// The field of a row for a function's result. `rest` is the function's name without that of
    /// the table.
    pub(super) fn computed_name(&self, function: FunctionId, rest: &str, is_set: bool) -> String {
        let tags = self.function_tags(function);
        let suffix = list_suffix(tags);
        match tags.text("fieldName") {
            Some(name) if is_set => self.inflection.as_connection(name, suffix),
            Some(name) => name.into(),
            None => self.inflection.function(rest, is_set, suffix),
        }
    }

    /// The field of a row for the set of a function as a list.
    pub(super) fn computed_list_name(&self, function: FunctionId, rest: &str) -> String {
        let tags = self.function_tags(function);
        let suffix = list_suffix(tags);
        match tags.text("fieldName") {
            Some(name) => self.inflection.as_tagged_list(name, suffix),
            None => self.inflection.function_list(rest, suffix),
        }
    }

    /// The type of a function's own records.
    pub(super) fn record_type(&self, function: FunctionId) -> String {
        match self.function_tags(function).text("resultTypeName") {
            Some(name) => name.into(),
            None => self.inflection.record_type(self.function_name(function)),
        }
    }

    pub(super) fn all_rows_name(&self, entity: EntityId) -> String {
        let suffix = list_suffix(self.entity_tags(entity));
        self.inflection.all_rows(self.table_name(entity), suffix)
    }

    pub(super) fn all_rows_list_name(&self, entity: EntityId) -> String {
        let suffix = list_suffix(self.entity_tags(entity));
        self.inflection.all_rows_list(self.table_name(entity), suffix)
    }

    /// The field of one row by a key, which is given by its index in its entity.
    pub(super) fn row_by_key_name(&self, entity: EntityId, place: usize) -> String {
        if let Some(name) = self.key_tags(entity, place).text("fieldName") {
            return name.into();
        }
        let table = self.table_name(entity);
        let Some(key) = self.catalog[entity].keys.get(place) else { return String::new() };
        let columns = self.column_names(&key.fields);
        match key.kind {
            KeyKind::Primary => self.inflection.row_by_primary_key(table, &columns),
            KeyKind::Unique => self.inflection.row_by(table, &columns),
        }
    }

    /// The field that follows a foreign key.
    pub(super) fn forward_name(&self, relationship: &Relationship) -> String {
        let given = self.catalog.given().forward(relationship.id);
        match given.or_else(|| self.relationship_tags(relationship).text("fieldName")) {
            Some(name) => name.into(),
            None => self.inflection.forward(&self.relation_names(relationship)),
        }
    }

    /// The reverse field of a foreign key to one row.
    pub(super) fn backward_single_name(&self, relationship: &Relationship) -> String {
        let tags = self.relationship_tags(relationship);
        let names = self.relation_names(relationship);
        let given = self.catalog.given().backward(relationship.id);
        given
            .or_else(|| tags.text("foreignSingleFieldName"))
            .or_else(|| tags.text("foreignFieldName"))
            .map(Into::into)
            .or_else(|| self.inflection.backward_single_by_role(&names))
            // As in PostGraphile, where one function names both directions.
            .or_else(|| tags.text("fieldName").map(Into::into))
            .unwrap_or_else(|| self.inflection.backward_single(&names))
    }

    /// The reverse field of a foreign key to a connection.
    pub(super) fn backward_many_name(&self, relationship: &Relationship) -> String {
        let tags = self.relationship_tags(relationship);
        let suffix = list_suffix(tags);
        if let Some(name) = self.catalog.given().backward(relationship.id) {
            return self.inflection.as_connection(name, suffix);
        }
        match tags.text("foreignFieldName") {
            Some(name) if tags.has("foreignSimpleFieldName") => name.into(),
            Some(name) => self.inflection.as_connection(name, suffix),
            None => self.inflection.backward_many(&self.relation_names(relationship), suffix),
        }
    }

    /// The reverse field of a foreign key to a list.
    pub(super) fn backward_list_name(&self, relationship: &Relationship) -> String {
        let tags = self.relationship_tags(relationship);
        let suffix = list_suffix(tags);
        if let Some(name) = self.catalog.given().backward(relationship.id) {
            return self.given_list_name(name, self.relation_collections(relationship));
        }
        match (tags.text("foreignSimpleFieldName"), tags.text("foreignFieldName")) {
            (Some(name), _) => name.into(),
            (None, Some(name)) => self.inflection.as_list(name, suffix),
            (None, None) => {
                self.inflection.backward_list(&self.relation_names(relationship), suffix)
            }
        }
    }

    /// The given names of an enum's labels, in their order.
    pub(super) fn given_labels(&self, r#enum: EnumId) -> Vec<Option<&'a str>> {
        let places = 0..self.catalog[r#enum].labels.len();
        places.map(|place| self.catalog.given().label(r#enum, place)).collect()
    }

    /// The list of a given name: the name as it is, unless a connection has it.
    pub(super) fn given_list_name(&self, name: &str, collections: SimpleCollections) -> String {
        match collections.has_connections() {
            true => format!("{name}List"),
            false => name.into(),
        }
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

/// The meaning of the tag `@listSuffix`.
fn list_suffix(tags: &Tags) -> ListSuffix {
    match tags.text("listSuffix") {
        Some("omit") => ListSuffix::Omit,
        Some("include") => ListSuffix::Include,
        _ => ListSuffix::Default,
    }
}
