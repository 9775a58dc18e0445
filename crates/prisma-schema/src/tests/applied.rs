//! What becomes of a catalog.

use catalog::builder::{NewField, NewRelationship};
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, EnumLabel, FieldId, Key, KeyKind, Scalar,
    Type,
};
use expect_test::{Expect, expect};

use super::schema;
use crate::apply;

/// `users(id, mail, role, boss)` with an enum, `posts(id, user)` without a foreign key, `rest(id)`.
fn catalog(is_sqlite: bool) -> Catalog {
    let capabilities =
        Capabilities { any_values: is_sqlite, namespaces: !is_sqlite, ..Capabilities::default() };
    let mut builder = Builder::new(capabilities);
    let namespace = || (!is_sqlite).then(|| "public".into());
    let label = |text: &str| EnumLabel { label: text.into(), description: None };
    let role = match is_sqlite {
        true => Type::Scalar(Scalar::Text),
        false => {
            let labels = vec![label("a"), label("b")];
            Type::Enum(builder.r#enum(namespace(), "role".into(), labels, None))
        }
    };
    let entity = |builder: &mut Builder, name: &str, fields: &[(&str, Type)]| {
        let id = builder.entity(namespace(), name.into(), EntityKind::Table, None);
        let fields: Vec<FieldId> = fields
            .iter()
            .map(|(name, r#type)| {
                let nullable = *name != "id" && *name != "mail";
                builder.field(id, NewField {
                    name: (*name).into(),
                    r#type: r#type.clone(),
                    nullable,
                    has_default: false,
                    generated: None,
                    description: None,
                })
            })
            .collect();
        builder.key(id, Key {
            name: "".into(),
            kind: KeyKind::Primary,
            fields: vec![fields[0]],
            enforced: true,
            deferrable: false,
            description: None,
        });
        (id, fields)
    };
    let int = || Type::Scalar(Scalar::Int32);
    let text = || Type::Scalar(Scalar::Text);
    let (users, fields) = entity(
        &mut builder,
        "users",
        &[("id", int()), ("mail", text()), ("role", role), ("boss", int())],
    );
    builder.relationship(NewRelationship {
        name: "boss_fk".into(),
        from: users,
        from_fields: vec![fields[3]],
        to: users,
        to_fields: vec![fields[0]],
        description: None,
    });
    entity(&mut builder, "posts", &[("id", int()), ("user", int()), ("name", text())]);
    entity(&mut builder, "rest", &[("id", int())]);
    entity(&mut builder, "_prisma_migrations", &[("id", text())]);
    builder.finish()
}

fn entity(catalog: &Catalog, name: &str) -> EntityId {
    catalog.entities().find(|entity| &*entity.name == name).unwrap().id
}

const USERS: &str = "model User {\n id Int @id\n mail String @map(\"mail\")\n role Role?\n \
    bossId Int? @map(\"boss\")\n boss User? @relation(\"b\", fields: [bossId], references: [id])\n \
    team User[] @relation(\"b\")\n posts Post[]\n @@map(\"users\")\n}\n";

const POSTS: &str = "model Post {\n id Int @id\n userId Int? @map(\"user\")\n name String?\n \
    user User? @relation(fields: [userId], references: [id])\n @@map(\"posts\")\n}\n";

const ROLE: &str = "enum Role {\n FIRST @map(\"a\")\n SECOND @map(\"b\")\n @@map(\"role\")\n}\n";

#[test]
fn names_relations_and_enums_are_given() {
    for is_sqlite in [true, false] {
        let mut catalog = catalog(is_sqlite);
        apply(&mut catalog, &schema(&[USERS, POSTS, ROLE].concat())).unwrap();
        let (users, posts) = (entity(&catalog, "users"), entity(&catalog, "posts"));
        let given = catalog.given();
        assert_eq!(given.entity(users), Some("User"));
        assert_eq!(catalog.fields_of(users).filter_map(|own| given.field(own.id)).collect::<Vec<_>>(), [
            "id", "mail", "role", "bossId"
        ]);
        let names: Vec<_> = catalog
            .relationships()
            .map(|own| (given.forward(own.id), given.backward(own.id), own.enforced))
            .collect();
        // The second one is declared.
        assert_eq!(names, [
            (Some("boss"), Some("team"), true),
            (Some("user"), Some("posts"), false)
        ]);
        let role = catalog.find_field(users, "role").unwrap();
        let Type::Enum(role) = role.r#type else { panic!("{:?}", role.r#type) };
        assert_eq!(given.r#enum(role), Some("Role"));
        assert_eq!([0, 1, 2].map(|place| given.label(role, place)), [
            Some("FIRST"),
            Some("SECOND"),
            None
        ]);
        assert!(!catalog.is_left_out(posts));
        assert!(catalog.is_left_out(entity(&catalog, "rest")));
        assert!(catalog.is_left_out(entity(&catalog, "_prisma_migrations")));
    }
}

/// Notes and mistakes.
fn check(is_sqlite: bool, text: &str, expected: &Expect) {
    let mut catalog = catalog(is_sqlite);
    let found = match apply(&mut catalog, &schema(text)) {
        Ok(()) => catalog.notes().iter().map(|note| format!("{note}\n")).collect::<String>(),
        Err(mistakes) => format!("error: {mistakes}\n"),
    };
    expected.assert_eq(&found);
}

#[test]
fn another_database_is_refused() {
    check(true, "datasource db {\n provider = \"postgresql\"\n}", &expect![[""]]);
    check(false, "datasource db {\n provider = \"sqlite\"\n}", &expect![[""]]);
}

#[test]
fn what_the_database_lacks_is_refused() {
    check(
        false,
        "model User {\n id Int @id\n email String\n @@map(\"user\")\n}\n\
         model Post {\n id Int @id\n nam String?\n @@map(\"posts\")\n}\n\
         model Rest {\n id Int @id\n @@map(\"rest\")\n @@schema(\"other\")\n}",
        &expect![[""]],
    );
}

#[test]
fn other_types_are_refused() {
    check(
        false,
        "model User {\n id Boolean @id\n mail Role\n role String?\n boss Int[]\n @@map(\"users\")\n}\n\
         enum Role {\n A\n}",
        &expect![[""]],
    );
    // Values of SQLite have no type of their column.
    check(
        true,
        "model User {\n id BigInt @id\n mail Bytes\n role DateTime?\n boss Role?\n @@map(\"users\")\n}\n\
         enum Role {\n A\n}",
        &expect![[""]],
    );
}

#[test]
fn values_that_an_enum_of_the_database_lacks_are_refused() {
    check(
        false,
        &[USERS, POSTS, "enum Role {\n FIRST @map(\"A\")\n @@map(\"role\")\n}"].concat(),
        &expect![[""]],
    );
    check(
        false,
        &[USERS, POSTS, "enum Role {\n FIRST @map(\"a\")\n @@map(\"role\")\n}"].concat(),
        &expect![[""]],
    );
}

#[test]
fn what_has_no_effect_is_told() {
    check(
        false,
        "datasource db {\n provider = \"postgres\"\n relationMode = \"prisma\"\n}\n\
         model User {\n id Int @id @default(autoincrement())\n mail String @default(uuid()) @unique\n \
         role Unsupported(\"role\")\n boss BigInt\n @@map(\"users\")\n}\n\
         model Post {\n id Int\n user Int\n name String? @id @ignore\n @@map(\"posts\")\n @@ignore\n}\n\
         model Rest {\n id Int? @unique\n @@map(\"rest\")\n}",
        &expect![[""]],
    );
}

#[test]
fn relations_need_columns_that_can_be_compared_and_are_in_the_api() {
    let posts = |fields: &str| {
        POSTS.replace("[userId]", fields).replace("userId Int?", "userId Int? @ignore")
    };
    check(false, &[USERS, &posts("[userId]"), ROLE].concat(), &expect![[""]]);
    check(false, &[USERS, &posts("[name]"), ROLE].concat(), &expect![[""]]);
    // Both ends of a relation are left out with one.
    let text = POSTS.replace("references: [id])", "references: [id]) @ignore");
    let mut catalog = catalog(false);
    apply(&mut catalog, &schema(&[USERS, &text, ROLE].concat())).unwrap();
    assert_eq!(catalog.relationships().count(), 1);
}

#[test]
fn primary_keys_stay_in_the_api() {
    check(
        false,
        "model User {\n mail String @unique\n id Int @ignore\n @@map(\"users\")\n}\n\
         model Post {\n name String? @unique\n @@map(\"posts\")\n}",
        &expect![[""]],
    );
}

#[test]
fn a_relation_of_two_lists_needs_its_table() {
    check(
        false,
        "model Post {\n id Int @id\n users User[]\n @@map(\"posts\")\n}\n\
         model User {\n id Int @id\n mail String\n posts Post[]\n @@map(\"users\")\n}",
        &expect![[""]],
    );
    check(
        false,
        "model Post {\n id Int @id\n users User[] @relation(\"x\")\n @@map(\"posts\")\n}\n\
         model User {\n id Int @id\n mail String\n posts Post[] @relation(\"x\")\n @@map(\"users\")\n}",
        &expect![[""]],
    );
}
