//! Catalogs by hand.

use catalog::builder::{NewField, NewRelationship};
use catalog::{Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId, Key, KeyKind, Type};

const NAMESPACE: &str = "app";

/// A catalog in which every name stands in one namespace.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) builder: Builder,
}

impl Default for Tables {
    fn default() -> Self {
        let capabilities = Capabilities {
            json_content: false,
            any_values: false,
            comments: true,
            json_equality: true,
            namespaces: true,
            statistics: true,
            time_zones: true,
        };
        Self { builder: Builder::new(capabilities) }
    }
}

impl Tables {
    pub(crate) fn namespace() -> Option<Box<str>> {
        Some(NAMESPACE.into())
    }

    /// A table with columns: name, type, whether it may be null.
    pub(crate) fn table(&mut self, name: &str, columns: &[(&str, Type, bool)]) -> EntityId {
        self.table_in(NAMESPACE, name, columns)
    }

    /// A table of another namespace.
    pub(crate) fn table_in(
        &mut self,
        namespace: &str,
        name: &str,
        columns: &[(&str, Type, bool)],
    ) -> EntityId {
        let namespace = Some(namespace.into());
        let entity = self.builder.entity(namespace, name.into(), EntityKind::Table, None);
        for (name, r#type, nullable) in columns {
            let field = NewField {
                name: (*name).into(),
                r#type: r#type.clone(),
                nullable: *nullable,
                has_default: false,
                generated: None,
                description: None,
            };
            self.builder.field(entity, field);
        }
        entity
    }

    pub(crate) fn primary(&mut self, entity: EntityId, columns: &[&str]) {
        self.key(entity, KeyKind::Primary, columns);
    }

    pub(crate) fn unique(&mut self, entity: EntityId, columns: &[&str]) {
        self.key(entity, KeyKind::Unique, columns);
    }

    /// A primary key that may be broken until the transaction ends.
    pub(crate) fn deferrable(&mut self, entity: EntityId, columns: &[&str]) {
        let key = self.made(entity, KeyKind::Primary, columns);
        self.builder.key(entity, Key { deferrable: true, ..key });
    }

    fn key(&mut self, entity: EntityId, kind: KeyKind, columns: &[&str]) {
        let key = self.made(entity, kind, columns);
        self.builder.key(entity, key);
    }

    fn made(&self, entity: EntityId, kind: KeyKind, columns: &[&str]) -> Key {
        let fields = self.fields(entity, columns);
        let name = columns.join("_").into();
        Key { name, kind, fields, enforced: true, deferrable: false, description: None }
    }

    pub(crate) fn foreign(
        &mut self,
        from: EntityId,
        columns: &[&str],
        to: EntityId,
        target: &[&str],
    ) {
        let relationship = NewRelationship {
            name: format!("{}_fkey", columns.join("_")).into(),
            from,
            from_fields: self.fields(from, columns),
            to,
            to_fields: self.fields(to, target),
            description: None,
        };
        self.builder.relationship(relationship);
    }

    fn fields(&self, entity: EntityId, columns: &[&str]) -> Vec<FieldId> {
        let catalog = self.builder.catalog();
        columns
            .iter()
            .map(|name| catalog.find_field(entity, name).expect("a column of the table").id)
            .collect()
    }

    pub(crate) fn finish(self) -> Catalog {
        self.builder.finish()
    }
}
