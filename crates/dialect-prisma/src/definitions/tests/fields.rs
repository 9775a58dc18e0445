//! Fields: types, ids, moments, lists and defaults.

use expect_test::expect;

use super::{accepted, refused};

#[test]
fn fields_have_known_types() {
    refused(
        "type A {\n id: ID! @id\n b: Strng\n c: [[Int]]\n d: Nothing\n e: [User!]!\n}",
        &expect![[r#"
            line 3, column 2: A.b: there is no type or enum `Strng`: did you mean String?
            line 4, column 2: A.c: there are no lists of lists: use one list, or a type between
            line 5, column 2: A.d: there is no type or enum `Nothing`: did you mean String?
            line 6, column 2: A.e: there is no type or enum `User`: define it, as in `type User { … }` or `enum User { … }`
        "#]],
    );
}

#[test]
fn a_type_has_one_id() {
    refused(
        "type A { b: Int @unique }\ntype B { id: ID! @id c: UUID! @id }\ntype C { id: ID @id }\n\
         type D { id: String! @id }\ntype E { id: [ID!]! @id }\ntype F { f: F @id }",
        &expect![[r#"
            line 1, column 6: A: the type has no id: add `@id` to a field, as in `id: ID! @id`
            line 2, column 22: B.c: the type has an id already: remove `@id` from one of both
            line 3, column 10: C.id: an id is required: add `!` to its type
            line 4, column 10: D.id: an id has the type `ID!`, `UUID!` or `Int!`: write one of them
            line 5, column 6: E: the type has no id: add `@id` to a field, as in `id: ID! @id`
            line 5, column 10: E.id: a list of scalars has a table of its own: write `@scalarList(strategy: RELATION)`
            line 5, column 22: E.id: `@id` does not apply to lists: remove it
            line 6, column 6: F: the type has no id: add `@id` to a field, as in `id: ID! @id`
            line 6, column 16: F.f: `@id` does not apply to fields of relations: remove it
        "#]],
    );
}

#[test]
fn ids_have_strategies() {
    let model = accepted(
        "type A { id: Int! @id(strategy: SEQUENCE) @sequence(name: \"s\", initialValue: 2, allocationSize: 3) }\n\
         type B { id: ID! @id(strategy: NONE) }\ntype C { id: UUID! @id }",
    );
    let fields = model.types.iter().map(|own| format!("{:?}\n", own.fields[0].kind));
    expect![[r#"
        Scalar(ScalarField { type: Int, column: "id", is_unique: true, default: None, behaviour: Id(Sequence { name: "s", initial_value: 2, allocation_size: 3 }) })
        Scalar(ScalarField { type: Id, column: "id", is_unique: true, default: None, behaviour: Id(None) })
        Scalar(ScalarField { type: Uuid, column: "id", is_unique: true, default: None, behaviour: Id(Auto) })
    "#]].assert_eq(&fields.collect::<String>());
    refused(
        "type A { id: ID! @id(strategy: SEQUENCE) }\ntype B { id: Int! @id(strategy: SEQUENCE) }\n\
         type C { id: Int! @id @sequence(name: \"s\", initialValue: 1, allocationSize: 1) }\n\
         type D { id: Int! @id(strategy: SOME) }\n\
         type E { id: Int! @id(strategy: SEQUENCE) @sequence(name: 1, initialValue: \"2\", allocationSize: 0) }\n\
         type F { id: Int! @id(strategy: SEQUENCE) @sequence(name: \"f\") }\n\
         type G { id: ID! @id a: Int @sequence(name: \"s\", initialValue: 1, allocationSize: 1) }",
        &expect![[r#"
            line 1, column 10: A.id: sequences make numbers: give the id the type `Int!`
            line 3, column 24: C.id: `@sequence` belongs to `@id(strategy: SEQUENCE)`: remove it
            line 4, column 23: D.id: `strategy` of `@id` has another value than it may: write AUTO, NONE or SEQUENCE
            line 5, column 53: E.id: `name` of `@sequence` is no text: write it in quotes
            line 5, column 62: E.id: `initialValue` of `@sequence` is no positive integer: write one
            line 5, column 81: E.id: `allocationSize` of `@sequence` is no positive integer: write one
            line 6, column 44: F.id: `@sequence` has no argument `initialValue`: write `@sequence(initialValue: …)`
            line 6, column 44: F.id: `@sequence` has no argument `allocationSize`: write `@sequence(allocationSize: …)`
            line 7, column 30: G.a: `@sequence` belongs to ids of sequences, as in `id: Int! @id(strategy: SEQUENCE)`: remove it
        "#]],
    );
}

#[test]
fn moments_are_date_times() {
    refused(
        "type A {\n id: ID! @id\n b: String! @createdAt\n c: Int @updatedAt\n d: DateTime @createdAt @updatedAt\n\
         e: [DateTime!]! @createdAt @scalarList(strategy: RELATION)\n}",
        &expect![[r#"
            line 3, column 2: A.b: a moment has the type `DateTime!` or `DateTime`: write one of both
            line 4, column 2: A.c: a moment has the type `DateTime!` or `DateTime`: write one of both
            line 5, column 2: A.d: a field has one of `@id`, `@createdAt` and `@updatedAt`: keep one of them
            line 6, column 18: A.e: `@createdAt` does not apply to lists: remove it
        "#]],
    );
}

#[test]
fn lists_of_scalars_are_tables() {
    refused(
        "type A {\n id: ID! @id\n b: [Int!]!\n c: [Int!]! @scalarList\n d: [Int!]! @scalarList(strategy: EMBEDDED)\n\
         e: Int @scalarList(strategy: RELATION)\n f: [E!]! @unique @default(value: A) @scalarList(strategy: RELATION)\n\
         g: [A!]! @scalarList(strategy: RELATION)\n}\nenum E { A }",
        &expect![[r#"
            line 3, column 2: A.b: a list of scalars has a table of its own: write `@scalarList(strategy: RELATION)`
            line 4, column 14: A.c: `@scalarList` has no argument `strategy`: write `@scalarList(strategy: …)`
            line 5, column 25: A.d: `strategy` of `@scalarList` has another value than it may: write RELATION
            line 6, column 9: A.e: `@scalarList` applies to lists of scalars: remove it
            line 7, column 12: A.f: `@unique` does not apply to lists: remove it
            line 7, column 20: A.f: `@default` does not apply to lists: remove it
            line 8, column 11: A.g: `@scalarList` does not apply to fields of relations: remove it
        "#]],
    );
}

#[test]
fn defaults_have_the_types_of_their_fields() {
    let model = accepted(
        "type A {\n id: ID! @id\n b: String @default(value: \"x\")\n c: Int @default(value: -1)\n d: Float @default(value: 2)\n\
         e: Float @default(value: 2.5)\n f: Boolean @default(value: false)\n g: DateTime @default(value: \"2018-01-31T12:00:00.000Z\")\n\
         h: Json @default(value: \"{\\\"a\\\": 1}\")\n i: E @default(value: B)\n}\nenum E { A B }",
    );
    let defaults = model.types[0].fields.iter().map(|field| format!("{:?}\n", field.kind));
    expect![[r#"
        Scalar(ScalarField { type: Id, column: "id", is_unique: true, default: None, behaviour: Id(Auto) })
        Scalar(ScalarField { type: String, column: "b", is_unique: false, default: Some(Text("x")), behaviour: Plain })
        Scalar(ScalarField { type: Int, column: "c", is_unique: false, default: Some(Int(-1)), behaviour: Plain })
        Scalar(ScalarField { type: Float, column: "d", is_unique: false, default: Some(Float(2.0)), behaviour: Plain })
        Scalar(ScalarField { type: Float, column: "e", is_unique: false, default: Some(Float(2.5)), behaviour: Plain })
        Scalar(ScalarField { type: Boolean, column: "f", is_unique: false, default: Some(Boolean(false)), behaviour: Plain })
        Scalar(ScalarField { type: DateTime, column: "g", is_unique: false, default: Some(Text("2018-01-31T12:00:00.000Z")), behaviour: Plain })
        Scalar(ScalarField { type: Json, column: "h", is_unique: false, default: Some(Text("{\"a\": 1}")), behaviour: Plain })
        Scalar(ScalarField { type: Enum(EnumIndex(0)), column: "i", is_unique: false, default: Some(Text("B")), behaviour: Plain })
    "#]].assert_eq(&defaults.collect::<String>());
    refused(
        "type A {\n id: ID! @id @default(value: \"a\")\n b: String @default(value: 1)\n c: Int @default(value: \"1\")\n\
         d: Float @default(value: true)\n e: Int @default(value: 3000000000)\n f: Boolean @default(value: 1)\n\
         g: DateTime @default(value: \"yesterday\")\n h: Json @default(value: \"{\")\n i: E @default(value: C)\n\
         j: E @default(value: \"A\")\n k: UUID @default(value: \"a\")\n l: A @default(value: \"b\")\n m: Int @default\n\
         n: DateTime @default(value: 2018)\n o: Json @default(value: {})\n p: Float @default(value: 1e999)\n}\nenum E { A B }",
        &expect![[r#"
            line 2, column 15: A.id: `@default` does not apply to the id: remove it
            line 3, column 21: A.b: a text is in quotes: write `value: "…"`
            line 4, column 18: A.c: it is no integer: write one
            line 5, column 19: A.d: it is no number: write one
            line 6, column 18: A.e: the number has more than 32 bits: write a smaller one
            line 7, column 22: A.f: it is no boolean: write true or false
            line 8, column 22: A.g: the text is no moment: write one as in "2018-01-31T12:00:00.000Z"
            line 9, column 19: A.h: the text is no JSON, EOF while parsing an object at line 1 column 1: correct it
            line 10, column 16: A.i: the enum has no value `C`: write A or B
            line 11, column 15: A.j: a value of an enum has no quotes: write its name
            line 12, column 19: A.k: ids have no defaults: remove `@default`
            line 13, column 8: A.l: `@default` does not apply to fields of relations: remove it
            line 14, column 10: A.m: `@default` has no argument `value`: write `@default(value: …)`
            line 15, column 22: A.n: a moment is in quotes: write `value: "2018-01-31T12:00:00.000Z"`
            line 16, column 19: A.o: JSON is in quotes: write `value: "{}"`
            line 17, column 20: A.p: the number is too large: write a smaller one
        "#]],
    );
}

#[test]
fn texts_are_values_of_all_types_in_version_1_0() {
    let model = accepted(
        "type A { b: Int @default(value: \"1\") c: Boolean @default(value: \"true\") d: E @default(value: \"F\") }\n\
         enum E { F }",
    );
    let defaults = model.types[0].fields.iter().map(|field| format!("{:?}\n", field.kind));
    expect![[r#"
        Scalar(ScalarField { type: Int, column: "b", is_unique: false, default: Some(Int(1)), behaviour: Plain })
        Scalar(ScalarField { type: Boolean, column: "c", is_unique: false, default: Some(Boolean(true)), behaviour: Plain })
        Scalar(ScalarField { type: Enum(EnumIndex(0)), column: "d", is_unique: false, default: Some(Text("F")), behaviour: Plain })
    "#]].assert_eq(&defaults.collect::<String>());
}

#[test]
fn relations_belong_to_types() {
    refused(
        "type A {\n id: ID! @id\n b: Int @relation(name: \"B\")\n c: [Int!]! @relation(link: TABLE) @scalarList(strategy: RELATION)\n\
         d: A @unique @createdAt\n}",
        &expect![[r#"
            line 3, column 10: A.b: `@relation` applies to fields of relations: remove it
            line 4, column 14: A.c: `@relation` applies to fields of relations: remove it
            line 5, column 7: A.d: `@unique` does not apply to fields of relations: remove it
            line 5, column 15: A.d: `@createdAt` does not apply to fields of relations: remove it
        "#]],
    );
}
