//! version 3's `@auth`, `@jwtPayload` and `@jwtClaim`.

use super::*;
use crate::model::Constant;
use crate::model::rules::{WrittenNode, WrittenPlace, WrittenRestriction};
use crate::model::wanted::{Wanted, WantedValue};
use access::{Action, ClaimCondition, ClaimTest, Condition, RootType, RowRule};

fn v3(text: &str) -> Model {
    model(ApiVersion::V3, text)
}

/// The rules of a place for an operation: filters, then validations.
fn rules(guards: &[WrittenRestriction], operation: Action) -> Vec<&RowRule<WrittenNode>> {
    let all = guards.iter().flat_map(|guard| guard.filters.iter().chain(&guard.validations));
    all.filter(|rule| rule.actions.contains(&operation)).collect()
}

fn claim(field: usize, claim: &str) -> Wanted {
    Wanted::Value { field, value: WantedValue::Claim(claim.into()) }
}

fn node(wanted: Wanted) -> Condition<WrittenNode> {
    Condition::Row(WrittenNode::Wanted(wanted))
}

fn role(name: &str) -> ClaimCondition {
    let value = Constant::Text(name.into());
    ClaimCondition::Any(vec![ClaimCondition::Test {
        claim: "roles".into(),
        test: ClaimTest::Includes,
        value,
    }])
}

#[test]
fn each_part_of_a_rule_is_asked_where_the_library_asks_it() {
    let model = v3(
        "type A @auth(rules: [{ where: { a: \"$jwt.sub\" }, allow: { b: true }, bind: { a: null } }]) \
         { a: ID b: Boolean }",
    );
    let guards = model.restrictions.as_slice();
    let of = |operation: Action| -> Vec<(bool, bool)> {
        rules(guards, operation).iter().map(|rule| (rule.before, rule.after)).collect()
    };
    assert_eq!(of(Action::Read), [(true, false), (true, false)]);
    assert_eq!(of(Action::Create), [(false, true)]);
    assert_eq!(of(Action::Update), [(true, false), (true, false), (false, true)]);
    assert_eq!(of(Action::Delete), [(true, false), (true, false)]);
    assert_eq!(of(Action::CreateRelationshipFrom).len(), 3);
    assert_eq!(of(Action::ConnectOrCreate), [(false, true)]);
    assert_eq!(of(Action::ReadChanged), []);
    let filters: Vec<_> = guards.iter().flat_map(|guard| &guard.filters).collect();
    assert_eq!(filters.len(), 5);
    assert_eq!(filters[0].condition, node(claim(0, "sub")));
    let created = rules(guards, Action::Create)[0];
    assert_eq!(created.condition, node(Wanted::Value { field: 0, value: WantedValue::Nothing }));
    assert!(guards.iter().all(|one| one.place == WrittenPlace::Node { node: 0, line: 1 }));
}

#[test]
fn roles_let_in_the_parts_that_others_ask() {
    let model = v3(
        "type A @auth(rules: [{ roles: [\"admin\"] }, { operations: [READ], where: { a: \"$jwt.sub\" } }]) \
         { a: ID }",
    );
    let read = rules(&model.restrictions, Action::Read);
    let [filter, validation] = read.as_slice() else { panic!("{read:?}") };
    assert_eq!(
        filter.condition,
        Condition::Any(vec![Condition::Claims(role("admin")), node(claim(0, "sub"))])
    );
    assert_eq!(validation.condition, Condition::Claims(role("admin")));
    // Nothing says `where` of the others, which only the roles let.
    let deleted = rules(&model.restrictions, Action::Delete);
    assert_eq!(deleted.len(), 1);
    assert!(deleted[0].before);
    // Who updates has been asked before.
    let updated = rules(&model.restrictions, Action::Update);
    assert_eq!(updated.iter().filter(|rule| rule.after).count(), 0);
}

#[test]
fn claims_that_are_missing_and_who_must_be_known_close_operations() {
    let closed = |text: &str, operation: Action| -> Vec<ClaimCondition> {
        let model = v3(text);
        let all = model.restrictions.iter().filter_map(|guard| guard.authentication.clone());
        let of = all.filter(|one| !one.is_required && one.actions.contains(&operation));
        of.filter_map(|one| one.claims).collect()
    };
    let has = || ClaimCondition::All(vec![ClaimCondition::Present { claim: "sub".into() }]);
    let strict = "type A @auth(rules: [{ allow: { a: \"$jwt.sub\" } }]) { a: ID }";
    assert_eq!(closed(strict, Action::Read), [has()]);
    assert_eq!(closed(strict, Action::Create), []);
    let lenient = strict.replace("[{ ", "[{ allowUnauthenticated: true, ");
    assert_eq!(closed(&lenient, Action::Read), []);
    let known = "type A @auth(rules: [{ operations: [READ], isAuthenticated: true }]) { a: ID }";
    assert_eq!(
        closed(known, Action::Read),
        [ClaimCondition::All(vec![ClaimCondition::Authenticated])]
    );
    assert_eq!(closed(known, Action::Update), []);
    // Another rule may let it.
    let either = known.replace("}]", "}, { allow: { a: \"1\" } }]");
    let any =
        ClaimCondition::Any(vec![ClaimCondition::Authenticated, ClaimCondition::All(Vec::new())]);
    assert_eq!(closed(&either, Action::Read), [ClaimCondition::All(vec![any])]);
}

#[test]
fn conditions_lead_along_relationships() {
    let model = v3(
        "type A @auth(rules: [{ operations: [READ], where: { bs: { n: 1 } }, allow: { OR: [{ bs: { n: 2, e: X } }, { a: 1.5 }] } }]) \
         { a: Float bs: [B!]! @relationship(type: \"R\", direction: OUT) }\n\
         enum E { X Y }\n\
         type B { n: Int e: E }",
    );
    let value = |field, value| Wanted::Value { field, value: WantedValue::Constant(value) };
    let related = |every, of| Wanted::Related { field: 1, every, of: Box::new(of) };
    let read = rules(&model.restrictions, Action::Read);
    assert_eq!(read[0].condition, node(related(true, value(0, Constant::Integer(1)))));
    let both =
        Wanted::All(vec![value(0, Constant::Integer(2)), value(1, Constant::Enum("X".into()))]);
    let any = vec![related(false, both), value(0, Constant::Float("1.5".into()))];
    assert_eq!(read[1].condition, node(Wanted::Any(any)));
}

#[test]
fn a_field_leaves_out_nodes_and_claims_have_two_names() {
    let model = v3(
        "type A { a: ID b: ID @auth(rules: [{ operations: [READ], where: { a: \"$context.jwt.sub\" } }]) }",
    );
    let read = rules(&model.restrictions, Action::Order);
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].condition, node(claim(0, "sub")));
    assert_eq!(model.restrictions[0].filters.len(), 1);
    assert_eq!(model.restrictions[0].place, WrittenPlace::Field { node: 0, field: 1, line: 1 });
}

#[test]
fn types_and_fields_take_rules_from_interfaces() {
    let model = v3("interface I @auth(rules: [{ operations: [READ], allow: { a: \"1\" } }]) {\n\
         a: ID @auth(rules: [{ operations: [READ], isAuthenticated: true }]) }\n\
         type A implements I { a: ID }\n\
         type B implements I @auth(rules: [{ operations: [DELETE], roles: [\"x\"] }]) {\n\
         a: ID @auth(rules: [{ operations: [UPDATE], roles: [\"x\"] }]) }");
    let places: Vec<_> = model.restrictions.iter().map(|guard| guard.place).collect();
    let of = |place| places.iter().filter(|one| **one == place).count();
    assert_eq!(of(WrittenPlace::Node { node: 0, line: 1 }), 1);
    assert!(of(WrittenPlace::Field { node: 0, field: 0, line: 2 }) > 0);
    assert_eq!(of(WrittenPlace::Node { node: 1, line: 1 }), 0);
    assert!(of(WrittenPlace::Node { node: 1, line: 4 }) > 0);
    assert_eq!(of(WrittenPlace::Field { node: 1, field: 0, line: 2 }), 0);
    refuse_v3(
        "interface I @auth(rules: [{ roles: [\"x\"] }]) { a: ID }\n\
         interface J @auth(rules: [{ roles: [\"y\"] }]) { a: ID }\n\
         type A implements I & J { a: ID }",
        &["line 3: A: `I` and `J` both have `@auth`: a type takes it from one at most"],
    );
}

#[test]
fn claims_are_where_their_type_says() {
    let model =
        v3("type Claims @jwtPayload { roles: [String!]! @jwtClaim(path: \"realm.roles\") }\n\
         type A @auth(rules: [{ operations: [READ], roles: [\"x\"] }]) { a: ID }");
    assert_eq!(model.nodes.len(), 1);
    assert_eq!(model.claims.find("roles"), Some("realm.roles"));
    refuse_v3(
        "type Claims @jwtPayload @node { roles: [String!] }\n\
         type A { a: ID @jwtClaim(path: \"a\") c: Claims }",
        &[
            "line 1: Claims: a type of claims is neither of nodes nor of properties",
            "line 2: A.a: `@jwtClaim` belongs to a type with `@jwtPayload` and its fields",
            "line 2: A.c: `Claims` is of claims of tokens, which no field has",
        ],
    );
}

fn refuse_v3(text: &str, expected: &[&str]) {
    let problems = read(text, ApiVersion::V3).expect_err(text);
    let mut told = told(&problems);
    told.sort();
    assert_eq!(told, expected, "{text}");
}

#[test]
fn what_a_rule_cannot_mean_is_refused() {
    let rule = |said: &str, expected: &str| {
        let text = format!(
            "type A @auth(rules: {said}) {{ a: ID at: DateTime tags: [String!]\n\
             bs: [B!]! @relationship(type: \"R\", direction: OUT)\n\
             us: [U!]! @relationship(type: \"R\", direction: OUT) }}\n\
             type B {{ b: ID }} union U = A | B"
        );
        refuse_v3(&text, &[&format!("line 1: A: `@auth`: {expected}")]);
    };
    rule("[]", "an empty list of rules says nothing: leave `@auth` out");
    rule("{ roles: [\"a\"] }", "`rules` is a list: `[{…}]`");
    rule("[1]", "a rule is an object: `{allow: {…}}`");
    rule("[{}]", "a rule that asks for nothing lets everything: leave it out");
    rule(
        "[{ operations: [READ], allowUnauthenticated: true }]",
        "a rule that asks for nothing lets everything: leave it out",
    );
    rule("[{ operations: READ, roles: [\"a\"] }]", "`operations` is a list");
    rule(
        "[{ operations: [FIND], roles: [\"a\"] }]",
        "`operations` has Enum(\"FIND\"), which is none",
    );
    rule("[{ roles: \"a\" }]", "`roles` is a list of texts");
    rule("[{ isAuthenticated: 1 }]", "`isAuthenticated` is `true` or `false`");
    rule(
        "[{ role: \"a\" }]",
        "a rule has `operations`, `isAuthenticated`, `allowUnauthenticated`, `roles`, `where`, \
         `allow`, `bind`, `AND` and `OR`, no `role`",
    );
    rule("[{ OR: [] }]", "`OR` is a list of rules that has one at least");
    rule(
        "[{ OR: [{ operations: [READ], roles: [\"a\"] }] }]",
        "`operations` of a rule within another: say them outside",
    );
    rule("[{ allow: {} }]", "`allow`: an empty object lets everything: leave it out");
    rule("[{ allow: { a_NOT: \"1\" } }]", "`allow`: `A` has no field `a_NOT`");
    rule("[{ allow: { bs: { a: \"1\" } } }]", "`allow`: `B` has no field `a`");
    rule(
        "[{ allow: { us: { a: \"1\" } } }]",
        "`allow`: `us` leads to nodes of several types, of which rules say nothing",
    );
    rule("[{ allow: { a: 1 } }]", "`allow`: `a` is never Int(\"1\"): that is no value of its type");
    rule(
        "[{ where: { tags: \"a\" } }]",
        "`where`: `tags` is never String(\"a\"): that is no value of its type",
    );
    rule(
        "[{ bind: { at: \"$jwt.at\" } }]",
        "`bind`: `at` is of a type that no claim has: it would never be equal",
    );
    rule(
        "[{ allow: { a: \"$jwt\" } }]",
        "`allow`: `a` wants \"$jwt\", which is no claim: write \"$jwt.name\"",
    );
    rule(
        "[{ allow: { a: \"$context.user\" } }]",
        "`allow`: `a` wants \"$context.user\", which a program in JavaScript says: none runs here",
    );
}

#[test]
fn rules_stand_where_they_are_kept() {
    refuse_v3(
        "type A { a: ID\n\
         b: [A!]! @relationship(type: \"R\", direction: OUT, properties: \"P\") @auth(rules: [{ roles: [\"a\"] }]) }\n\
         interface P @relationshipProperties { c: ID @auth(rules: [{ roles: [\"a\"] }]) }\n\
         type B @authorization(filter: [{ where: { node: { c: \"1\" } } }]) { c: ID }",
        &[
            "line 2: A.b: `@auth` and `@relationship` exclude each other: leave one out",
            "line 3: P.c: `@auth` belongs to types of nodes and its fields",
            "line 4: B: `@authorization` is not served yet: rules that versions 3 read and never \
             ask for (those of `@auth` are asked for) are not",
        ],
    );
}

#[test]
fn statements_of_roots_have_rules_of_who_asks() {
    let text = |rules: &str| {
        format!(
            "type A {{ a: ID }} type Query {{ n: Int @cypher(statement: \"RETURN 1 AS n\") \
             @auth(rules: [{rules}]) }}"
        )
    };
    let model = v3(&text("{ operations: [CREATE], roles: [\"x\"] }"));
    let [guard] = model.restrictions.as_slice() else { panic!("{:?}", model.restrictions) };
    assert_eq!(guard.place, WrittenPlace::RootField { root: RootType::Query, field: 0 });
    assert_eq!(guard.validations[0].condition, Condition::Claims(role("x")));
    assert!(guard.validations[0].actions.contains(&Action::Read));
    refuse_v3(
        &text("{ allow: { a: \"1\" } }"),
        &["line 1: Query.n: `@auth`: `allow` is asked of nodes, and a root field is of none: say \
           `roles` or `isAuthenticated`"],
    );
    refuse_v3(
        "type A { a: ID } type Query @auth(rules: [{ roles: [\"x\"] }]) \
         { n: Int @cypher(statement: \"RETURN 1 AS n\") }",
        &["line 1: Query: `@auth` belongs to its fields"],
    );
}
