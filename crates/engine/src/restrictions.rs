//! Tests of restrictions: authorization of requests by rules of type definitions, and of rules by
//! the claims of a session.

mod auth;

use std::sync::Arc;

use access::{AccessRules, Denial, authorize};
use catalog::Catalog;
use dialects::neo4j::model::ApiVersion;
use dialects::neo4j::{Options, definitions};
use dialects::{Api, Declaration, Dialect, DialectError, Introspection};
use expect_test::{Expect, expect};
use graphql::variables::{Steering, Variables};
use graphql::{DocumentLimits, Validator};
use serde_json_bytes::{Value as Json, json};
use source::Claims;

const TYPES: &str = r#"
    type Token @jwt { roles: [String!]! @jwtClaim(path: "realm.roles") }
    type User @node @authorization(filter: [
        { operations: [READ, UPDATE], where: { node: { id: { eq: "$jwt.sub" } } } }
        { operations: [READ], where: { jwt: { roles: { includes: "admin" } } } }
        { operations: [AGGREGATE], where: { NOT: { node: { id: { eq: "$jwt.sub" } } } } }
    ]) {
        id: ID!
        name: String @authorization(validate: [
            { operations: [READ, UPDATE], when: [BEFORE], where: { node: { age: { gt: 17 } } } }
            { operations: [UPDATE], when: [AFTER], where: { node: { age: { gte: "$jwt.age" } } } }
        ])
        age: Int
        posts: [Post!]! @relationship(type: "WROTE", direction: OUT)
    }
    type Post @node @authentication(operations: [CREATE, DELETE_RELATIONSHIP]) @authorization(
        validate: [{
            operations: [CREATE, CREATE_RELATIONSHIP, DELETE_RELATIONSHIP]
            where: { node: { users: { some: { id: { eq: "$jwt.sub" } } } } }
        }]
    ) {
        title: String
        users: [User!]! @relationship(type: "WROTE", direction: IN)
    }"#;

struct Made {
    catalog: Catalog,
    api: Api,
    rules: AccessRules,
}

fn made(types: &str) -> Result<Made, String> {
    made_in(ApiVersion::V7, types)
}

fn made_in(version: ApiVersion, types: &str) -> Result<Made, String> {
    let model = definitions::read(types, version).expect("definitions");
    let dialect = Dialect::Neo4j(Options { version, model: Arc::new(model), ..Options::default() });
    let made = Declaration::new(Catalog::default(), &dialect).make(None);
    let dialects::DialectOutput { catalog, api, restrictions, .. } =
        made.map_err(|error| match error {
            DialectError::Rules(text) => text,
            other => other.to_string(),
        })?;
    let rules = AccessRules::new(&catalog, None, restrictions).expect("rules");
    Ok(Made { catalog, api, rules })
}

impl Made {
    fn set(&self, claims: &Json) -> u32 {
        let claims = Claims::new(claims.clone());
        self.rules.set(&self.catalog, Some(&claims)).expect("a set").id().0
    }

    /// The authorized request, and its denials.
    fn authorized(&self, claims: Option<&Json>, query: &str) -> (String, Vec<Denial>) {
        let claims = claims.map(|claims| Claims::new(claims.clone()));
        let set = self.rules.set(&self.catalog, claims.as_ref()).expect("a set");
        let schema = &self.api.schema;
        let validator = Validator::new(schema);
        let operation = validator.operation(schema, query, None, &DocumentLimits::default());
        let operation = operation.expect("a valid operation");
        let variables = Variables::default();
        let introspection = Introspection::new();
        let steering = Steering::new(&variables);
        let lowered = dialects::lower(&self.api, &operation, steering, &introspection, 1_000);
        let mut request = lowered.expect("a request").request;
        let refused = authorize(&self.catalog, &set, &mut request).refused;
        (ir::print(&request, &self.catalog), refused.all.into_iter().collect())
    }
}

#[track_caller]
fn check(claims: &Json, query: &str, expected: &Expect) {
    let (request, refused) = made(TYPES).expect("rules").authorized(Some(claims), query);
    assert_eq!(refused, []);
    expected.assert_eq(&request);
}

#[test]
fn one_of_several_filters_has_to_pass() {
    let query = "{ users(where: { age: { lt: 9 } }) { id posts { users { age } } } }";
    check(
        &json!({"sub": "a"}),
        query,
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity User, filter first (id = claim sub) then (age < 9)
            #0 field id
            #3 related rows 1: relation ->Post[:WROTE], each once
              #2 related rows 2: relation <-User[:WROTE], each once, filter id = claim sub
                #1 field age
    "#]],
    );
    check(
        &json!({"sub": "a", "realm": {"roles": ["admin"]}}),
        query,
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity User, filter age < 9
            #0 field id
            #3 related rows 1: relation ->Post[:WROTE], each once
              #2 related rows 2: relation <-User[:WROTE], each once
                #1 field age
    "#]],
    );
}

#[test]
fn what_is_compared_with_a_missing_claim_is_false_and_its_opposite_true() {
    let query = "{ usersConnection { aggregate { count { nodes } } } }";
    check(
        &json!({"sub": "a"}),
        query,
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity User, not shown, filter not (id = claim sub)
            #1 aggregate of all
              #0 distinct count
    "#]],
    );
    check(
        &json!({}),
        query,
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity User, not shown
            #1 aggregate of all
              #0 distinct count
    "#]],
    );
}

#[test]
fn rules_of_fields_count_where_the_fields_are_asked_for() {
    let claims = json!({"sub": "a", "realm": {"roles": ["admin"]}, "age": 3});
    check(
        &claims,
        "{ users { name } }",
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity User, filter required (age > 17)
            #0 field name
    "#]],
    );
    let update = "mutation { updateUsers(update: { name: { set: \"x\" } }) { users { id } } }";
    check(
        &claims,
        update,
        &expect![[r#"
        transaction, read committed
          step 0 of root 0: update User, filter id = claim sub and required (age > 17)
            name = "x"
            then each has age >= claim age
          step 1 of root 0: read rows 0: rows of step 0 after it
            #0 field id
    "#]],
    );
}

#[test]
fn relationships_are_made_and_deleted_by_the_rules_of_both_ends() {
    let update = r#"mutation { updateUsers(update: { posts: [
        { create: [{ node: { title: "x" } }] }
        { connect: [{ where: { node: { title: { eq: "x" } } } }] }
        { disconnect: [{ where: { node: { title: { eq: "x" } } } }] }
    ] }) { info { nodesCreated } } }"#;
    check(
        &json!({"sub": "a"}),
        update,
        &expect![[r#"
        transaction, read committed
          step 0 of root 0: update User
            along ->Post[:WROTE]: insert Post [title]
              row "x"
              then each has some <-User[:WROTE] (id = claim sub)
            along ->Post[:WROTE]: link Post, filter title = "x" and required (some <-User[:WROTE] (id = claim sub))
              then each has some <-User[:WROTE] (id = claim sub)
            along ->Post[:WROTE]: unlink Post, filter title = "x" and required (some <-User[:WROTE] (id = claim sub))
              then each has some <-User[:WROTE] (id = claim sub)
          step 1 of root 0: read rows 1: once, single
            #0 rows inserted of step 0
    "#]],
    );
}

#[test]
fn who_is_not_known_does_nothing_that_wants_it() {
    let made = made(TYPES).expect("rules");
    let create = "mutation { createPosts(input: []) { posts { title } } }";
    assert_eq!(made.authorized(None, create).1, [Denial::Unauthenticated]);
    assert_eq!(made.authorized(Some(&json!({})), create).1, []);
    let nested = "mutation { createUsers(input: [{ id: \"a\", posts: { create: [{ node: { title: \"x\" } }] } }]) { info { nodesCreated } } }";
    assert_eq!(made.authorized(None, nested).1, [Denial::Unauthenticated]);
    assert_eq!(made.authorized(None, "{ posts { title } }").1, []);
}

#[test]
fn statements_have_rules_of_their_own_and_those_of_their_roots() {
    let types = |schema: &str, query: &str, field: &str| {
        format!(
            "{schema} type User @node {{ id: ID }}
             type Query {query} {{
               size: Int @cypher(statement: \"RETURN 1 AS a\", columnName: \"a\") {field}
             }}
             type Mutation {{ grow: Int @cypher(statement: \"RETURN 1 AS a\", columnName: \"a\") }}"
        )
    };
    let check = |types: &str, query: &str, is_refused: bool| {
        let expected: &[Denial] = if is_refused { &[Denial::Unauthenticated] } else { &[] };
        let made = made(types).expect("rules");
        assert_eq!(made.authorized(None, query).1, expected, "{query} {types}");
        assert_eq!(made.authorized(Some(&json!({})), query).1, []);
    };
    let schema = types("extend schema @authentication", "", "");
    check(&schema, "{ size }", true);
    check(&schema, "mutation { grow }", true);
    let schema = types("extend schema @authentication(operations: [DELETE])", "", "");
    check(&schema, "{ size }", false);
    check(&schema, "mutation { grow }", true);
    let query = types("", "@authentication", "");
    check(&query, "{ size }", true);
    check(&query, "{ users { id } }", true);
    check(&query, "mutation { grow createUsers(input: []) { users { id } } }", false);
    let field = types("", "", "@authentication(operations: [READ])");
    check(&field, "{ size }", true);
    check(&field, "{ users { id } }", false);
    let other = types("", "", "@authentication(operations: [UPDATE])");
    check(&other, "{ size }", false);
}

#[test]
fn what_a_statement_gives_of_a_node_is_compared_with_claims_of_its_type() {
    let types = "type A @node @authorization(filter: [{ where: { node: { AND: [
                   { size: { eq: \"$jwt.size\" } } { names: { includes: \"$jwt.sub\" } }] } } }]) {
                   size: Int @cypher(statement: \"RETURN 1 AS a\", columnName: \"a\")
                   names: [String!] @cypher(statement: \"RETURN [] AS a\", columnName: \"a\")
                 }";
    let made = made(types).expect("rules");
    let fits = made.set(&json!({"size": 1, "sub": "a"}));
    assert_eq!(made.set(&json!({"size": 2, "sub": "b"})), fits);
    assert_ne!(made.set(&json!({"size": "1", "sub": "a"})), fits);
    assert_ne!(made.set(&json!({"size": 1, "sub": ["a"]})), fits);
}

#[test]
fn sessions_of_which_the_same_is_known_share_their_plans() {
    let made = made(TYPES).expect("rules");
    let first = made.set(&json!({"sub": "a"}));
    assert_eq!(made.set(&json!({"sub": "b", "more": 1})), first);
    assert_ne!(made.set(&json!({"sub": 7})), first);
    assert_ne!(made.set(&json!({"sub": "a", "realm": {"roles": ["admin"]}})), first);
    assert_ne!(made.set(&json!({})), first);
}

#[test]
fn claims_that_are_labels_are_known_to_the_request() {
    let types = "type A @node(labels: [\"$jwt.a.b\", \"B\"]) { id: ID } type C @node { id: ID }";
    let made = made(types).expect("rules");
    let (request, refused) = made.authorized(Some(&json!({"a": {"b": "X`"}})), "{ cs { id } }");
    assert_eq!(refused, []);
    expect![[r#"
        name "X`" of claim a.b
        transaction, snapshot
          step 0 of root 0: read rows 0: entity C
            #0 field id
    "#]]
    .assert_eq(&request);
    let first = made.set(&json!({"a.b": "X"}));
    assert_eq!(made.set(&json!({"a": {"b": "X"}, "c": 1})), first);
    assert_ne!(made.set(&json!({"a": {"b": "Y"}})), first);
    let none = made.set(&json!({}));
    for other in [json!(7), json!(""), json!(["X"]), json!("X\0"), json!(null)] {
        assert_eq!(made.set(&json!({"a": {"b": other}})), none);
    }
}

#[test]
fn there_may_be_more_labels_than_are_kept() {
    let made = made("type A @node(labels: [\"$jwt.a\"]) { id: ID }").expect("rules");
    let set = |number: usize| made.set(&json!({"a": number.to_string()}));
    let first = set(0);
    (1..=access::MOST_SETS).for_each(|number| assert_ne!(set(number), first));
    assert_eq!(set(access::MOST_SETS), set(access::MOST_SETS));
    assert_ne!(set(0), first);
}

#[test]
fn a_rule_that_means_nothing_is_noted() {
    let check = |condition: &str, expected: &str| {
        let types = format!(
            "type A @node @authorization(filter: [{{ where: {{ node: {condition} }} }}]) {{\n\
             id: ID at: DateTime near: Point tags: [String!] }}"
        );
        assert_eq!(made(&types).err().as_deref(), Some(expected), "{condition}");
    };
    check("{ nme: { eq: \"a\" } }", "line 1: A: `AWhere` has no `nme`");
    check("{ id: { eq: 1.5 } }", "line 1: A: Float(\"1.5\") is no ID");
    check("{ id: { eq: \"$jwt\" } }", "line 1: A: \"$jwt\" is no claim: write \"$jwt.name\"");
    check("{ id: \"$jwt.sub\" }", "line 1: A: \"$jwt.sub\" stands where an object is wanted");
    check(
        "{ id: { in: [\"$jwt.sub\"] } }",
        "line 1: A: a claim stands in a list: let the claim be the list itself, or use `OR`",
    );
    check(
        "{ id: { eq: \"$context.user\" } }",
        "line 1: A: \"$context.user\" needs a program in JavaScript, and none runs here",
    );
    check("{ AND: [] }", "line 1: A: a condition on nodes states nothing");
}
