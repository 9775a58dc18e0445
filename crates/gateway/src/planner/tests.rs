//! How much the planner looks at.

use graphql::variables::{Steering, Variables};
use graphql::{DocumentLimits, Validator};

use super::*;
use crate::outline::outline;
use crate::supergraph::read;
use crate::test_large::LARGE;

fn choice(supergraph: &Supergraph, text: &str, limits: Limits) -> Result<Choice, PlanError> {
    let schema = &supergraph.api.schema;
    let operation =
        Validator::new(schema).operation(schema, text, None, &DocumentLimits::default()).unwrap();
    let variables = Variables::default();
    let steering = Steering::new(&variables);
    let root = supergraph.schema.query.unwrap();
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
