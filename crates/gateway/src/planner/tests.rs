//! Work of the planner.

use std::fmt::Write;

use graphql::operation::OperationKind;
use graphql::variables::{Steering, Variables};
use graphql::{DocumentLimits, Validator};

use super::*;
use crate::outline::outline;
use crate::test_large::LARGE;
use supergraph::read;

fn choice(supergraph: &Supergraph, text: &str, limits: Limits) -> Result<Choice, PlanError> {
    let schema = &supergraph.api.schema;
    let operation =
        Validator::new(schema).operation(schema, text, None, &DocumentLimits::default()).unwrap();
    let variables = Variables::default();
    let steering = Steering::new(&variables);
    let root = match operation.kind {
        OperationKind::Mutation => supergraph.schema.mutation.unwrap(),
        OperationKind::Query | OperationKind::Subscription => supergraph.schema.query.unwrap(),
    };
    let mut tree = outline(supergraph, &operation, root, &steering, 10_000).unwrap();
    plan(supergraph, &mut tree, &Labels::default(), limits)
}

#[test]
fn a_query_looks_only_at_what_is_near_it() {
    let supergraph = read(&LARGE.supergraph()).unwrap();
    let (fields, ..) = supergraph.api.schema.sizes();
    assert!(fields > 5000, "{fields}");
    let choice = choice(&supergraph, &LARGE.query(200), Limits::default()).unwrap();
    assert_eq!((choice.chain, choice.requests), (6, 33));
    assert!(choice.facts < 3 * 200, "{} facts", choice.facts);
    assert!(choice.attempts < 2 * choice.requests, "{} attempts", choice.attempts);
}

/// A supergraph with this many subgraphs, `S0`, `S1` and so on.
fn supergraph_of(subgraphs: usize, types: &str) -> Supergraph {
    let mut text = String::from(
        r#"schema @link(url: "https://specs.apollo.dev/link/v1.0")
        @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) { query: Query"#,
    );
    text.push_str(if types.contains("type Mutation") { " mutation: Mutation }" } else { " }" });
    text.push_str(" enum join__Graph {");
    for place in 0..subgraphs {
        write!(text, r#" S{place} @join__graph(name: "s{place}", url: "http://s{place}")"#)
            .unwrap();
    }
    read(&format!("{text} }} {types}")).unwrap()
}

/// The directives of a type that all subgraphs have.
fn everywhere(subgraphs: usize, key: &str) -> String {
    (0..subgraphs).map(|place| format!(" @join__type(graph: S{place}{key})")).collect()
}

/// Objects with links to objects of their type, in 20 subgraphs, each with a field of its own.
fn chain(key: &str) -> Supergraph {
    let own = (0..20).map(|place| format!(" v{place}: Int @join__field(graph: S{place})"));
    let own: String = own.collect();
    let (root, objects) = (everywhere(20, ""), everywhere(20, key));
    supergraph_of(
        20,
        &format!("type Query{root} {{ n: N }} type N{objects} {{ id: ID! next: N{own} }}"),
    )
}

#[test]
fn what_everybody_has_is_looked_at_once_for_each() {
    let own: String = (0..20).map(|place| format!(" v{place}")).collect();
    let deep = |depth: usize| {
        let text = format!("{{ id{own} next ").repeat(depth);
        format!("{{ n {text} {{ id {own} }} {} }}", "}".repeat(depth))
    };
    for key in ["", r#", key: "id""#] {
        let supergraph = chain(key);
        let [short, long] = [4, 14].map(|depth| {
            let choice = choice(&supergraph, &deep(depth), Limits::default()).unwrap();
            assert_eq!((choice.chain, choice.requests), (1, 20));
            choice.facts
        });
        // Ten levels cost ten times one level: 20 objects and 22 values.
        assert_eq!(long - short, 10 * (20 + 22));
    }
}

/// 100 types of an interface, each with a field of its own.
fn implementations() -> Supergraph {
    let types = (0..100).map(|place| {
        format!(
            r#" type A{place} implements I @join__implements(graph: S0, interface: "I")
            @join__type(graph: S0, key: "id") {{ id: ID! next: I v{place}: Int }}"#
        )
    });
    let types: String = types.collect();
    supergraph_of(
        1,
        &format!(
            "type Query @join__type(graph: S0) {{ i: I }} \
             interface I @join__type(graph: S0) {{ id: ID! next: I }} {types}"
        ),
    )
}

#[test]
fn types_that_are_asked_different_things_at_many_places_are_too_much() {
    let supergraph = implementations();
    let own: String = (0..100).map(|place| format!(" ... on A{place} {{ v{place} }}")).collect();
    let schema = &supergraph.api.schema;
    let outlined = |text: &str| {
        let limits = DocumentLimits::default();
        let operation = Validator::new(schema).operation(schema, text, None, &limits).unwrap();
        let variables = Variables::default();
        let root = supergraph.schema.query.unwrap();
        let tree = outline(&supergraph, &operation, root, &Steering::new(&variables), 10_000);
        tree.map(|tree| tree.items.len())
    };
    // The selections of each of 100 types, and `next` of each.
    assert_eq!(outlined(&format!("{{ i {{{own} next {{ id }} }} }}")), Ok(1 + 100 + 100 + 100));
    assert!(outlined(&format!("{{ i {{{own} next {{{own} next {{ id }} }} }} }}")).is_err());
}

/// Circular keys.
fn bomb() -> Supergraph {
    let key = r#", key: "k0 { id } k1 { id } k2 { id }""#;
    let requires = (0..6).map(|place| {
        let [next, other] = [(place + 1) % 6, (place + 2) % 6];
        format!(
            r#" v{place}: Int @join__field(graph: S{place}, requires: "v{next} k0 {{ v{other} }}")"#
        )
    });
    let requires: String = requires.collect();
    let root = everywhere(6, "");
    let objects = [everywhere(6, key), everywhere(6, r#", key: "id""#)].concat();
    supergraph_of(
        6,
        &format!(
            "type Query{root} {{ n: N @join__field(graph: S0) }} \
             type N{objects} {{ id: ID! k0: N k1: N k2: N {requires} w: Int @join__field(graph: S1) }}"
        ),
    )
}

#[test]
fn keys_that_lead_around_come_to_an_end() {
    let text = "{ n { k0 { k1 { w v0 v1 v2 } w v1 } w v0 v3 } }";
    let plan = choice(&bomb(), text, Limits::default());
    assert_eq!(plan.unwrap_err(), PlanError::TooComplex);
}

#[test]
fn an_operation_has_only_so_many_requests() {
    let supergraph = chain("");
    let own: String = (0..20).map(|place| format!(" v{place}")).collect();
    let text = format!("{{ n {{{own} }} }}");
    let few = Limits { requests: 19, ..Limits::default() };
    assert_eq!(choice(&supergraph, &text, few).unwrap_err(), PlanError::TooComplex);
    assert_eq!(choice(&supergraph, &text, Limits::default()).unwrap().requests, 20);
}

#[test]
fn without_attempts_there_is_still_a_plan() {
    let supergraph = read(&LARGE.supergraph()).unwrap();
    let text = LARGE.query(200);
    let none = Limits { attempts: 0, steps: 0, ..Limits::default() };
    let plain = choice(&supergraph, &text, none).unwrap();
    let best = choice(&supergraph, &text, Limits::default()).unwrap();
    assert_eq!((plain.chain, plain.attempts), (best.chain, 0));
    assert!(best.requests <= plain.requests);
}

#[test]
fn the_same_objects_are_asked_for_once_if_the_whole_comes_no_later() {
    let types = r#"
type Query @join__type(graph: S0) @join__type(graph: S1) @join__type(graph: S2) @join__type(graph: S3) {
    product: Product @join__field(graph: S1)
}
type Product @join__type(graph: S0, key: "id") @join__type(graph: S1, key: "id")
    @join__type(graph: S2, key: "id") @join__type(graph: S3, key: "id") {
    id: ID!
    price: Int @join__field(graph: S0) @join__field(graph: S2, external: true)
    rebate: Int @join__field(graph: S1) @join__field(graph: S2, external: true)
    dear: Int @join__field(graph: S2, requires: "price") @join__field(graph: S3, external: true)
    cheap: Int @join__field(graph: S2, requires: "rebate") @join__field(graph: S3, external: true)
    bought: Int @join__field(graph: S3, requires: "dear")
    wanted: Int @join__field(graph: S3, requires: "cheap")
    far: Int @join__field(graph: S0, requires: "wanted")
    wish: Int @join__field(graph: S1, requires: "far")
}
"#;
    let supergraph = supergraph_of(4, types);
    let planned = |text: &str| {
        let choice = choice(&supergraph, text, Limits::default()).unwrap();
        (choice.chain, choice.requests)
    };
    assert_eq!(planned("{ product { wanted } }"), (3, 3));
    assert_eq!(planned("{ product { bought } }"), (4, 4));
    // Those of S2 and S3 wait for S0, as the whole does.
    assert_eq!(planned("{ product { wanted bought } }"), (4, 4));
    // Nothing waits for the predecessors of the last request.
    assert_eq!(planned("{ product { wish } }"), (5, 5));
    assert_eq!(planned("{ product { wish bought } }"), (5, 8));
}

#[test]
fn all_trials_of_who_does_what_look_at_no_more_than_one_plan_may() {
    let types = r#"
type Query @join__type(graph: S0) @join__type(graph: S1) { n: N }
type Mutation @join__type(graph: S0) @join__type(graph: S1) { make: N }
type N @join__type(graph: S0, key: "id") @join__type(graph: S1, key: "id") {
    id: ID! a: Int @join__field(graph: S0) b: Int @join__field(graph: S1)
}
"#;
    let supergraph = supergraph_of(2, types);
    let many = |kind: &str, field: &str, fields: usize| {
        let fields = (0..fields).map(|place| format!(" m{place}: {field} {{ a b }}"));
        format!("{kind} {{{} }}", fields.collect::<String>())
    };
    let few = Limits { facts: 5_000, ..Limits::default() };
    let changes = |fields| choice(&supergraph, &many("mutation", "make", fields), few);
    // Each executes half, and fetches the rest from the other.
    assert_eq!(changes(10).unwrap().chain, 2);
    assert_eq!(changes(90).unwrap_err(), PlanError::TooComplex);
    // Without a choice of subgraphs the same number of fields is no problem.
    assert!(choice(&supergraph, &many("query", "n", 90), few).is_ok());
}
