//! Each kind of change at least once. The kinds and criticalities are those that GraphQL Inspector 8.0
//! gives for the same pairs.

use expect_test::{Expect, expect};

use super::*;

/// Pairs of schemas that have every kind of change between them.
const PAIRS: &[(&str, &str)] = &[
    ("type Query { a: Int }", "schema { query: Q } type Query { a: Int } type Q { a: Int }"),
    (
        "type Query { a: Int } type Mutation { a: Int }",
        "type Query { a: Int } schema { query: Query mutation: M subscription: Query } type M { a: Int } type Mutation { a: Int }",
    ),
    (
        "schema { query: Query subscription: S } type Query { a: Int } type S { a: Int }",
        "schema { query: Query } type Query { a: Int } type S { a: Int }",
    ),
    (
        "type Query { a: Int } type T { a: Int } enum E { A }",
        "type Query { a: Int } scalar S input E { a: Int }",
    ),
    (
        "\"Old.\" type Query { a: Int } \"Gone.\" enum E { A } scalar S",
        "\"New.\" type Query { a: Int } enum E { A } \"Added.\" scalar S",
    ),
    (
        "type Query implements I { a: Int } interface I { a: Int } interface J { a: Int }",
        "type Query implements J { a: Int } interface I { a: Int } interface J { a: Int }",
    ),
    (
        "type Query { a: U } type A { a: Int } type B { a: Int } union U = A",
        "type Query { a: U } type A { a: Int } type B { a: Int } union U = B",
    ),
    (
        "type Query { a: Int b: Int! c: [Int] d: [Int] e: Int }",
        "type Query { f: Int b: Int c: [Int!]! d: Int e: String }",
    ),
    (
        "type Query { \"Old.\" a: Int \"Gone.\" b: Int c: Int }",
        "type Query { \"New.\" a: Int b: Int \"Added.\" c: Int }",
    ),
    (
        "type Query { a: Int @deprecated b: Int c: Int @deprecated(reason: \"x\") d: Int @deprecated e: Int @deprecated(reason: \"x\") }",
        "type Query { a: Int b: Int @deprecated(reason: \"y\") c: Int @deprecated(reason: \"z\") d: Int @deprecated(reason: \"x\") e: Int @deprecated }",
    ),
    ("type Query { a(b: Int): Int }", "type Query { a(c: Int, d: Int!, e: Int! = 1): Int }"),
    (
        "type Query { a(\"Old.\" b: Int, c: [Int] = 1, d: Int = 1, e: Int!, f: Int): Int }",
        "type Query { a(\"New.\" b: Int, c: [Int] = [1], d: Int = 2, e: Int, f: Int!): Int }",
    ),
    (
        "type Query { a: Int } input I { a: Int \"Old.\" b: Int \"Gone.\" c: Int d: Int }",
        "type Query { a: Int } input I { \"New.\" b: Int c: Int \"Added.\" d: Int e: Int f: Int! g: Int = 1 }",
    ),
    (
        "type Query { a: Int } input I { a: Int = 1 b: Int c: Int! d: Int! }",
        "type Query { a: Int } input I { a: Int b: Int = 1 c: Int d: String! }",
    ),
    (
        "type Query { a: E } enum E { A \"Old.\" B C @deprecated(reason: \"x\") D E @deprecated(reason: \"x\") }",
        "type Query { a: E } enum E { F \"New.\" B C @deprecated(reason: \"y\") D @deprecated E }",
    ),
    (
        "type Query { a: Int } directive @a on FIELD directive @b(a: Int \"Old.\" b: Int c: Int = 1 d: Int e: Int!) on FIELD | QUERY",
        "type Query { a: Int } directive @c on FIELD \"Described.\" directive @b(\"New.\" b: Int c: Int = 2 d: Int! e: Int f: Int g: Int!) repeatable on FIELD | MUTATION",
    ),
    (
        "type Query { a: Int } directive @a repeatable on FIELD",
        "type Query { a: Int } directive @a on FIELD",
    ),
    (
        "directive @d repeatable on SCHEMA schema @d { query: Query } type Query { a: Int } scalar S @d interface I @d { a: Int } union U @d = Query enum E @d { A @d } input In @d { a: Int @d } type T @d { a(b: Int @d): Int @d }",
        "directive @d repeatable on SCHEMA schema { query: Query } type Query { a: Int } scalar S interface I { a: Int } union U = Query enum E { A } input In { a: Int } type T { a(b: Int): Int }",
    ),
    (
        "directive @d repeatable on SCHEMA schema { query: Query } type Query { a: Int } scalar S interface I { a: Int } union U = Query enum E { A } input In { a: Int } type T { a(b: Int): Int }",
        "directive @d repeatable on SCHEMA schema @d { query: Query } type Query { a: Int } scalar S @d interface I @d { a: Int } union U @d = Query enum E @d { A @d } input In @d { a: Int @d } type T @d { a(b: Int @d): Int @d }",
    ),
    (
        "type Query { a: Int @d(a: 1, b: 2) @d } input I { a: Int @deprecated }",
        "type Query { a: Int @d(b: 3, c: 4) @d(a: 1) @d } input I @oneOf { a: Int }",
    ),
    (
        "type Query { a: T } type T { a: Int }",
        "type Query { a: T } type T { a: Int } \"New.\" type N implements I @d(a: 1) { \"F.\" a(b: Int! @d): Int @deprecated } interface I { a: Int } union U = N enum E { \"V.\" A @deprecated } input In { a: Int! = 1 @d }",
    ),
];

fn read(text: &str) -> WrittenSchema {
    WrittenSchema::read(text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn list(changes: &[Change]) -> String {
    let lines = changes.iter().map(|change| {
        let Change { kind, criticality, coordinate, message, location, .. } = change;
        let side = if location.side == Side::Old { "old" } else { "new" };
        let (kind, criticality) = (kind.as_str(), criticality.as_str());
        let location = format!("{side} {}:{}", location.line, location.column);
        format!("{criticality} {kind} {coordinate} ({location}) {message}\n")
    });
    lines.collect()
}

fn check(old: &str, new: &str, rules: &Rules<'_>, expected: &Expect) {
    expected.assert_eq(&list(&compare(&read(old), &read(new), rules)));
}

#[test]
fn all_kinds_are_found() {
    let mut found: Vec<ChangeKind> = Vec::new();
    for (old, new) in PAIRS {
        let changes = compare(&read(old), &read(new), &Rules::default());
        found.extend(changes.iter().map(|change| change.kind));
    }
    let missing = ChangeKind::ALL.iter().filter(|kind| !found.contains(kind));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&ChangeKind>::new());
}

#[test]
fn changes_have_criticalities_coordinates_and_places() {
    let all = PAIRS.iter().map(|(old, new)| {
        let changes = compare(&read(old), &read(new), &Rules::default());
        list(&changes) + "\n"
    });
    let expected = expect![[r#"
        BREAKING SCHEMA_QUERY_TYPE_CHANGED schema (new 1:17) the root type of queries changed from `Query` to `Q`
        NON_BREAKING TYPE_ADDED Q (new 1:48) the object type `Q` was added
        NON_BREAKING FIELD_ADDED Q.a (new 1:52) the field `Q.a` was added

        BREAKING SCHEMA_MUTATION_TYPE_CHANGED schema (new 1:55) the root type of mutations changed from `Mutation` to `M`
        NON_BREAKING SCHEMA_SUBSCRIPTION_TYPE_CHANGED schema (new 1:71) `Query` was added as the root type of subscriptions
        NON_BREAKING TYPE_ADDED M (new 1:84) the object type `M` was added
        NON_BREAKING FIELD_ADDED M.a (new 1:88) the field `M.a` was added

        BREAKING SCHEMA_SUBSCRIPTION_TYPE_CHANGED schema (old 1:37) the root type of subscriptions, `S`, was removed

        BREAKING TYPE_REMOVED T (old 1:28) the object type `T` was removed
        NON_BREAKING TYPE_ADDED S (new 1:30) the scalar `S` was added
        BREAKING TYPE_KIND_CHANGED E (new 1:38) `E` changed from an enum to an input type

        NON_BREAKING TYPE_DESCRIPTION_CHANGED Query (new 1:13) the description of `Query` changed from "Old." to "New."
        NON_BREAKING TYPE_DESCRIPTION_REMOVED E (new 1:35) the description of `E` was removed
        NON_BREAKING TYPE_DESCRIPTION_ADDED S (new 1:59) the description of `S` was added: "Added."

        BREAKING OBJECT_TYPE_INTERFACE_REMOVED Query (old 1:23) `Query` no longer implements `I`
        DANGEROUS OBJECT_TYPE_INTERFACE_ADDED Query (new 1:23) `Query` implements `J`

        BREAKING UNION_MEMBER_REMOVED U (old 1:67) `A` was removed from the union `U`
        DANGEROUS UNION_MEMBER_ADDED U (new 1:67) `B` was added to the union `U`

        BREAKING FIELD_REMOVED Query.a (old 1:14) the field `Query.a` was removed
        NON_BREAKING FIELD_ADDED Query.f (new 1:14) the field `Query.f` was added
        BREAKING FIELD_TYPE_CHANGED Query.b (new 1:21) the type of `Query.b` changed from `Int!` to `Int`
        NON_BREAKING FIELD_TYPE_CHANGED Query.c (new 1:28) the type of `Query.c` changed from `[Int]` to `[Int!]!`
        BREAKING FIELD_TYPE_CHANGED Query.d (new 1:39) the type of `Query.d` changed from `[Int]` to `Int`
        BREAKING FIELD_TYPE_CHANGED Query.e (new 1:46) the type of `Query.e` changed from `Int` to `String`

        NON_BREAKING FIELD_DESCRIPTION_CHANGED Query.a (new 1:21) the description of `Query.a` changed from "Old." to "New."
        NON_BREAKING FIELD_DESCRIPTION_REMOVED Query.b (new 1:28) the description of `Query.b` was removed
        NON_BREAKING FIELD_DESCRIPTION_ADDED Query.c (new 1:44) the description of `Query.c` was added: "Added."

        NON_BREAKING FIELD_DEPRECATION_REMOVED Query.a (new 1:14) the field `Query.a` is no longer deprecated
        NON_BREAKING DIRECTIVE_USAGE_FIELD_DEFINITION_REMOVED Query.a (old 1:22) `@deprecated` was removed from `Query.a`
        NON_BREAKING FIELD_DEPRECATION_ADDED Query.b (new 1:21) the field `Query.b` was deprecated: "y"
        NON_BREAKING DIRECTIVE_USAGE_FIELD_DEFINITION_ADDED Query.b (new 1:29) `@deprecated` was added to `Query.b`
        NON_BREAKING DIRECTIVE_USAGE_ARGUMENT_ADDED Query.b (new 1:40) the argument `reason: "y"` was added to `@deprecated` of `Query.b`
        NON_BREAKING FIELD_DEPRECATION_REASON_CHANGED Query.c (new 1:53) the reason of deprecation of `Query.c` changed from "x" to "z"
        DANGEROUS DIRECTIVE_USAGE_ARGUMENT_REMOVED Query.c (old 1:59) the argument `reason: "x"` was removed from `@deprecated` of `Query.c`
        NON_BREAKING DIRECTIVE_USAGE_ARGUMENT_ADDED Query.c (new 1:72) the argument `reason: "z"` was added to `@deprecated` of `Query.c`
        NON_BREAKING FIELD_DEPRECATION_REASON_ADDED Query.d (new 1:85) the reason of deprecation of `Query.d` was added: "x"
        NON_BREAKING DIRECTIVE_USAGE_ARGUMENT_ADDED Query.d (new 1:104) the argument `reason: "x"` was added to `@deprecated` of `Query.d`
        NON_BREAKING FIELD_DEPRECATION_REASON_REMOVED Query.e (new 1:117) the reason of deprecation of `Query.e` was removed
        DANGEROUS DIRECTIVE_USAGE_ARGUMENT_REMOVED Query.e (old 1:110) the argument `reason: "x"` was removed from `@deprecated` of `Query.e`

        BREAKING FIELD_ARGUMENT_REMOVED Query.a(b:) (old 1:16) the argument `Query.a(b:)` was removed
        DANGEROUS FIELD_ARGUMENT_ADDED Query.a(c:) (new 1:16) the argument `Query.a(c:)` was added
        BREAKING FIELD_ARGUMENT_ADDED Query.a(d:) (new 1:24) the required argument `Query.a(d:)` was added
        DANGEROUS FIELD_ARGUMENT_ADDED Query.a(e:) (new 1:33) the argument `Query.a(e:)` was added

        NON_BREAKING FIELD_ARGUMENT_DESCRIPTION_CHANGED Query.a(b:) (new 1:23) the description of `Query.a(b:)` changed from "Old." to "New."
        DANGEROUS FIELD_ARGUMENT_DEFAULT_CHANGED Query.a(d:) (new 1:47) the default value of `Query.a(d:)` changed from `1` to `2`
        NON_BREAKING FIELD_ARGUMENT_TYPE_CHANGED Query.a(e:) (new 1:59) the type of the argument `Query.a(e:)` changed from `Int!` to `Int`
        BREAKING FIELD_ARGUMENT_TYPE_CHANGED Query.a(f:) (new 1:67) the type of the argument `Query.a(f:)` changed from `Int` to `Int!`

        BREAKING INPUT_FIELD_REMOVED I.a (old 1:33) the input field `I.a` was removed
        NON_BREAKING INPUT_FIELD_ADDED I.e (new 1:70) the input field `I.e` was added
        BREAKING INPUT_FIELD_ADDED I.f (new 1:77) the required input field `I.f` was added
        DANGEROUS INPUT_FIELD_ADDED I.g (new 1:85) the input field `I.g` was added
        NON_BREAKING INPUT_FIELD_DESCRIPTION_CHANGED I.b (new 1:40) the description of `I.b` changed from "Old." to "New."
        NON_BREAKING INPUT_FIELD_DESCRIPTION_REMOVED I.c (new 1:47) the description of `I.c` was removed
        NON_BREAKING INPUT_FIELD_DESCRIPTION_ADDED I.d (new 1:63) the description of `I.d` was added: "Added."

        DANGEROUS INPUT_FIELD_DEFAULT_VALUE_CHANGED I.a (new 1:33) the default value `1` of `I.a` was removed
        DANGEROUS INPUT_FIELD_DEFAULT_VALUE_CHANGED I.b (new 1:40) the default value `1` of `I.b` was added
        NON_BREAKING INPUT_FIELD_TYPE_CHANGED I.c (new 1:51) the type of the input field `I.c` changed from `Int!` to `Int`
        BREAKING INPUT_FIELD_TYPE_CHANGED I.d (new 1:58) the type of the input field `I.d` changed from `Int!` to `String!`

        BREAKING ENUM_VALUE_REMOVED E.A (old 1:30) the enum value `E.A` was removed
        DANGEROUS ENUM_VALUE_ADDED E.F (new 1:30) the enum value `E.F` was added
        NON_BREAKING ENUM_VALUE_DESCRIPTION_CHANGED E.B (new 1:39) the description of `E.B` changed from "Old." to "New."
        NON_BREAKING ENUM_VALUE_DEPRECATION_REASON_CHANGED E.C (new 1:41) the reason of deprecation of `E.C` changed from "x" to "y"
        DANGEROUS DIRECTIVE_USAGE_ARGUMENT_REMOVED E.C (old 1:55) the argument `reason: "x"` was removed from `@deprecated` of `E.C`
        NON_BREAKING DIRECTIVE_USAGE_ARGUMENT_ADDED E.C (new 1:55) the argument `reason: "y"` was added to `@deprecated` of `E.C`
        NON_BREAKING ENUM_VALUE_DEPRECATION_REASON_ADDED E.D (new 1:68) the reason of deprecation of `E.D` was added: "No longer supported"
        NON_BREAKING DIRECTIVE_USAGE_ENUM_VALUE_ADDED E.D (new 1:71) `@deprecated` was added to `E.D`
        NON_BREAKING ENUM_VALUE_DEPRECATION_REASON_REMOVED E.E (new 1:82) the reason of deprecation of `E.E` was removed
        NON_BREAKING DIRECTIVE_USAGE_ENUM_VALUE_REMOVED E.E (old 1:73) `@deprecated` was removed from `E.E`

        BREAKING DIRECTIVE_REMOVED @a (old 1:34) the directive `@a` was removed
        NON_BREAKING DIRECTIVE_ADDED @c (new 1:34) the directive `@c` was added
        NON_BREAKING DIRECTIVE_LOCATION_ADDED @c (new 1:34) the location `FIELD` of the directive `@c` was added
        NON_BREAKING DIRECTIVE_DESCRIPTION_CHANGED @b (new 1:69) the description of `@b` was added: "Described."
        NON_BREAKING DIRECTIVE_REPEATABLE_ADDED @b (new 1:69) the directive `@b` became repeatable
        NON_BREAKING DIRECTIVE_LOCATION_ADDED @b (new 1:69) the location `MUTATION` of the directive `@b` was added
        BREAKING DIRECTIVE_LOCATION_REMOVED @b (new 1:69) the location `QUERY` of the directive `@b` was removed
        BREAKING DIRECTIVE_ARGUMENT_REMOVED @b(a:) (old 1:58) the argument `@b(a:)` was removed
        NON_BREAKING DIRECTIVE_ARGUMENT_ADDED @b(f:) (new 1:111) the argument `@b(f:)` was added
        BREAKING DIRECTIVE_ARGUMENT_ADDED @b(g:) (new 1:118) the required argument `@b(g:)` was added
        NON_BREAKING DIRECTIVE_ARGUMENT_DESCRIPTION_CHANGED @b(b:) (new 1:78) the description of `@b(b:)` changed from "Old." to "New."
        DANGEROUS DIRECTIVE_ARGUMENT_DEFAULT_VALUE_CHANGED @b(c:) (new 1:85) the default value of `@b(c:)` changed from `1` to `2`
        BREAKING DIRECTIVE_ARGUMENT_TYPE_CHANGED @b(d:) (new 1:96) the type of the argument `@b(d:)` changed from `Int` to `Int!`
        NON_BREAKING DIRECTIVE_ARGUMENT_TYPE_CHANGED @b(e:) (new 1:104) the type of the argument `@b(e:)` changed from `Int!` to `Int`

        DANGEROUS DIRECTIVE_REPEATABLE_REMOVED @a (new 1:34) the directive `@a` is no longer repeatable

        DANGEROUS DIRECTIVE_USAGE_SCALAR_REMOVED S (old 1:94) `@d` was removed from `S`
        DANGEROUS DIRECTIVE_USAGE_INTERFACE_REMOVED I (old 1:109) `@d` was removed from `I`
        DANGEROUS DIRECTIVE_USAGE_UNION_MEMBER_REMOVED U (old 1:131) `@d` was removed from `U`
        DANGEROUS DIRECTIVE_USAGE_ENUM_VALUE_REMOVED E.A (old 1:156) `@d` was removed from `E.A`
        DANGEROUS DIRECTIVE_USAGE_ENUM_REMOVED E (old 1:149) `@d` was removed from `E`
        DANGEROUS DIRECTIVE_USAGE_INPUT_FIELD_DEFINITION_REMOVED In.a (old 1:182) `@d` was removed from `In.a`
        DANGEROUS DIRECTIVE_USAGE_INPUT_OBJECT_REMOVED In (old 1:170) `@d` was removed from `In`
        DANGEROUS DIRECTIVE_USAGE_ARGUMENT_DEFINITION_REMOVED T.a(b:) (old 1:208) `@d` was removed from `T.a(b:)`
        DANGEROUS DIRECTIVE_USAGE_FIELD_DEFINITION_REMOVED T.a (old 1:217) `@d` was removed from `T.a`
        DANGEROUS DIRECTIVE_USAGE_OBJECT_REMOVED T (old 1:194) `@d` was removed from `T`
        DANGEROUS DIRECTIVE_USAGE_SCHEMA_REMOVED schema (old 1:43) `@d` was removed from `schema`

        DANGEROUS DIRECTIVE_USAGE_SCALAR_ADDED S (new 1:94) `@d` was added to `S`
        DANGEROUS DIRECTIVE_USAGE_INTERFACE_ADDED I (new 1:109) `@d` was added to `I`
        DANGEROUS DIRECTIVE_USAGE_UNION_MEMBER_ADDED U (new 1:131) `@d` was added to `U`
        DANGEROUS DIRECTIVE_USAGE_ENUM_VALUE_ADDED E.A (new 1:156) `@d` was added to `E.A`
        DANGEROUS DIRECTIVE_USAGE_ENUM_ADDED E (new 1:149) `@d` was added to `E`
        DANGEROUS DIRECTIVE_USAGE_INPUT_FIELD_DEFINITION_ADDED In.a (new 1:182) `@d` was added to `In.a`
        DANGEROUS DIRECTIVE_USAGE_INPUT_OBJECT_ADDED In (new 1:170) `@d` was added to `In`
        DANGEROUS DIRECTIVE_USAGE_ARGUMENT_DEFINITION_ADDED T.a(b:) (new 1:208) `@d` was added to `T.a(b:)`
        DANGEROUS DIRECTIVE_USAGE_FIELD_DEFINITION_ADDED T.a (new 1:217) `@d` was added to `T.a`
        DANGEROUS DIRECTIVE_USAGE_OBJECT_ADDED T (new 1:194) `@d` was added to `T`
        DANGEROUS DIRECTIVE_USAGE_SCHEMA_ADDED schema (new 1:43) `@d` was added to `schema`

        DANGEROUS DIRECTIVE_USAGE_FIELD_DEFINITION_ADDED Query.a (new 1:46) `@d` was added to `Query.a`
        DANGEROUS DIRECTIVE_USAGE_ARGUMENT_REMOVED Query.a (old 1:24) the argument `a: 1` was removed from `@d` of `Query.a`
        NON_BREAKING DIRECTIVE_USAGE_ARGUMENT_ADDED Query.a (new 1:30) the argument `c: 4` was added to `@d` of `Query.a`
        DANGEROUS DIRECTIVE_USAGE_ARGUMENT_REMOVED Query.a (old 1:30) the argument `b: 2` was removed from `@d` of `Query.a`
        NON_BREAKING DIRECTIVE_USAGE_ARGUMENT_ADDED Query.a (new 1:24) the argument `b: 3` was added to `@d` of `Query.a`
        NON_BREAKING DIRECTIVE_USAGE_ARGUMENT_ADDED Query.a (new 1:39) the argument `a: 1` was added to `@d` of `Query.a`
        NON_BREAKING DIRECTIVE_USAGE_INPUT_FIELD_DEFINITION_REMOVED I.a (old 1:59) `@deprecated` was removed from `I.a`
        BREAKING DIRECTIVE_USAGE_INPUT_OBJECT_ADDED I (new 1:59) `@oneOf` was added to `I`

        NON_BREAKING TYPE_ADDED N (new 1:51) the object type `N` was added
        NON_BREAKING OBJECT_TYPE_INTERFACE_ADDED N (new 1:64) `N` implements `I`
        NON_BREAKING FIELD_ADDED N.a (new 1:82) the field `N.a` was added
        NON_BREAKING FIELD_DESCRIPTION_ADDED N.a (new 1:82) the description of `N.a` was added: "F."
        NON_BREAKING FIELD_DEPRECATION_ADDED N.a (new 1:82) the field `N.a` was deprecated: "No longer supported"
        NON_BREAKING FIELD_ARGUMENT_ADDED N.a(b:) (new 1:84) the required argument `N.a(b:)` was added
        NON_BREAKING DIRECTIVE_USAGE_FIELD_DEFINITION_ADDED N.a (new 1:102) `@deprecated` was added to `N.a`
        NON_BREAKING DIRECTIVE_USAGE_OBJECT_ADDED N (new 1:67) `@d` was added to `N`
        NON_BREAKING DIRECTIVE_USAGE_ARGUMENT_ADDED N (new 1:69) the argument `a: 1` was added to `@d` of `N`
        NON_BREAKING TYPE_DESCRIPTION_ADDED N (new 1:51) the description of `N` was added: "New."
        NON_BREAKING TYPE_ADDED I (new 1:125) the interface `I` was added
        NON_BREAKING FIELD_ADDED I.a (new 1:129) the field `I.a` was added
        NON_BREAKING TYPE_ADDED U (new 1:144) the union `U` was added
        NON_BREAKING UNION_MEMBER_ADDED U (new 1:148) `N` was added to the union `U`
        NON_BREAKING TYPE_ADDED E (new 1:155) the enum `E` was added
        NON_BREAKING ENUM_VALUE_ADDED E.A (new 1:164) the enum value `E.A` was added
        NON_BREAKING ENUM_VALUE_DESCRIPTION_CHANGED E.A (new 1:164) the description of `E.A` was added: "V."
        NON_BREAKING ENUM_VALUE_DEPRECATION_REASON_ADDED E.A (new 1:164) the reason of deprecation of `E.A` was added: "No longer supported"
        NON_BREAKING DIRECTIVE_USAGE_ENUM_VALUE_ADDED E.A (new 1:167) `@deprecated` was added to `E.A`
        NON_BREAKING TYPE_ADDED In (new 1:186) the input type `In` was added
        NON_BREAKING INPUT_FIELD_ADDED In.a (new 1:191) the input field `In.a` was added
        NON_BREAKING DIRECTIVE_USAGE_INPUT_FIELD_DEFINITION_ADDED In.a (new 1:204) `@d` was added to `In.a`

    "#]];
    expected.assert_eq(&all.collect::<String>());
}

#[test]
fn a_schema_has_no_changes_to_itself() {
    for (old, new) in PAIRS {
        for schema in [old, new] {
            check(schema, schema, &Rules::default(), &expect![""]);
        }
    }
}

#[test]
fn changes_that_graphql_inspector_classifies_otherwise() {
    // An argument with a default value can be left out.
    check(
        "directive @d on FIELD",
        "directive @d(a: Int! = 1) on FIELD",
        &Rules::default(),
        &expect![[r#"
            NON_BREAKING DIRECTIVE_ARGUMENT_ADDED @d(a:) (new 1:14) the argument `@d(a:)` was added
        "#]],
    );
    // The end of a deprecation without a reason is a removal.
    check(
        "enum E { A @deprecated }",
        "enum E { A }",
        &Rules::default(),
        &expect![[r#"
        NON_BREAKING ENUM_VALUE_DEPRECATION_REASON_REMOVED E.A (new 1:10) the reason of deprecation of `E.A` was removed
        NON_BREAKING DIRECTIVE_USAGE_ENUM_VALUE_REMOVED E.A (old 1:13) `@deprecated` was removed from `E.A`
    "#]],
    );
    // The directives of extensions count.
    check(
        "type A { a: Int }",
        "type A { a: Int } extend type A @d",
        &Rules::default(),
        &expect![[r#"
            DANGEROUS DIRECTIVE_USAGE_OBJECT_ADDED A (new 1:34) `@d` was added to `A`
        "#]],
    );
}

#[test]
fn parts_of_added_elements_can_be_omitted() {
    let rules = Rules { omit_nested: true, ..Rules::default() };
    let (old, new) = PAIRS.last().unwrap();
    check(
        old,
        new,
        &rules,
        &expect![[r#"
        NON_BREAKING TYPE_ADDED N (new 1:51) the object type `N` was added
        NON_BREAKING TYPE_ADDED I (new 1:125) the interface `I` was added
        NON_BREAKING TYPE_ADDED U (new 1:144) the union `U` was added
        NON_BREAKING TYPE_ADDED E (new 1:155) the enum `E` was added
        NON_BREAKING TYPE_ADDED In (new 1:186) the input type `In` was added
    "#]],
    );
    check(
        "type A { a: Int b: Int } enum E { A }",
        "type A { a(\"D.\" b: Int): Int @deprecated \"D.\" c(d: Int!): Int b: Int @d(a: 1) } enum E \
         { \"D.\" B A }",
        &rules,
        &expect![[r#"
            NON_BREAKING FIELD_ADDED A.c (new 1:47) the field `A.c` was added
            NON_BREAKING FIELD_DEPRECATION_ADDED A.a (new 1:10) the field `A.a` was deprecated: "No longer supported"
            DANGEROUS FIELD_ARGUMENT_ADDED A.a(b:) (new 1:17) the argument `A.a(b:)` was added
            DANGEROUS DIRECTIVE_USAGE_FIELD_DEFINITION_ADDED A.b (new 1:71) `@d` was added to `A.b`
            DANGEROUS ENUM_VALUE_ADDED E.B (new 1:95) the enum value `E.B` was added
        "#]],
    );
}

#[test]
fn descriptions_can_be_ignored() {
    let rules = Rules { ignore_descriptions: true, ..Rules::default() };
    check(
        "\"A.\" scalar S enum E { A }",
        "scalar S \"E.\" enum E { \"A.\" A B }",
        &rules,
        &expect![[r#"
            DANGEROUS ENUM_VALUE_ADDED E.B (new 1:31) the enum value `E.B` was added
        "#]],
    );
}

#[test]
fn dangerous_changes_can_be_breaking() {
    let rules = Rules { dangerous_is_breaking: true, ..Rules::default() };
    check(
        "enum E { A } scalar S",
        "enum E { A B } scalar T",
        &rules,
        &expect![[r#"
        BREAKING TYPE_REMOVED S (old 1:21) the scalar `S` was removed
        NON_BREAKING TYPE_ADDED T (new 1:23) the scalar `T` was added
        BREAKING ENUM_VALUE_ADDED E.B (new 1:12) the enum value `E.B` was added
    "#]],
    );
}

#[test]
fn deprecated_parts_may_be_removed() {
    let rules = Rules { allow_deprecated_removal: true, ..Rules::default() };
    check(
        "type A { a: Int b: Int @deprecated c(d: Int e: Int @deprecated): Int } enum E { A B \
         @deprecated C } input I { a: Int @deprecated b: Int } type T { a: Int } interface N \
         { a: Int } type M implements N { a: Int }",
        "type A { c: Int } enum E { A } input I { c: Int } interface N { a: Int }",
        &rules,
        &expect![[r#"
            DANGEROUS TYPE_REMOVED T (old 1:144) the object type `T` was removed
            BREAKING TYPE_REMOVED M (old 1:185) the object type `M` was removed
            BREAKING FIELD_REMOVED A.a (old 1:10) the field `A.a` was removed
            DANGEROUS FIELD_REMOVED A.b (old 1:17) the deprecated field `A.b` was removed
            BREAKING FIELD_ARGUMENT_REMOVED A.c(d:) (old 1:38) the argument `A.c(d:)` was removed
            DANGEROUS FIELD_ARGUMENT_REMOVED A.c(e:) (old 1:45) the argument `A.c(e:)` was removed
            DANGEROUS ENUM_VALUE_REMOVED E.B (old 1:83) the enum value `E.B` was removed
            BREAKING ENUM_VALUE_REMOVED E.C (old 1:97) the enum value `E.C` was removed
            DANGEROUS INPUT_FIELD_REMOVED I.a (old 1:111) the input field `I.a` was removed
            BREAKING INPUT_FIELD_REMOVED I.b (old 1:130) the input field `I.b` was removed
            NON_BREAKING INPUT_FIELD_ADDED I.c (new 1:42) the input field `I.c` was added
        "#]],
    );
}

#[test]
fn changes_of_unreachable_types_can_be_safe() {
    let rules = Rules { safe_unreachable: true, ..Rules::default() };
    check(
        "type Query { n: N u(i: I): U } interface N { a: Int } type A implements N { a: Int b: Int } \
         union U = B type B { a: Int b: Int } input I { j: J } input J { a: Int b: Int } \
         type X { a: Int b: Int } directive @d(a: Int) on FIELD",
        "type Query { n: N u(i: I): U } interface N { a: Int } type A implements N { a: Int } \
         union U = B type B { a: Int } input I { j: J } input J { a: Int } type X { a: Int } \
         directive @d on FIELD",
        &rules,
        &expect![[r#"
            BREAKING DIRECTIVE_ARGUMENT_REMOVED @d(a:) (old 1:211) the argument `@d(a:)` was removed
            BREAKING FIELD_REMOVED A.b (old 1:84) the field `A.b` was removed
            BREAKING FIELD_REMOVED B.b (old 1:121) the field `B.b` was removed
            BREAKING INPUT_FIELD_REMOVED J.b (old 1:164) the input field `J.b` was removed
            NON_BREAKING FIELD_REMOVED X.b (old 1:189) the field `X.b` was removed
        "#]],
    );
}

fn check_usage(old: &str, new: &str, documents: &[&str], expected: &Expect) {
    let old = read(old);
    let mut usage = Usage::default();
    for document in documents {
        assert_eq!(usage.add(&old, document).unwrap(), []);
    }
    let rules = Rules { usage: Some(&usage), ..Rules::default() };
    expected.assert_eq(&list(&compare(&old, &read(new), &rules)));
}

#[test]
fn breaking_changes_of_what_no_document_uses_are_dangerous() {
    check_usage(
        "type Query { a: Int b: Int c(d: Int e: Int): Int f(g: Int): Int h(g: Int): Int } \
         type Mutation { a: Int } enum E { A B } input I { a: Int }",
        "type Query { c: Int f(g: Int!): Int h(g: Int!): Int } type M { a: Int } schema { query: Query \
         mutation: M } enum E { A } input I { a: Int b: Int! }",
        &["{ a c(d: 1) h }"],
        &expect![[r#"
            DANGEROUS SCHEMA_MUTATION_TYPE_CHANGED schema (new 1:105) the root type of mutations changed from `Mutation` to `M`
            DANGEROUS TYPE_REMOVED Mutation (old 1:87) the object type `Mutation` was removed
            NON_BREAKING TYPE_ADDED M (new 1:60) the object type `M` was added
            NON_BREAKING FIELD_ADDED M.a (new 1:64) the field `M.a` was added
            BREAKING FIELD_REMOVED Query.a (old 1:14) the field `Query.a` was removed
            DANGEROUS FIELD_REMOVED Query.b (old 1:21) the field `Query.b` was removed
            BREAKING FIELD_ARGUMENT_REMOVED Query.c(d:) (old 1:30) the argument `Query.c(d:)` was removed
            DANGEROUS FIELD_ARGUMENT_REMOVED Query.c(e:) (old 1:37) the argument `Query.c(e:)` was removed
            DANGEROUS FIELD_ARGUMENT_TYPE_CHANGED Query.f(g:) (new 1:23) the type of the argument `Query.f(g:)` changed from `Int` to `Int!`
            BREAKING FIELD_ARGUMENT_TYPE_CHANGED Query.h(g:) (new 1:39) the type of the argument `Query.h(g:)` changed from `Int` to `Int!`
            DANGEROUS ENUM_VALUE_REMOVED E.B (old 1:118) the enum value `E.B` was removed
            DANGEROUS INPUT_FIELD_ADDED I.b (new 1:139) the required input field `I.b` was added
        "#]],
    );
}

#[test]
fn a_use_by_a_variable_a_fragment_or_an_interface_counts() {
    check_usage(
        "type Query { a(i: I): N u: U } input I { e: E } enum E { A B } interface N { a: Int b: Int } \
         type T implements N { a: Int b: Int } type S { a: Int } union U = T | S directive @d(a: Int) \
         on FIELD",
        "type Query { a(i: I): N u: U } input I { e: E f: Int! } enum E { A } interface N { a: Int } \
         type T { a: Int } type S { a: Int } union U = T",
        &["query ($i: I) { a(i: $i) { b ...T @skip(if: true) } } fragment T on T { a @d }"],
        &expect![[r#"
            BREAKING DIRECTIVE_REMOVED @d (old 1:177) the directive `@d` was removed
            BREAKING INPUT_FIELD_ADDED I.f (new 1:47) the required input field `I.f` was added
            BREAKING ENUM_VALUE_REMOVED E.B (old 1:60) the enum value `E.B` was removed
            BREAKING FIELD_REMOVED N.b (old 1:85) the field `N.b` was removed
            BREAKING OBJECT_TYPE_INTERFACE_REMOVED T (old 1:112) `T` no longer implements `N`
            DANGEROUS FIELD_REMOVED T.b (old 1:123) the field `T.b` was removed
            DANGEROUS UNION_MEMBER_REMOVED U (old 1:164) `S` was removed from the union `U`
        "#]],
    );
}

/// A supergraph of one subgraph, with hidden parts.
const SUPERGRAPH: &str = r#"
schema @link(url: "https://specs.apollo.dev/link/v1.0") @link(url: "https://specs.apollo.dev/join/v0.3")
  @link(url: "https://specs.apollo.dev/tag/v0.3")
  @link(url: "https://specs.apollo.dev/inaccessible/v0.2", for: SECURITY) { query: Query }
directive @inaccessible on FIELD_DEFINITION | OBJECT
directive @tag(name: String!) repeatable on FIELD_DEFINITION
directive @join__graph(name: String!, url: String!) on ENUM_VALUE
directive @join__type(graph: join__Graph!) on OBJECT
enum join__Graph { A @join__graph(name: "a", url: "http://a") }
type Query @join__type(graph: A) {
  a: Int @tag(name: "x")
  hidden: Int @inaccessible
  byHidden: Hidden
  b(c: E): Int @deprecated
}
type Hidden @join__type(graph: A) @inaccessible { a: Int }
enum E @join__type(graph: A) { A B @inaccessible }
union U @join__type(graph: A) = Query | Hidden
"#;

#[test]
fn of_a_supergraph_the_api_is_compared() {
    check(
        SUPERGRAPH,
        "type Query { a: Int b(c: E): Int @deprecated } enum E { A } union U = Query",
        &Rules::default(),
        &expect![""],
    );
    let changed = SUPERGRAPH
        .replace("a: Int @tag(name: \"x\")", "a: String @tag(name: \"y\")")
        .replace("hidden: Int @inaccessible", "hidden: Int")
        .replace("http://a", "http://b");
    check(
        SUPERGRAPH,
        &changed,
        &Rules::default(),
        &expect![[r#"
        NON_BREAKING FIELD_ADDED Query.hidden (new 12:3) the field `Query.hidden` was added
        BREAKING FIELD_TYPE_CHANGED Query.a (new 11:3) the type of `Query.a` changed from `Int` to `String`
    "#]],
    );
}
