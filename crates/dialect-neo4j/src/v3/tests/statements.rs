//! Fields that statements of the author give.

use expect_test::{expect, expect_file};
use graphql::print_schema;

use super::{check_of, made};
use crate::v3::Options;

const DEFINITIONS: &str = include_str!("statements.types.graphql");

/// The library prints the same.
#[test]
fn fields_of_statements_stand_among_those_of_nodes_and_of_the_roots() {
    let (api, _) = made(DEFINITIONS, &Options::default());
    expect_file!["statements.graphql"].assert_eq(&print_schema(&api.schema));
}

#[test]
fn statements_are_asked_of_nodes_and_of_the_roots() {
    check_of(
        DEFINITIONS,
        r#"{ films(options: { sort: [{ score: DESC }], limit: 2 }) { score(weight: 2) cast(like: "x") { name } likes { title } }
             summary { best { title } details { further { what } people { name } } }
             filmsLike(words: "a") { length } count thing { ... on Person { name } } titles }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Film, order Film.score(row) desc nulls first, page limit 2
                #0 computed Film.score(row, weight: 2)
                #3 related rows 1: function Film.cast(row, like: ["x"], limit: 3)
                  #1 present row
                  #2 field name
                #7 related rows 2: variants by function Film.likes(row)
                  variant Film, common [title]
                    #5 field title
                  variant Scene, common [title]
                    #6 field title
                  #4 variant
              step 1 of root 1: read rows 3: function Query.summary(), page limit 1
                #8 present row
                #11 related rows 4: value best, single
                  #9 present row
                  #10 field title
                #20 related rows 5: value details
                  #12 present row
                  #15 related rows 6: value further, single
                    #13 present row
                    #14 field what
                  #18 related rows 7: value people
                    #16 present row
                    #17 field name
                  #19 field people
                #21 field details
              step 2 of root 2: read rows 8: function Query.filmsLike(words: "a", choice: {least: 3, moods: ["GRIM"]})
                #22 present row
                #23 computed Film.length(row)
              step 3 of root 3: read rows 9: function Query.count(mood: "GRIM"), page limit 1
                #24 field Query.count
              step 4 of root 4: read rows 10: variants by function Query.thing(), page limit 1
                variant Scene
                variant Person
                  #26 field name
                #25 variant
              step 5 of root 5: read rows 11: function Query.titles()
                #27 field Query.titles
        "#]],
    );
    check_of(
        DEFINITIONS,
        r#"mutation { rename(from: "a", to: "b") { title } forget }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: read rows 0: function Mutation.rename(from: "a", to: "b"), page limit 1
                #0 present row
                #1 field title
            transaction, read committed
              step 1 of root 1: read rows 1: function Mutation.forget(), page limit 1
                #2 field Mutation.forget
        "#]],
    );
}

#[test]
fn nodes_of_several_types_are_no_parts_of_maps_yet() {
    check_of(
        DEFINITIONS,
        "{ summary { works { title } } }",
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: function Query.summary(), page limit 1
            #0 present row
        refused This is not served yet.
    "#]],
    );
}

#[test]
fn nodes_of_several_types_are_not_sorted_by_what_statements_give() {
    check_of(
        DEFINITIONS,
        "{ films { works(options: { sort: [{ length: ASC }] }) { title } } }",
        &expect![[r#"
            transaction, snapshot
            refused An order by what statements give of nodes of several types is not served yet.
        "#]],
    );
}

#[test]
fn null_is_no_default_of_an_argument() {
    let (api, _) = made(
        "input I { b: Int = null }
         type A { a(b: Int = null, c: I): Int @cypher(statement: \"RETURN $b\") }",
        &Options::default(),
    );
    let text = print_schema(&api.schema);
    assert!(
        text.contains("  a(b: Int, c: I): Int\n") && text.contains("  b: Int = null\n"),
        "{text}"
    );
}

/// A property of an interface may be one that nodes of some types do not store.
#[test]
fn a_statement_gives_of_one_type_what_another_stores() {
    let definitions = "
        interface P { uri: String title: String }
        type A implements P { uri: String @cypher(statement: \"RETURN 'a'\") title: String }
        type B implements P { uri: String title: String }
        type C {
            p: P @relationship(type: \"R\", direction: OUT)
            ps: [P!]! @relationship(type: \"S\", direction: OUT)
        }";
    check_of(
        definitions,
        r#"{ cs { p { uri } ps(where: { title: "x" }, options: { sort: [{ title: ASC }] }) { uri title } } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity C
                #3 related rows 1: variants, page limit 1
                  variant ->A[:R], common [title]
                    #1 computed A.uri(row)
                  variant ->B[:R], common [title]
                    #2 field uri
                  #0 variant
                #9 related rows 2: variants, order common 0 asc nulls last
                  variant ->A[:S], filter title = "x", common [title]
                    #5 computed A.uri(row)
                    #6 field title
                  variant ->B[:S], filter title = "x", common [title]
                    #7 field uri
                    #8 field title
                  #4 variant
        "#]],
    );
    check_of(
        definitions,
        "{ a: cs { ps(options: { sort: [{ uri: ASC }] }) { uri } } b: cs { ps(where: { uri: \"x\" }) { uri } } }",
        &expect![[r#"
            transaction, snapshot
            refused An order by what statements give of nodes of several types is not served yet.
            refused A condition on nodes of several types is not served yet.
        "#]],
    );
}
