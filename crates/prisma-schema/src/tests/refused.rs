//! What is refused, each with its place and a remedy.

use expect_test::{Expect, expect};

use crate::{File, read};

fn check(text: &str, expected: &Expect) {
    let mistakes = read(vec![File { name: "s".into(), text: text.into() }]).unwrap_err();
    let lines: Vec<String> = mistakes
        .0
        .iter()
        .map(|one| format!("{}:{} {}\n", one.line, one.column, one.message))
        .collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn blocks_and_lines() {
    check(
        "modl User {\n id Int\n}\n\
         model {\n}\n\
         model A\n\
         = 3\n\
         type B = String\n\
         model C {\n  id\n  x: Int\n  y [Int]\n  z Int!\n  v Int[]?\n  w Int[\n  5 Int\n  u Int @\n  \
         t Int extra\n}\n\
         model D {\n  id Int",
        &expect![[r#"
            1:1 `modl` begins no block: a block begins with `model`, `view`, `enum`, `datasource` or `generator` and its name.
            4:7 the block has no name: write it before `{`.
            5:1 a block begins with `model`, `view`, `enum`, `datasource` or `generator` and its name.
            6:8 write `{` after the name of the block.
            7:1 a block begins with `model`, `view`, `enum`, `datasource` or `generator` and its name.
            8:1 aliases of types were removed from Prisma 2: write the type at each field.
            9:7 C has no fields: write one at least.
            10:5 the field has no type: write it after the name.
            11:4 Prisma ORM has no `:` after a field: remove it.
            12:5 write a list as `Type[]`.
            13:8 a field is required without a sign: remove the `!`.
            14:10 a list is never null: remove the `?`.
            15:9 write `]` after `[`.
            16:3 a line begins with the name of a field, or with `@@`.
            17:10 write the name of an attribute after `@`.
            18:9 this belongs to no attribute: begin a line of its own.
            20:7 the block has no end: write `}`.
        "#]],
    );
}

#[test]
fn datasources() {
    check(
        "datasource db {\n provider = \"mysql\"\n}\n\
         datasource db2 {\n provider = \"sqlite\"\n}",
        &expect![[r#"
            2:13 databases of the provider mysql are not served: only postgresql, cockroachdb and sqlite are.
            4:12 there is a datasource already: a schema has one. Remove it.
        "#]],
    );
    check(
        "datasource db {\n provider = \"oracle\"\n relationMode = \"x\"\n schemas = \"a\"\n \
         colour = 1\n url = \"a\"\n url = \"b\"\n @@map(\"a\")\n}",
        &expect![[r#"
            2:13 there is no provider "oracle": it is postgresql, cockroachdb or sqlite.
            3:17 it is "foreignKeys" or "prisma".
            4:12 write a list of schemas: ["public"].
            5:2 there is no setting `colour`: it is one of provider, relationMode, referentialIntegrity, schemas, url, directUrl, shadowDatabaseUrl, extensions.
            7:2 the setting is there twice: remove one.
            8:4 a datasource has no attributes: remove it.
        "#]],
    );
    check(
        "datasource db {\n}",
        &expect![[r#"
        1:12 the datasource has no provider: write provider = "…".
    "#]],
    );
    check(
        "datasource db {\n provider \"sqlite\"\n}",
        &expect![[r#"
        1:12 the datasource has no provider: write provider = "…".
        2:11 write `=` and the value of the setting.
    "#]],
    );
}

#[test]
fn names() {
    check(
        "model User {\n id Int @id\n id String\n a-b Int\n mail String @map(\"x\")\n e String @map(\"x\")\n}\n\
         model User {\n id Int @id\n}\n\
         model String {\n id Int @id\n}\n\
         model Other {\n id Int @id\n @@map(\"User\")\n}\n\
         enum User {\n A\n}\n\
         type T {\n a Int\n}",
        &expect![[r#"
            3:2 User has a field id already: rename one.
            4:2 `a-b` is no name of GraphQL: begin with a letter, go on with letters, digits and underscores, and keep the database's name by @map or @@map.
            6:2 User.e has the column "x" as mail does: correct one @map.
            8:7 there is a model User already: rename one.
            11:7 String is a scalar of Prisma: rename the model.
            14:7 Other has the table "User" as User does: correct one @@map.
            18:6 there is a model User already: rename one.
            21:6 T: composite types are MongoDB's: a table has none. Remove it, and the fields of this type.
        "#]],
    );
}

#[test]
fn types_and_attributes_of_fields() {
    check(
        "model User {\n id Strng @id\n a Usr?\n b Int @uniq\n c Int @map\n d Int @map(5)\n \
         e Int @default\n f Int @default(rand())\n g Int @updatedAt\n h Int @x.Text\n \
         i Int @id @id\n j Int @ignore(1)\n k Int @map(\"a\", \"b\")\n l Int @map(nme: \"a\")\n \
         m Int @default(value: 1, value: 2)\n n Int? @id\n o Int @relation(\"x\")\n p Unsupported(3)\n \
         q Int @default([[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]])\n}",
        &expect![[r#"
            2:5 User.id: there is no model, enum or scalar `Strng`: did you mean String?
            3:4 User.a: there is no model, enum or scalar `Usr`: did you mean User?
            4:9 a field has no attribute @uniq: it has @id, @unique, @default, @relation, @map, @updatedAt, @ignore and @db.….
            5:9 write the name as in @map("…").
            6:13 write the name as in @map("…").
            7:9 write the value as in @default(0).
            8:17 there is no function `rand`: it is one of autoincrement, now, dbgenerated, cuid, uuid, ulid, nanoid.
            9:9 @updatedAt is for fields of the type DateTime: remove it.
            10:9 @x is not the name of the datasource: write @db.Text.
            11:9 User has an id already: keep one @id or @@id.
            11:13 @id is there twice: remove one.
            11:13 User has an id already: keep one @id or @@id.
            12:16 @ignore has no such argument: remove it.
            13:2 User.k has the column "a" as a does: correct one @map.
            13:18 @map has no such argument: remove it.
            14:9 write the name as in @map("…").
            14:13 @map has no argument `nme`: it has name.
            15:27 `value` is there twice: remove one.
            16:10 User has an id already: keep one @id or @@id.
            17:9 @relation is for fields of models: remove it.
            18:4 write the type of the database as in Unsupported("circle").
            19:34 values are within each other too deeply: at most 16.
        "#]],
    );
}

#[test]
fn attributes_of_blocks() {
    check(
        "model User {\n id Int @id\n u User? @relation(\"a\", fields: [id], references: [id])\n \
         w User? @relation(\"a\")\n @@id([id])\n @@unique([u, nam])\n @@unique\n @@unique([])\n \
         @@index([idd])\n @@colour\n @@map\n @@schema\n @@ignore(x: 1)\n @@unique([\"id\"])\n}\n\
         enum Role {\n A @map(\"x\")\n B @map(\"x\")\n true\n C @id\n a-b\n A\n @@colour\n}\n\
         enum Empty {\n}",
        &expect![[r#"
            5:4 User has an id already: keep one @id or @@id.
            6:12 User.u is a relation: name the fields of its columns instead.
            6:15 User has no field `nam`: define it.
            7:4 write the fields as in @@unique([a, b]).
            8:11 write the name of a field at least.
            9:11 User has no field `idd`: did you mean id?
            10:4 a model has no attribute @@colour: it has @@map, @@schema, @@ignore, @@id, @@unique, @@index and @@fulltext.
            11:4 write the name as in @@map("…").
            12:4 write the map as in @@schema("…").
            13:11 @@ignore has no argument `x`: it has none.
            14:11 write the name of a field at least.
            14:12 write the name of a field.
            18:2 the value B has the name of A or is stored as that is: rename one.
            19:2 GraphQL has no enum value true: rename it, with @map.
            20:5 a value has no attribute @id: it has @map.
            21:2 `a-b` is no name of GraphQL: begin with a letter, go on with letters, digits and underscores, and keep the database's name by @map or @@map.
            22:2 the value A has the name of A or is stored as that is: rename one.
            23:4 an enum has no attribute @@colour: it has @@map and @@schema.
            25:6 the enum Empty has no values: write one at least.
        "#]],
    );
}

#[test]
fn relations() {
    let models = |user: &str, post: &str| {
        format!(
            "model User {{\n id Int @id\n {user}\n}}\nmodel Post {{\n id Int @id\n uId Int\n {post}\n}}"
        )
    };
    for (user, post, expected) in [
        (
            "posts Post[]",
            "",
            expect![[r#"
            3:2 User.posts: the model Post has no field for the other end of the relation: add one of the type User.
        "#]],
        ),
        (
            "posts Post[]",
            "user User",
            expect![[r#"
            8:2 Post.user: the relation has no columns: write @relation(fields: […], references: […]) at one of its fields.
        "#]],
        ),
        (
            "posts Post[] @relation(fields: [id], references: [id])",
            "user User",
            expect![[r#"
            3:2 User.posts: a list has no columns of its own: write `fields` at Post.user.
        "#]],
        ),
        (
            "posts Post? @relation(fields: [id], references: [id])",
            "user User @relation(fields: [uId], references: [id])",
            expect![[r#"
                8:30 Post.user: the other field of the relation has `fields` already: remove them at one.
            "#]],
        ),
        (
            "posts Post[]",
            "user User @relation(fields: [uId])",
            expect![[r#"
            8:2 Post.user: write the fields that it refers to: references: […].
        "#]],
        ),
        (
            "posts Post[]",
            "user User @relation(fields: [uId, id], references: [id])",
            expect![[r#"
            8:53 Post.user: `fields` and `references` have different lengths.
        "#]],
        ),
        (
            "posts Post[]",
            "user User @relation(fields: [x], references: [y])",
            expect![[r#"
            8:31 Post has no field `x`: define it.
        "#]],
        ),
        (
            "posts Post[]",
            "user User @relation(fields: [], references: [id])",
            expect![[r#"
            8:30 write the name of a field at least.
        "#]],
        ),
        (
            "post Post?",
            "user User @relation(fields: [uId], references: [id])",
            expect![[r#"
            8:2 Post.user: User.post has one row at most, so the columns have to be @unique; else make it a list.
        "#]],
        ),
        (
            "posts Post[]\n more Post[]",
            "user User @relation(fields: [uId], references: [id])",
            expect![[r#"
                3:2 User.posts: several relations between User and Post have one name: give both fields of each @relation("a name") of its own.
                4:2 User.more: several relations between User and Post have one name: give both fields of each @relation("a name") of its own.
                9:2 Post.user: several relations between Post and User have one name: give both fields of each @relation("a name") of its own.
            "#]],
        ),
        (
            "posts Post[]",
            "user User @relation(5, fields: [uId], references: [id], onDelete: Explode)",
            expect![[r#"
                8:22 the name of a relation is a string: write "…".
                8:68 the action is one of Cascade, Restrict, NoAction, SetNull, SetDefault.
            "#]],
        ),
        (
            "posts Post[] @relation(fields: [id], references: [id])",
            "users User[]",
            expect![[r#"
            3:33 User.posts: a relation of two lists has no columns: remove `fields`, or make one field no list.
        "#]],
        ),
        (
            "posts Post[] @map(\"a\") @unique",
            "users User[] @db.Text",
            expect![[r#"
            3:16 @map is for fields with a column: a relation has none.
            3:26 @unique is for fields with a column: a relation has none.
            3:26 the relation posts is no key: name its columns.
            8:16 a relation has no native type: remove it.
        "#]],
        ),
    ] {
        check(&models(user, post), &expected);
    }
    check(
        "model A {\n x Int @unique\n b B[]\n}\nmodel B {\n id Int @id\n a A[]\n}",
        &expect![[r#"
            3:2 A.b: A needs an id of one field for a relation of two lists: write @id.
        "#]],
    );
    check(
        "model A {\n id Int @id\n a A[]\n}",
        &expect![[r#"
        3:2 A.a: the model A has no field for the other end of the relation: add one of the type A.
    "#]],
    );
}
