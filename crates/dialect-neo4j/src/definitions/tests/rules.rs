//! `@authentication`, `@authorization`, `@jwt` and `@jwtClaim`.

use super::*;
use crate::model::Constant;
use crate::model::rules::WrittenPlace;
use access::{Action, ClaimCondition, ClaimTest, Condition, RootType};

#[test]
fn rules_are_read_with_their_defaults() {
    let model = v7("extend schema @authentication(operations: [CREATE, SUBSCRIBE])\n\
         type A @node @authorization(filter: { where: { node: { a: { eq: 1 } } } }) {\n\
         a: Int @authentication @authorization(validate: [\n\
         { when: AFTER, requireAuthentication: false, where: { jwt: { sub: { eq: \"x\" } } } }]) }");
    let [schema, node, field] = model.restrictions.as_slice() else {
        panic!("{:?}", model.restrictions)
    };
    assert_eq!(schema.place, WrittenPlace::Schema);
    let operations =
        |at: usize| model.restrictions[at].authentication.as_ref().map(|one| one.actions.clone());
    assert_eq!(operations(0), Some(vec![Action::Create, Action::Subscribe]));
    assert_eq!(operations(2), Some(Action::ALL.to_vec()));
    assert_eq!(node.place, WrittenPlace::Node { node: 0, line: 2 });
    let filter = &node.filters[0];
    assert!(filter.requires_authentication && filter.before && !filter.after);
    assert_eq!(filter.actions.len(), 7);
    assert!(!filter.actions.contains(&Action::Create));
    assert_eq!(field.place, WrittenPlace::Field { node: 0, field: 0, line: 3 });
    let validation = &field.validations[0];
    assert!(!validation.requires_authentication && !validation.before && validation.after);
    let test = ClaimCondition::Test {
        claim: "sub".into(),
        test: ClaimTest::Equal,
        value: Constant::Text("x".into()),
    };
    let expected = Condition::Claims(ClaimCondition::All(vec![test]));
    assert_eq!(validation.condition, expected);
}

#[test]
fn statements_and_roots_have_rules() {
    let model = v7("type A @node {
           a: Int
           b: Int @cypher(statement: \"RETURN 1 AS a\", columnName: \"a\") @authentication }
         type Query @authentication(operations: [READ]) {
           c: Int @cypher(statement: \"RETURN 1 AS a\", columnName: \"a\")
           d: Int @cypher(statement: \"RETURN 1 AS a\", columnName: \"a\") @authentication }
         type Mutation {
           e: Int @authentication @cypher(statement: \"RETURN 1 AS a\", columnName: \"a\") }");
    let places: Vec<WrittenPlace> = model.restrictions.iter().map(|guard| guard.place).collect();
    assert_eq!(
        places,
        [
            WrittenPlace::Field { node: 0, field: 1, line: 3 },
            WrittenPlace::Root(RootType::Query),
            WrittenPlace::RootField { root: RootType::Query, field: 1 },
            WrittenPlace::RootField { root: RootType::Mutation, field: 0 },
        ]
    );
    refuse(
        "type A @node { a: Int }
         type Query { c: Int @cypher(statement: \"RETURN 1 AS a\", columnName: \"a\")
           @authorization(filter: [{ where: {} }]) }",
        &["line 3: Query.c: `@authorization` belongs to types with `@node` and its fields"],
    );
}

#[test]
fn claims_may_be_labels() {
    let model = v7("type A @node(labels: [\"$jwt.a.b\", \"B\", \"$jwt.a.b\", \"B\"]) { a: Int }\n\
         type C @node(labels: [\"$jwt.c\"]) { a: Int }");
    let [a, c] = model.nodes.as_slice() else { panic!("{:?}", model.nodes) };
    assert_eq!((labels(a), &*a.claimed_labels), (vec!["B"], &["a.b".into()][..]));
    assert_eq!((labels(c), &*c.claimed_labels), (vec![], &["c".into()][..]));
    refuse(
        "type A @node(labels: [\"$jwt\", \"$jwt.\"]) { a: Int }",
        &[
            "line 1: A: the label \"$jwt\" names no claim: write \"$jwt.name\"",
            "line 1: A: the label \"$jwt.\" names no claim: write \"$jwt.name\"",
        ],
    );
}

#[test]
fn claims_are_found_by_their_ways() {
    let model = v7("type Token @jwt { roles: [String!]! @jwtClaim(path: \"a.b\") plain: Int\n\
         odd: ID @jwtClaim(path: \"x\\\\.org/y\") sub: String @jwtClaim(path: \"user.id\") }\n\
         type A @node { a: Int }");
    let path = |name: &str| model.claims.find(name);
    assert_eq!(path("roles"), Some("a.b"));
    assert_eq!(path("plain"), Some("plain"));
    assert_eq!(path("odd"), Some("x.org/y"));
    assert_eq!(path("sub"), Some("user.id"));
    assert_eq!(path("iss"), Some("iss"));
    assert_eq!(path("other"), None);
}

#[test]
fn what_a_rule_cannot_mean_is_refused() {
    let rule = |said: &str, expected: &str| {
        let text = format!("type A @node @authorization({said}) {{ a: Int }}");
        refuse(&text, &[&format!("line 1: A: {expected}")]);
    };
    rule("filter: []", "an empty list of rules says nothing: leave it out");
    rule("filter: [{}]", "a rule wants `where:`");
    rule("filter: [1]", "a rule is an object: `{where: {…}}`");
    rule(
        "filter: [{ requireAuthentication: false, where: {} }]",
        "a rule that asks for nothing would let everything: say `where:`, or leave \
         `requireAuthentication: false` out",
    );
    rule(
        "filter: [{ operations: [CREATE], where: {} }]",
        "a filter cannot be of CREATE, which finds nothing: use `validate`",
    );
    rule(
        "validate: [{ operations: [], where: {} }]",
        "a rule without operations says nothing: leave it out",
    );
    rule("filter: [{ when: [AFTER], where: {} }]", "a rule has no `when` of this kind");
    rule("validate: [{ when: [NOW], where: {} }]", "`when` is a list of BEFORE and AFTER");
    rule(
        "filter: [{ where: { nodes: {} } }]",
        "`where`: it has `node`, `jwt`, `AND`, `OR`, `NOT`, no `nodes`",
    );
    rule(
        "filter: [{ where: { node: {} } }]",
        "`where`: `node` wants an object that says something",
    );
    rule("filter: [{ where: { OR: [] } }]", "`where`: `OR` is empty");
    rule(
        "filter: [{ where: { jwt: { role: { eq: \"a\" } } } }]",
        "`where`: there is no claim `role`: name it in a type with `@jwt`",
    );
    rule(
        "filter: [{ where: { jwt: { sub: { matches: \"a\" } } } }]",
        "`where`: a claim is not compared by `matches`",
    );
    rule(
        "filter: [{ where: { jwt: { sub: { in: \"a\" } } } }]",
        "`where`: what `sub` is compared with is of the wrong kind",
    );
    rule(
        "filter: [{ where: { jwt: { sub: { eq: null } } } }]",
        "`where`: a claim is compared with texts, numbers, booleans or lists",
    );
}

#[test]
fn rules_stand_where_they_are_kept() {
    refuse(
        "interface I { a: Int @authorization(filter: [{ where: {} }]) }\n\
         type A implements I @node { a: Int @jwtClaim(path: \"a\") }\n\
         type P @relationshipProperties { b: Int @authentication }",
        &[
            "line 1: I.a: `@authorization` belongs to types with `@node` and its fields",
            "line 2: A.a: `@jwtClaim` belongs to a type with `@jwt` and its fields",
            "line 3: P.b: `@authentication` belongs to types with `@node` and its fields",
        ],
    );
    refuse(
        "type T @jwt { a: Date }\ntype U @jwt { a: Int }\ntype A @node @jwt { a: T }",
        &[
            "line 1: T.a: a claim is a String, ID, Int, Float or Boolean, or a list of such",
            "line 2: U: there is a type with `@jwt` already: tokens are of one kind",
            "line 3: A: a type of claims is neither of nodes nor of properties",
        ],
    );
    refuse(
        "type T @jwt { a: Int }\ntype A @node { a: T }",
        &["line 2: A.a: `T` is of claims of tokens, which no field has"],
    );
}
