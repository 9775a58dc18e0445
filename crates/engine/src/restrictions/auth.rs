//! Form 3's `@auth`.

use super::*;

const TYPES: &str = r#"
    type User @auth(rules: [
        { operations: [READ, UPDATE], where: { id: "$jwt.sub" } }
        { operations: [UPDATE], roles: ["admin"] }
        { operations: [CONNECT], allow: { id: "$jwt.sub" } }
    ]) {
        id: ID! @unique
        age: Int @auth(rules: [{ operations: [READ], allowUnauthenticated: true, allow: { id: "$jwt.sub" } }])
        posts: [Post!]! @relationship(type: "WROTE", direction: OUT)
    }
    type Post @auth(rules: [
        { operations: [READ], allowUnauthenticated: true, allow: { users: { id: "$jwt.sub" } } }
        { operations: [READ], roles: ["admin", "editor"] }
        { operations: [CREATE, CONNECT], isAuthenticated: true, allow: { title: "x" }, bind: { users: { id: "$jwt.sub" } } }
    ]) {
        title: String @unique
        users: [User!]! @relationship(type: "WROTE", direction: IN)
        parts: [Part!]! @relationship(type: "HAS", direction: OUT)
    }
    interface Part { size: Int @auth(rules: [{ operations: [READ], roles: ["editor"] }]) }
    type Text implements Part { size: Int }
    type Query {
        any: Int @cypher(statement: "RETURN 1 AS n", columnName: "n") @auth(rules: [{ roles: ["admin"] }])
        known: Int @cypher(statement: "RETURN 1 AS n", columnName: "n") @auth(rules: [{ isAuthenticated: true }])
    }"#;

#[track_caller]
fn check(claims: Option<&Json>, query: &str, expected: &Expect) {
    let made = made_in(ApiVersion::V3, TYPES).expect("rules");
    let (request, refused) = made.authorized(claims, query);
    assert_eq!(refused, []);
    expected.assert_eq(&request);
}

#[test]
fn nodes_are_left_out_or_have_to_pass() {
    let query = "{ users { id posts { title } } }";
    check(
        Some(&json!({"sub": "a"})),
        query,
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity User, filter id = claim sub
            #0 field id
            #2 related rows 1: relation ->Post[:WROTE], filter required (some <-User[:WROTE] (id = claim sub))
              #1 field title
    "#]],
    );
    check(
        Some(&json!({"sub": "a", "roles": ["editor"]})),
        query,
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity User, filter id = claim sub
            #0 field id
            #2 related rows 1: relation ->Post[:WROTE]
              #1 field title
    "#]],
    );
    check(
        None,
        "{ posts { title } }",
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity Post, filter required (some <-User[:WROTE] (none))
            #0 field title
    "#]],
    );
}

#[test]
fn orders_by_a_field_are_readings_of_it() {
    let parts = "{ posts { parts(options: { sort: [{ size: ASC }] }) { __typename } } }";
    check(
        Some(&json!({"roles": ["admin"]})),
        parts,
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity Post
            #1 related rows 1: variants, order common 0 asc nulls last
              variant ->Text[:HAS], filter required (none), common [size]
              #0 variant
    "#]],
    );
    let query = "{ users(options: { sort: [{ age: ASC }] }) { id } }";
    check(
        Some(&json!({"sub": "a"})),
        query,
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity User, filter id = claim sub and required (id = claim sub), order age asc nulls last
            #0 field id
    "#]],
    );
}

#[test]
fn nodes_that_are_given_back_are_read_by_the_rules_of_their_fields() {
    let query = "mutation { updateUsers(update: { id: \"b\" }) { users { id age } } }";
    check(
        Some(&json!({"sub": "a", "roles": ["admin"]})),
        query,
        &expect![[r#"
        transaction, read committed
          step 0 of root 0: update User
            id = "b"
          step 1 of root 0: read rows 0: rows of step 0 after it, filter required (id = claim sub)
            #0 field id
            #1 field age
    "#]],
    );
}

#[test]
fn both_ends_of_a_new_relationship_have_to_pass() {
    let query = "mutation { updateUsers(connect: { posts: [{}] }) { info { nodesCreated } } }";
    check(
        Some(&json!({"sub": "a"})),
        query,
        &expect![[r#"
        transaction, read committed
          step 0 of root 0: update User, filter id = claim sub and required (none) and required (id = claim sub)
            along ->Post[:WROTE]: link once Post, filter required (title = "x")
              then each has some <-User[:WROTE] (all) and no <-User[:WROTE] (except (id = claim sub))
          step 1 of root 0: read rows 1: once, single
            #0 rows inserted of step 0
    "#]],
    );
}

#[test]
fn a_node_that_may_be_new_has_to_pass_afterwards() {
    let query = r#"mutation { createUsers(input: [{ id: "b", posts: { connectOrCreate: [
        { where: { node: { title: "x" } }, onCreate: { node: { title: "x" } } }
    ] } }]) { info { nodesCreated } } }"#;
    check(
        Some(&json!({"sub": "a"})),
        query,
        &expect![[r#"
        transaction, read committed
          step 0 of root 0: insert User [id]
            row "b"
            along ->Post[:WROTE] of rows 0: link or insert Post [title], same if equal in [title]
              row "x"
              the same row stays as it is
              then each has title = "x" and (some <-User[:WROTE] (all) and no <-User[:WROTE] (except (id = claim sub)))
          step 1 of root 0: read rows 1: once, single
            #0 rows inserted of step 0
    "#]],
    );
    let made = made_in(ApiVersion::V3, TYPES).expect("rules");
    assert_eq!(made.authorized(None, query).1, [Denial::Unauthenticated]);
}

#[test]
fn without_a_claim_that_is_compared_nothing_is_done() {
    let made = made_in(ApiVersion::V3, TYPES).expect("rules");
    let claims = json!({"roles": ["admin"]});
    let refused = |query: &str| made.authorized(Some(&claims), query).1;
    assert_eq!(refused("{ users { id } }"), [Denial::Unauthenticated]);
    assert_eq!(refused("{ posts { title } }"), []);
    assert_eq!(refused("{ posts { users { id } } }"), [Denial::Unauthenticated]);
    assert_eq!(refused("mutation { createUsers(input: [{ id: \"b\" }]) { users { id } } }"), []);
}

#[test]
fn statements_of_roots_ask_who_asks() {
    let made = made_in(ApiVersion::V3, TYPES).expect("rules");
    let refused = |claims: Option<&Json>, query: &str| made.authorized(claims, query).1;
    assert_eq!(refused(None, "{ any }"), [Denial::Forbidden]);
    assert_eq!(refused(None, "{ known }"), [Denial::Unauthenticated]);
    assert_eq!(refused(Some(&json!({})), "{ known }"), []);
    assert_eq!(refused(Some(&json!({"roles": ["x"]})), "{ any }"), [Denial::Forbidden]);
    assert_eq!(refused(Some(&json!({"roles": ["x", "admin"]})), "{ any known }"), []);
}
