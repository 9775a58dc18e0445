//! Fields that statements of the author give.

use expect_test::{expect, expect_file};
use graphql::print_schema;

use super::{check_of, made};
use crate::neo4j::three::Options;

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
             filmsLike(words: "a") { length } count thing { ... on Person { name } } titles summary { count } }"#,
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
              step 1 of root 1: read rows 3: function Query.filmsLike(words: "a", choice: {least: 3, moods: ["GRIM"]})
                #8 present row
                #9 computed Film.length(row)
              step 2 of root 2: read rows 4: function Query.count(mood: "GRIM"), page limit 1
                #10 field Query.count
              step 3 of root 3: read rows 5: variants by function Query.thing(), page limit 1
                variant Scene
                variant Person
                  #12 field name
                #11 variant
              step 4 of root 4: read rows 6: function Query.titles()
                #13 field Query.titles
              step 5 of root 5: read rows 7: function Query.summary(), page limit 1
                #14 present row
                #15 field count
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
