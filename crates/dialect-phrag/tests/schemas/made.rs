//! Catalogs that the tests are about.

use catalog::builder::{NewField, NewRelationship};
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId, Key, KeyKind, Scalar, Type,
};

/// A catalog of tables in the namespace `public`.
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
        let entity = self.builder.entity(Some("public".into()), name.into(), kind, None);
        for (name, r#type) in columns {
            let field = NewField {
                name: (*name).into(),
                r#type: r#type.clone(),
                nullable: true,
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

    pub(super) fn view(&mut self, name: &str, columns: &[(&str, Type)]) -> EntityId {
        self.entity(name, EntityKind::View, columns)
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

pub(super) fn timestamp() -> Type {
    Type::Scalar(Scalar::Timestamp)
}

/// The database of Phrag's own tests.
pub(super) fn meetups() -> Catalog {
    let mut tables = Tables::new();
    let members = tables.table(
        "members",
        1,
        &[("id", bigint()), ("first_name", text()), ("last_name", text()), ("email", text())],
    );
    let groups = tables.table(
        "groups",
        1,
        &[("id", bigint()), ("name", text()), ("created_at", timestamp())],
    );
    let venues =
        tables.table("venues", 1, &[("vid", bigint()), ("name", text()), ("postal_code", text())]);
    let meetups = tables.table(
        "meetups",
        1,
        &[
            ("id", bigint()),
            ("title", text()),
            ("start_at", timestamp()),
            ("venue_id", int()),
            ("group_id", int()),
        ],
    );
    let follow = tables.table("member_follow", 2, &[("created_by", int()), ("member_id", int())]);
    let meetups_members =
        tables.table("meetups_members", 2, &[("meetup_id", int()), ("member_id", int())]);
    let groups_members =
        tables.table("groups_members", 2, &[("group_id", int()), ("member_id", int())]);
    tables.view(
        "meetup_with_venue",
        &[("id", bigint()), ("title", text()), ("venue_id", bigint()), ("venue_name", text())],
    );
    for (from, column, to, key) in [
        (meetups, "venue_id", venues, "vid"),
        (meetups, "group_id", groups, "id"),
        (follow, "created_by", members, "id"),
        (follow, "member_id", members, "id"),
        (meetups_members, "meetup_id", meetups, "id"),
        (meetups_members, "member_id", members, "id"),
        (groups_members, "group_id", groups, "id"),
        (groups_members, "member_id", members, "id"),
    ] {
        tables.foreign_key((from, &[column]), (to, &[key]));
    }
    tables.finish()
}
