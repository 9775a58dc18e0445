//! What becomes of a catalog.

use catalog::builder::{NewField, NewRelationship};
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, EnumLabel, FieldDefault, FieldId, Key,
    KeyKind, Scalar, Sequence, Type,
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
                builder.field(
                    id,
                    NewField {
                        name: (*name).into(),
                        r#type: r#type.clone(),
                        nullable,
                        has_default: false,
                        generated: None,
                        description: None,
                    },
                )
            })
            .collect();
        builder.key(
            id,
            Key {
                name: "".into(),
                kind: KeyKind::Primary,
                fields: vec![fields[0]],
                enforced: true,
                deferrable: false,
                description: None,
            },
        );
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
        assert_eq!(
            catalog.fields_of(users).filter_map(|own| given.field(own.id)).collect::<Vec<_>>(),
            ["id", "mail", "role", "bossId"]
        );
        let names: Vec<_> = catalog
            .relationships()
            .map(|own| (given.forward(own.id), given.backward(own.id), own.enforced))
            .collect();
        // The second one is declared.
        assert_eq!(
            names,
            [(Some("boss"), Some("team"), true), (Some("user"), Some("posts"), false)]
        );
        let role = catalog.find_field(users, "role").unwrap();
        let Type::Enum(role) = role.r#type else { panic!("{:?}", role.r#type) };
        assert_eq!(given.r#enum(role), Some("Role"));
        assert_eq!(
            [0, 1, 2].map(|place| given.label(role, place)),
            [Some("FIRST"), Some("SECOND"), None]
        );
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
    check(
        true,
        "datasource db {\n provider = \"postgresql\"\n}",
        &expect![[r#"
        error: s, line 1, column 12: the schema is for another database. The source is a SQLite file: the provider is "sqlite".
    "#]],
    );
    check(
        false,
        "datasource db {\n provider = \"sqlite\"\n}",
        &expect![[r#"
        error: s, line 1, column 12: the schema is for another database. The source is PostgreSQL: the provider is "postgresql".
    "#]],
    );
}

#[test]
fn what_the_database_lacks_is_refused() {
    check(
        false,
        "model User {\n id Int @id\n email String\n @@map(\"user\")\n}\n\
         model Post {\n id Int @id\n nam String?\n @@map(\"posts\")\n}\n\
         model Rest {\n id Int @id\n @@map(\"rest\")\n @@schema(\"other\")\n}",
        &expect![[r#"
            error: s, line 1, column 7: User: the database has no table or view "user": did you mean @@map("users")?
            error: s, line 8, column 2: Post.nam: public.posts has no column "nam": did you mean @map("name")?
            error: s, line 11, column 7: Rest: the database has no table or view "rest" in the schema "other": there is public.rest: correct @@schema.
        "#]],
    );
}

#[test]
fn other_types_are_refused() {
    check(
        false,
        "model User {\n id Boolean @id\n mail Role\n role String?\n boss Int[]\n @@map(\"users\")\n}\n\
         enum Role {\n A\n}",
        &expect![[r#"
            error: s, line 2, column 2: User.id: the column "id" has another type (int32): correct the field, or migrate the database.
            error: s, line 3, column 2: User.mail: the column has no values of the enum "Role" (text): correct the field, or @@map of Role.
            error: s, line 4, column 2: User.role: the column "role" has another type (the enum role): correct the field, or migrate the database.
            error: s, line 5, column 2: User.boss: the column is no list: remove `[]` after the type.
        "#]],
    );
    // Values of SQLite have no type of their column.
    check(
        true,
        "model User {\n id BigInt @id\n mail Bytes\n role DateTime?\n boss Role?\n @@map(\"users\")\n}\n\
         enum Role {\n A\n}",
        &expect![[r#"
            error: s, line 5, column 2: User.boss: the column has no texts (int32), which values of Role are.
        "#]],
    );
}

#[test]
fn values_that_an_enum_of_the_database_lacks_are_refused() {
    check(
        false,
        &[USERS, POSTS, "enum Role {\n FIRST @map(\"A\")\n @@map(\"role\")\n}"].concat(),
        &expect![[r#"
            error: s, line 19, column 2: Role.FIRST: the enum "role" of the database has no value "A": did you mean @map("a")?
        "#]],
    );
    check(
        false,
        &[USERS, POSTS, "enum Role {\n FIRST @map(\"a\")\n @@map(\"role\")\n}"].concat(),
        &expect![[r#"
            declaration without effect: Role (s, line 18): the database has more values, which keep their names: b. Remedy: add them, as `prisma db pull` does.
            left out: public.rest: the Prisma schema has no model for it. Remedy: add one, as `prisma db pull` does, or leave it out.
        "#]],
    );
}

#[test]
fn what_has_no_effect_is_told() {
    check(
        false,
        "datasource db {\n provider = \"postgres\"\n relationMode = \"prisma\"\n}\n\
         model User {\n id Int @id @default(autoincrement())\n mail String @default(uuid()) @unique\n \
         role Unsupported(\"role\")\n boss BigInt\n @@map(\"users\")\n}\n\
         model Post {\n id Int\n user Int\n name String @id @ignore\n @@map(\"posts\")\n @@ignore\n}\n\
         model Rest {\n id Int? @unique\n @@map(\"rest\")\n}",
        &expect![[r#"
            declaration without effect: User.id (s, line 6): the column has no default: inserts have to give a value. Remedy: migrate the database, or remove @default.
            part without effect: User.mail (s, line 7): Prisma Client fills it in by uuid(), the database does not: inserts have to give a value. Remedy: give the column a default in the database.
            declaration without effect: User.role (s, line 8): the field is required and the column accepts null: it stays nullable in the API. Remedy: write or remove the `?`, or migrate the database.
            declaration without effect: User.boss (s, line 9): the column has the type int32, which holds. Remedy: run `prisma db pull`.
            declaration without effect: User.boss (s, line 9): the field is required and the column accepts null: it stays nullable in the API. Remedy: write or remove the `?`, or migrate the database.
            declaration without effect: Rest.id (s, line 20): the field is optional and the column does not accept null: it is required in the API. Remedy: write or remove the `?`, or migrate the database.
            declaration without effect: User (s, line 7): the database does not enforce the unique key (mail): no row is found or changed by it. Remedy: add the constraint to the database.
            part without effect: relationMode (s, line 1): Prisma Client keeps relations whole in this mode. The API does not: `onDelete` and `onUpdate` have no effect, and rows may refer to ones that are not there. Remedy: add foreign keys to the database.
        "#]],
    );
}

#[test]
fn relations_need_columns_that_can_be_compared_and_are_in_the_api() {
    let posts = |fields: &str| {
        POSTS.replace("[userId]", fields).replace("userId Int?", "userId Int? @ignore")
    };
    check(
        false,
        &[USERS, &posts("[userId]"), ROLE].concat(),
        &expect![[r#"
        error: s, line 15, column 2: Post.user: the relation needs Post.userId, which is ignored: remove its @ignore, or ignore the relation at both ends.
    "#]],
    );
    check(
        false,
        &[USERS, &posts("[name]"), ROLE].concat(),
        &expect![[r#"
        error: s, line 15, column 2: Post.user: the columns "name" and "id" have different types.
    "#]],
    );
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
        &expect![[r#"
            error: s, line 3, column 2: User.id: the column "id" is in the primary key, which rows are found by: remove @ignore, or write @@ignore.
            error: s, line 6, column 7: Post: no field has the column "id" of the primary key: add one.
        "#]],
    );
}

#[test]
fn a_relation_of_two_lists_needs_its_table() {
    check(
        false,
        "model Post {\n id Int @id\n users User[]\n @@map(\"posts\")\n}\n\
         model User {\n id Int @id\n mail String\n posts Post[]\n @@map(\"users\")\n}",
        &expect![[r#"
            error: s, line 3, column 2: Post.users: the database has no table "_PostToUser" for the relation: name the relation after its table, without the underscore, or write a model for it.
        "#]],
    );
    check(
        false,
        "model Post {\n id Int @id\n users User[] @relation(\"x\")\n @@map(\"posts\")\n}\n\
         model User {\n id Int @id\n mail String\n posts Post[] @relation(\"x\")\n @@map(\"users\")\n}",
        &expect![[r#"
            error: s, line 3, column 2: Post.users: the database has no table "_x" for the relation: name the relation after its table, without the underscore, or write a model for it.
        "#]],
    );
}

/// `things` with columns of several types and defaults.
fn with_defaults(columns: &[(&str, Scalar, Option<FieldDefault>)]) -> Catalog {
    let mut builder = Builder::new(Capabilities { namespaces: true, ..Capabilities::default() });
    let things = builder.entity(Some("public".into()), "things".into(), EntityKind::Table, None);
    for (name, scalar, default) in columns {
        let field = builder.field(
            things,
            NewField {
                name: (*name).into(),
                r#type: Type::Scalar(scalar.clone()),
                nullable: *name != "id",
                has_default: default.is_some() || *name == "made",
                generated: None,
                description: None,
            },
        );
        if let Some(default) = default {
            builder.set_default(field, default.clone());
        }
    }
    builder.finish()
}

#[test]
fn defaults_are_compared_with_those_of_columns() {
    let text = |text: &str| Some(FieldDefault::Text(text.into()));
    let number = |digits: &str| Some(FieldDefault::Number(digits.into()));
    let sequence = Sequence { name: "s".into(), start: 1 };
    let mut catalog = with_defaults(&[
        ("id", Scalar::Int32, Some(FieldDefault::Sequence(sequence))),
        ("name", Scalar::Text, text("a")),
        ("other", Scalar::Text, text("a")),
        ("level", Scalar::Int32, number("3")),
        ("rank", Scalar::Int32, text("-3")),
        ("rate", Scalar::Float64, number("0.50")),
        ("ok", Scalar::Boolean, Some(FieldDefault::Boolean(false))),
        ("state", Scalar::Text, text("a")),
        ("made", Scalar::Text, None),
        ("none", Scalar::Text, None),
        ("untold", Scalar::Text, text("b")),
        ("at", Scalar::Timestamp, text("2020-01-01 00:00:00")),
    ]);
    let schema = schema(
        "model Thing {\n id Int @default(3)\n name String? @default(\"a\")\n other String? \
         @default(\"b\")\n level Int? @default(4)\n rank Int? @default(-3)\n rate Float? \
         @default(0.5)\n ok Boolean? @default(true)\n state String? @default(dbgenerated())\n made \
         String? @default(\"a\")\n none String? @default(\"a\")\n untold String?\n at DateTime? \
         @default(\"2020-01-01T00:00:00Z\")\n @@id([id])\n @@map(\"things\")\n}",
    );
    apply(&mut catalog, &schema).unwrap();
    let notes: String = catalog
        .notes()
        .iter()
        .map(|note| format!("{}: {}\n", note.subject, note.message))
        .collect();
    expect![[r#"
        Thing.id (s, line 2): the default of the column is a sequence, which holds.
        Thing.other (s, line 4): the column has the default "a", which holds.
        Thing.level (s, line 5): the column has the default 3, which holds.
        Thing.ok (s, line 8): the column has the default false, which holds.
        Thing.made (s, line 10): the default of the column is no constant; it holds.
        Thing.none (s, line 11): the column has no default: it is null where an insert gives no value.
        Thing.untold (s, line 12): the column has the default "b", which holds: inserts may leave it out.
        Thing (s, line 14): the database does not enforce the id (id): no row is found or changed by it.
    "#]].assert_eq(&notes);
}

#[test]
fn defaults_of_another_type_are_refused() {
    check(
        false,
        &[
            &USERS.replace("@map(\"mail\")", "@map(\"mail\") @default(1)"),
            &*POSTS
                .replace("name String?", "name String? @default(now)")
                .replace("@id", "@id @default(1.5)"),
            &ROLE.replace(
                "enum Role",
                "model Rest {\n id Int @id @default(\"a\")\n @@map(\"rest\")\n}\nenum Role",
            ),
        ]
        .concat(),
        &expect![[r#"
            error: s, line 3, column 2: User.mail: the default of the field has another type: write a text in quotes.
            error: s, line 12, column 2: Post.id: the default of the field has another type: write an integer.
            error: s, line 14, column 2: Post.name: the default of the field has another type: write a text in quotes.
            error: s, line 19, column 2: Rest.id: the default of the field has another type: write an integer.
        "#]],
    );
    check(
        false,
        &[&USERS.replace("Role?", "Role? @default(THIRD)"), POSTS, ROLE].concat(),
        &expect![[r#"
            error: s, line 4, column 2: User.role: the default of the field has another type: write a value of the enum.
        "#]],
    );
}
