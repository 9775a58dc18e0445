use expect_test::{Expect, expect};

use super::{LARGE, check_of};

fn check(document: &str, expect: &Expect) {
    check_of(LARGE, document, expect);
}

#[test]
fn the_nodes_of_a_union_are_those_of_the_types_that_the_condition_names() {
    check(
        r#"{ thespians { things(where: { Film: { title: "A" } }, options: { limit: 2 }) {
            __typename ... on Film { title } ... on Series { episodes } } } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Actor
                #3 related rows 1: variants, page limit 2
                  variant ->Film[:LIKES], filter title = "A"
                    #1 field title
                  variant ->Series[:LIKES], filter none
                    #2 field episodes
                  #0 variant
        "#]],
    );
}

#[test]
fn the_nodes_of_an_interface_have_conditions_and_an_order_in_common() {
    check(
        r#"{ thespians { productions(
            where: { title: "A", _on: { Film: { runtime_GT: 3 } } }
            options: { sort: [{ title: DESC }], limit: 2 }
        ) { title } } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Actor
                #3 related rows 1: variants, order common 0 desc nulls first, page limit 2
                  variant ->Film[:ACTED_IN], filter title = "A" and runtime > 3, common [title]
                    #1 field title
                  variant ->Series[:ACTED_IN], filter title = "A", common [title]
                    #2 field title
                  #0 variant
        "#]],
    );
}

#[test]
fn conditions_on_some_types_alone_leave_no_others() {
    check(
        "{ thespians { productions(where: { _on: { Series: { episodes: 1 } } }) { title } } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Actor
                #3 related rows 1: variants
                  variant ->Film[:ACTED_IN], filter none, common [title]
                    #1 field title
                  variant ->Series[:ACTED_IN], filter episodes = 1, common [title]
                    #2 field title
                  #0 variant
        "#]],
    );
}

#[test]
fn nodes_of_several_types_are_edges_with_the_properties_of_their_relationships() {
    check(
        r#"{ thespians {
            productionsConnection(where: { edge: { role: "A" } }, sort: [{ edge: { role: ASC } }]) {
                totalCount edges { role node { title ... on Series { episodes } } } }
            thingsConnection(where: { Film: { node: { title: "B" } } }, directed: false) {
                edges { node { __typename } } }
        } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Actor
                #6 related rows 1: variants, order edge role asc nulls last
                  variant ->Film[:ACTED_IN], filter edge role = "A", common [title]
                    #3 field title
                  variant ->Series[:ACTED_IN], filter edge role = "A", common [title]
                    #4 field title
                    #5 field episodes
                  #0 count
                  #1 edge role
                  #2 variant
                #8 related rows 2: variants
                  variant --Film[:LIKES], filter title = "B"
                  variant --Series[:LIKES], filter none
                  #7 variant
        "#]],
    );
}

#[test]
fn nodes_are_found_by_nodes_of_several_types() {
    check(
        r#"{ thespians(where: {
            productionsConnection_SOME: { edge: { role: "A" }, node: { title: "B" } }
        }) { name } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Actor, filter some ->Film[:ACTED_IN] (edge role = "A" and title = "B") or some ->Series[:ACTED_IN] (edge role = "A" and title = "B")
                #0 field name
        "#]],
    );
}

#[test]
fn conditions_on_a_union_are_of_each_type_by_itself() {
    check(
        r#"{ thespians(where: { thingsConnection_NONE: {
            Film: { node: { title: "B" } } Series: { OR: [{ node: { episodes: 1 } }] }
        } }) { name } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Actor, filter no ->Film[:LIKES] (title = "B") and no ->Series[:LIKES] (episodes = 1)
                #0 field name
        "#]],
    );
}

#[test]
fn a_condition_on_one_type_stands_for_one_on_all() {
    check(
        r#"{ thespians { productions(where: { title: "A", _on: { Film: { title: "B", runtime: 1 } } }) {
            __typename } } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Actor
                #1 related rows 1: variants
                  variant ->Film[:ACTED_IN], filter title = "B" and runtime = 1, common [title]
                  variant ->Series[:ACTED_IN], filter title = "A", common [title]
                  #0 variant
        "#]],
    );
}
