//! Catalogs that the tests are about.

use catalog::builder::{NewField, NewRelationship};
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId, Key, KeyKind, Scalar, Type,
};

/// A catalog of tables; `name` may be `namespace.table`, and is in `public` without a point.
pub(super) struct Tables {
    pub(super) builder: Builder,
}

impl Tables {
    pub(super) fn new() -> Self {
        Self { builder: Builder::new(Capabilities::default()) }
    }

    pub(super) fn entity(
        &mut self,
        name: &str,
        kind: EntityKind,
        columns: &[(&str, Type)],
    ) -> EntityId {
        let (namespace, name) = name.split_once('.').unwrap_or(("public", name));
        let entity = self.builder.entity(Some(namespace.into()), name.into(), kind, None);
        for (name, r#type) in columns {
            let field = NewField {
                name: (*name).into(),
                r#type: r#type.clone(),
                nullable: !name.ends_with("_id") && *name != "id",
                has_default: false,
                generated: None,
                description: None,
            };
            self.builder.field(entity, field);
        }
        entity
    }

    /// A table whose first `key` columns are its primary key.
    pub(super) fn table(&mut self, name: &str, key: usize, columns: &[(&str, Type)]) -> EntityId {
        let entity = self.entity(name, EntityKind::Table, columns);
        let fields = self.builder.catalog()[entity].fields[..key].to_vec();
        self.builder.key(
            entity,
            Key {
                name: "".into(),
                kind: KeyKind::Primary,
                fields,
                enforced: true,
                deferrable: false,
                description: None,
            },
        );
        entity
    }

    pub(super) fn foreign_key(&mut self, from: (EntityId, &[&str]), to: (EntityId, &[&str])) {
        let fields = |(entity, names): (EntityId, &[&str])| -> Vec<FieldId> {
            let find = |name: &&str| self.builder.catalog().find_field(entity, name).unwrap().id;
            names.iter().map(find).collect()
        };
        let (from_fields, to_fields) = (fields(from), fields(to));
        let relationship = NewRelationship {
            name: "".into(),
            from: from.0,
            from_fields,
            to: to.0,
            to_fields,
            description: None,
        };
        self.builder.relationship(relationship);
    }

    pub(super) fn finish(self) -> Catalog {
        self.builder.finish()
    }
}

pub(super) fn int() -> Type {
    Type::Scalar(Scalar::Int32)
}

pub(super) fn bigint() -> Type {
    Type::Scalar(Scalar::Int64)
}

pub(super) fn text() -> Type {
    Type::Scalar(Scalar::Text)
}

pub(super) fn uuid() -> Type {
    Type::Scalar(Scalar::Uuid)
}
