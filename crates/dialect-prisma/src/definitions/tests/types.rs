//! Types, enums, directives and versions.

use expect_test::expect;

use super::{accepted, refused};
use crate::model::{HiddenMoment, Key};

#[test]
fn a_datamodel_has_a_type_or_an_enum() {
    refused(
        "",
        &expect![[r#"
        line 1, column 1: definitions: there is no type: define one, as in `type Post { id: ID! @id title: String! }`
    "#]],
    );
    let enums = accepted("enum E { A B }");
    assert!(enums.types.is_empty());
    assert_eq!(*enums.enums[0].values, ["A".into(), "B".into()]);
    refused(
        "type A {\n  id: ID! @id\n  b:\n}",
        &expect![[r#"
        line 4, column 1: definitions: syntax error: expected a Type: correct the syntax
    "#]],
    );
}

#[test]
fn a_datamodel_has_types_and_enums_only() {
    refused(
        "schema { query: Query }\ndirective @a on OBJECT\nscalar S\ninterface I { a: Int }\nunion U = A\n\
         input N { a: Int }\ntype A implements I { id: ID! @id b(c: Int): Int }\nextend type A { d: Int }",
        &expect![[r#"
            line 1, column 1: definitions: `schema` has no meaning in a datamodel, the root types are generated: remove it
            line 2, column 12: definitions: a datamodel defines no directives: remove the definition
            line 3, column 8: S: a datamodel has types and enums, and no scalars: remove it
            line 4, column 11: I: a datamodel has types and enums, and no interfaces: remove it
            line 5, column 7: U: a datamodel has types and enums, and no unions: remove it
            line 6, column 7: N: a datamodel has types and enums, and no input types: remove it
            line 7, column 19: A: types implement no interfaces but `Node`, which is generated: remove `implements`
            line 7, column 35: A.b: fields of a datamodel have no arguments: remove them
            line 8, column 13: A: a definition on line 7 has this name, in whatever case: give one of both another name
        "#]],
    );
}

#[test]
fn names_are_taken_once() {
    refused(
        "type Post { id: ID! @id title: String TITLE: String __x: Int }\ntype POST { id: ID! @id }\n\
         type Node { id: ID! @id }\ntype Json { id: ID! @id }\nenum Post { A }\ntype __A { id: ID! @id }",
        &expect![[r#"
            line 1, column 39: Post.TITLE: the type has the field `title` already, in whatever case: give one of both another name
            line 1, column 53: Post.__x: names with two underscores at their beginning are GraphQL's own: choose another name
            line 2, column 6: POST: a definition on line 1 has this name, in whatever case: give one of both another name
            line 3, column 6: Node: the API has a type `Node` of its own: choose another name
            line 4, column 6: Json: the API has a type `Json` of its own: choose another name
            line 5, column 6: Post: a definition on line 2 has this name, in whatever case: give one of both another name
            line 6, column 6: __A: names with two underscores at their beginning are GraphQL's own: choose another name
        "#]],
    );
}

#[test]
fn values_of_enums_begin_with_a_capital_letter() {
    let text = format!(
        "type A {{ id: ID! @id }}\nenum E {{ a _B C D @db(name: \"e\") C\n{} }}",
        "E".repeat(192)
    );
    refused(
        &text,
        &expect![[r#"
        line 2, column 10: E.a: a value of an enum begins with a capital letter: write it so, for instance in capitals
        line 2, column 12: E._B: a value of an enum begins with a capital letter: write it so, for instance in capitals
        line 2, column 20: E.D: `@db` does not apply to values of enums: remove it, it belongs to types or fields
        line 2, column 34: E.C: the enum has this value already: remove it
        line 3, column 1: E.EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE: the value is longer than 191 characters: shorten it
    "#]],
    );
}

#[test]
fn directives_have_locations_and_arguments() {
    refused(
        "type A @unique @embedded {\n id: ID! @id(strategi: AUTO)\n b: String @uniqe @db @db(name: 1)\n\
         c: String @default(value: \"d\") @default(value: \"e\")\n e: Int @index @deprecated\n\
         f: Int @db(name: \"\", name: \"g\") @relationTable @migrationValue(value: 1) @x\n}\n\
         type B @db(name: \"b\") @db(name: \"c\") @mongoCollection(name: \"d\") { id: ID! @id }",
        &expect![[r#"
            line 1, column 9: A: `@unique` does not apply to types: remove it, it belongs to fields
            line 1, column 17: A: `@embedded` is for documents of MongoDB, tables have no embedded types: remove it, give the type an id, and its field a relation
            line 2, column 14: A.id: `@id` has no argument `strategi`: did you mean strategy?
            line 3, column 13: A.b: `@uniqe` is unknown: did you mean unique?
            line 3, column 20: A.b: `@db` has no argument `name`: write `@db(name: …)`
            line 3, column 24: A.b: `@db` is applied twice: keep one of both
            line 4, column 33: A.c: `@default` is applied twice: keep one of both
            line 5, column 10: A.e: `@index` is not read: remove it, and create the index in the database
            line 5, column 17: A.e: `@deprecated` has no meaning in a datamodel: remove it
            line 6, column 12: A.f: `name` of `@db` is empty: write a name
            line 6, column 22: A.f: `name` is given twice: keep one of both
            line 6, column 34: A.f: `@relationTable` does not apply to fields: remove it, it belongs to types
            line 6, column 49: A.f: `@migrationValue` has another name: write `@default(value:)`
            line 6, column 75: A.f: `@x` is unknown: remove it
            line 8, column 24: B: `@db` is applied twice: keep one of both
            line 8, column 39: B: `@mongoCollection` is for MongoDB: write `@db(name:)` for the name of a table
        "#]],
    );
}

#[test]
fn descriptions_and_names_of_tables_are_read() {
    let model = accepted(
        "\"\"\"\nA user.\n\"\"\"\ntype User @db(name: \"users\") {\n  id: ID! @id\n  \"Its name.\"\n\
         name: String @db(name: \"user_name\") @rename(oldName: \"title\")\n}\n\"Roles.\"\nenum Role { A }",
    );
    expect![[r#"
        Model {
            types: [
                Type {
                    name: "User",
                    description: Some(
                        "A user.",
                    ),
                    table: "users",
                    old_name: None,
                    key: Field(
                        0,
                    ),
                    fields: [
                        Field {
                            name: "id",
                            description: None,
                            old_name: None,
                            is_required: true,
                            kind: Scalar(
                                ScalarField {
                                    type: Id,
                                    column: "id",
                                    is_unique: true,
                                    default: None,
                                    behaviour: Id(
                                        Auto,
                                    ),
                                },
                            ),
                        },
                        Field {
                            name: "name",
                            description: Some(
                                "Its name.",
                            ),
                            old_name: Some(
                                "title",
                            ),
                            is_required: false,
                            kind: Scalar(
                                ScalarField {
                                    type: String,
                                    column: "user_name",
                                    is_unique: false,
                                    default: None,
                                    behaviour: Plain,
                                },
                            ),
                        },
                    ],
                    hidden: [],
                },
            ],
            enums: [
                Enum {
                    name: "Role",
                    description: Some(
                        "Roles.",
                    ),
                    values: [
                        "A",
                    ],
                    labels: [
                        "A",
                    ],
                },
            ],
            relations: [],
        }
    "#]]
    .assert_eq(&format!("{model:#?}\n"));
}

#[test]
fn versions_do_not_mix() {
    refused(
        "type User @pgTable(name: \"users\") {\n id: ID! @unique\n name: String @pgColumn(name: \"n\")\n\
         posts: [Post!]! @pgRelationTable(table: \"t\", relationColumn: \"u\", targetColumn: \"p\")\n}\n\
         type Post {\n id: ID! @id\n user: User @pgRelation(column: \"user_id\")\n}",
        &expect![[r#"
            line 1, column 6: User: the type has no id: add `@id` to a field, as in `id: ID! @id`
            line 1, column 12: User: `@pgTable` belongs to datamodels of version 1.0, and others here to version 1.1: write `@db(name:)`
            line 3, column 16: User.name: `@pgColumn` belongs to datamodels of version 1.0, and others here to version 1.1: write `@db(name:)`
            line 4, column 18: User.posts: `@pgRelationTable` belongs to datamodels of version 1.0, and others here to version 1.1: write `@relation(name:, link: TABLE)` and a type with `@relationTable`
            line 8, column 14: Post.user: `@pgRelation` belongs to datamodels of version 1.0, and others here to version 1.1: write `@relation(link: INLINE) @db(name:)`
        "#]],
    );
}

#[test]
fn names_have_meanings_in_version_1_0() {
    let model = accepted(
        "type A { name: String createdAt: DateTime! }\ntype B { id: ID! @unique tags: [String!]! }\n\
         type C @rename(oldName: \"D\") { id: UUID! @unique updatedAt: DateTime! n: Int @default(value: \"3\") }",
    );
    let types = model.types.iter().map(|own| (&own.key, own.hidden.as_slice()));
    let expected: [(&Key, &[HiddenMoment]); 3] = [
        (&Key::Hidden, &[HiddenMoment::UpdatedAt]),
        (&Key::Field(0), &[HiddenMoment::CreatedAt, HiddenMoment::UpdatedAt]),
        (&Key::Field(0), &[HiddenMoment::CreatedAt]),
    ];
    assert_eq!(types.collect::<Vec<_>>(), expected);
    refused(
        "type A {\n id: ID!\n createdAt: DateTime\n updatedAt: String!\n b: B! @relation(onDelete: CASCADE)\n}\n\
         type B { id: Float! @unique }",
        &expect![[r#"
            line 2, column 2: A.id: `id` is the id of the type: write `id: ID! @unique`
            line 3, column 2: A.createdAt: `createdAt` is a moment of the row: write `createdAt: DateTime!`
            line 4, column 2: A.updatedAt: `updatedAt` is a moment of the row: write `updatedAt: DateTime!`
            line 5, column 2: A.b: `@relation` has no name: write `@relation(name: "MyRelation")`
            line 7, column 10: B.id: an id has the type `ID!`, `UUID!` or `Int!`: write one of them
        "#]],
    );
}

#[test]
fn tables_of_others_have_no_hidden_columns_in_version_1_0() {
    let model = accepted(
        "type A @pgTable(name: \"a\") { id: Int! @unique b: String @pgColumn(name: \"c\") }",
    );
    assert_eq!(model.types[0].hidden, []);
    assert_eq!(&*model.types[0].table, "a");
    refused(
        "type A @pgTable(name: \"a\") { b: String }",
        &expect![[r#"
        line 1, column 6: A: the type has no id, which types over tables with names of their own need: add a field, as in `id: ID! @unique`
    "#]],
    );
}

#[test]
fn tables_and_columns_have_one_meaning() {
    let text = format!(
        "type A @db(name: \"X\") {{\n id: ID! @id\n b: Int @db(name: \"c\")\n c: Int\n x: X @relation(name: \"R\") @db(name: \"id\")\n\
         tags: [Int!]! @scalarList(strategy: RELATION)\n}}\ntype X {{ id: ID! @id }}\ntype X_tags {{ id: ID! @id xs: [X] @relation(name: \"Rs\") }}\n\
         type _Rs {{ id: ID! @id }}\ntype {} {{ id: ID! @id }}\ntype Thalweg_x {{ id: ID! @id }}",
        "L".repeat(64)
    );
    refused(
        &text,
        &expect![[r#"
            line 4, column 2: A.c: its column `c` is that of A.b too: give one of both another name, by `@db(name:)` if the API keeps its name
            line 5, column 2: A.x: its column `id` is that of A.id too: give one of both another name, by `@db(name:)` if the API keeps its name
            line 8, column 6: X: its table `X` is that of A too: give one of both another name, by `@db(name:)` if the API keeps its name
            line 9, column 6: X_tags: its table `X_tags` is that of A.tags too: give one of both another name, by `@db(name:)` if the API keeps its name
            line 9, column 27: X_tags.xs: its table `_Rs` is that of _Rs too: give one of both another name, by `@db(name:)` if the API keeps its name
            line 11, column 6: LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL: the name of its table, `LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL`, is longer than the 63 bytes that PostgreSQL has for names: choose a shorter one, by `@db(name:)` if the API keeps its name
            line 12, column 6: Thalweg_x: names of tables that begin with `thalweg_` are kept: choose another one, by `@db(name:)` if the API keeps its name
        "#]],
    );
}

#[test]
fn types_do_not_take_the_names_of_each_other() {
    refused(
        "type A @rename(oldName: \"B\") { id: ID! @id }\ntype B @rename(oldName: \"A\") { id: ID! @id }\n\
         type C @rename(oldName: \"C\") { id: ID! @id }\ntype D @rename(oldName: \"F\") { id: ID! @id }\n\
         type E @rename(oldName: \"F\") { id: ID! @id a: Int @rename }",
        &expect![[r#"
            line 1, column 6: A: its name was that of `B`, which is renamed too: migrate in two steps
            line 2, column 6: B: its name was that of `A`, which is renamed too: migrate in two steps
            line 3, column 6: C: `oldName` is the name of the type: remove `@rename`
            line 5, column 6: E: `D` had the name `F` too: remove `@rename` from one of both
            line 5, column 52: E.a: `@rename` has no argument `oldName`: write `@rename(oldName: …)`
        "#]],
    );
}
