//! `@subscription` and its rules.

use super::*;
use access::Action;
use ir::EventKind;

fn events(text: &str) -> Vec<[bool; 3]> {
    let model = v7(text);
    let own = |node: &NodeType| EventKind::ALL.map(|kind| node.events.has(kind));
    model.nodes.iter().map(own).collect()
}

#[test]
fn the_events_of_a_type_precede_those_of_the_schema() {
    let plain = "type A @node { a: Int }";
    assert_eq!(events(plain), [[false; 3]]);
    assert_eq!(events("type A @node @subscription { a: Int }"), [[true; 3]]);
    let text = "extend schema @subscription(events: [CREATED, DELETED])
        type A @node { a: Int }
        type B @node @subscription(events: UPDATED) { a: Int }
        type C @node @subscription(events: []) { a: Int }";
    assert_eq!(events(text), [[true, false, true], [false, true, false], [false; 3]]);
    // By an option of the library only.
    let v3 = model(ApiVersion::V3, "type A @subscription(operations: [CREATE]) { a: Int }");
    assert!(!v3.nodes[0].events.are_some());
}

#[test]
fn rules_of_events_are_filters() {
    let model = v7("type A @node @subscription @subscriptionsAuthorization(filter: [
         { events: [UPDATED], requireAuthentication: false, where: { node: { a: { eq: 1 } } } }
         { where: { jwt: { sub: { eq: \"x\" } } } }]) { a: Int }");
    let [restriction] = model.restrictions.as_slice() else { panic!("{:?}", model.restrictions) };
    let [one, other] = restriction.filters.as_slice() else { panic!("{restriction:?}") };
    assert_eq!(one.actions, [Action::Receive(EventKind::Updated)]);
    assert!(!one.requires_authentication);
    assert_eq!(other.actions, EventKind::ALL.map(Action::Receive));
    assert!(other.requires_authentication && restriction.validations.is_empty());
}

#[test]
fn what_a_rule_of_events_cannot_mean_is_refused() {
    let rule = |said: &str, expected: &str| {
        let text =
            format!("type A @node @subscription @subscriptionsAuthorization({said}) {{ a: Int }}");
        refuse(&text, &[&format!("line 1: A: {expected}")]);
    };
    rule("filter: []", "an empty list of rules says nothing: leave it out");
    rule("filter: [1]", "a rule is an object: `{where: {…}}`");
    rule("filter: [{}]", "a rule wants `where:`");
    rule("filter: [{ events: [MADE], where: {} }]", "`events` has Enum(\"MADE\"), which is none");
    rule(
        "filter: [{ requireAuthentication: false, where: {} }]",
        "a rule that asks for nothing would let everything: say `where:`, or leave \
         `requireAuthentication: false` out",
    );
    rule(
        "filter: [{ operations: [READ], where: {} }]",
        "a rule has `events`, `requireAuthentication` and `where`, no `operations`",
    );
    refuse(
        "type A @node @subscription {\n a: Int @subscriptionsAuthorization(filter: [{ where: {} }]) }",
        &[
            "line 2: A.a: `@subscriptionsAuthorization` belongs to the type: an event is received as a \
           whole or not at all",
        ],
    );
    refuse(
        "type A @node @authorization(filter: [{ operations: [SUBSCRIBE], where: {} }]) { a: Int }",
        &[
            "line 1: A: `operations` has Enum(\"SUBSCRIBE\"), which is none",
            "line 1: A: a rule without operations says nothing: leave it out",
        ],
    );
}
