//! A supergraph of books and films, and plans over it, for tests.

use graphql::operation::{Operation, OperationKind};
use graphql::variables::{Steering, Variables};
use graphql::{DocumentLimits, Validator};
use serde_json_bytes::Value as Json;

use crate::access::{Access, TouchedRequirements};
use crate::outline::outline_for;
use crate::plan::{Plan, PlanInputs, compile};
use crate::planner::{Labels, Limits, PlanError, plan};
use supergraph::{Supergraph, read};

/// Works are in `shop`, their prices in `stock` and comments in `talk`; `talk` has readers as an
/// interface object.
pub(crate) fn supergraph() -> Supergraph {
    read(include_str!("test_supergraph.graphql")).unwrap()
}

/// A supergraph with rare features: partial unions and interfaces, types without keys, keys that
/// find nothing, a field with different arguments, hidden types.
pub(crate) fn odd() -> Supergraph {
    read(include_str!("test_supergraph_odd.graphql")).unwrap()
}

/// A supergraph with authorization requirements.
pub(crate) fn guarded() -> Supergraph {
    read(include_str!("test_supergraph_guarded.graphql")).unwrap()
}

/// A supergraph with context arguments.
pub(crate) fn contextual() -> Supergraph {
    read(include_str!("test_supergraph_context.graphql")).unwrap()
}

/// An operation with its plan.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) supergraph: Supergraph,
    pub(crate) operation: Operation,
    pub(crate) variables: Variables,
    pub(crate) plan: Plan,
}

pub(crate) fn planned(text: &str, variables: &str) -> Result<Planned, PlanError> {
    planned_with(text, variables, &Labels::default())
}

pub(crate) fn planned_with(
    text: &str,
    variables: &str,
    labels: &Labels,
) -> Result<Planned, PlanError> {
    planned_over(supergraph(), text, variables, labels)
}

pub(crate) fn planned_over(
    supergraph: Supergraph,
    text: &str,
    variables: &str,
    labels: &Labels,
) -> Result<Planned, PlanError> {
    planned_for(supergraph, text, variables, labels, &Access::default())
}

pub(crate) fn planned_for(
    supergraph: Supergraph,
    text: &str,
    variables: &str,
    labels: &Labels,
    access: &Access,
) -> Result<Planned, PlanError> {
    let schema = &supergraph.api.schema;
    let validator = Validator::new(schema);
    let operation = validator.operation(schema, text, None, &DocumentLimits::default()).unwrap();
    let given: Json = serde_json_bytes::serde_json::from_str(variables).unwrap();
    let given = given.as_object().cloned().unwrap();
    let variables = graphql::coerce_variable_values(schema, &operation, &given).unwrap();
    let root = match operation.kind {
        OperationKind::Mutation => supergraph.schema.mutation,
        OperationKind::Query => supergraph.schema.query,
        OperationKind::Subscription => supergraph.schema.subscription,
    };
    let steering = Steering::new(&variables);
    let denied = access.denied(&supergraph, &TouchedRequirements::new(&supergraph, &operation));
    let root = root.unwrap();
    let outlined = outline_for(&supergraph, &operation, root, &steering, 10_000, &denied);
    let mut tree = outlined.unwrap();
    let choice = plan(&supergraph, &mut tree, labels, Limits::default())?;
    let sources = PlanInputs { supergraph: &supergraph, operation: &operation, choice: &choice };
    let plan = compile(sources, tree);
    Ok(Planned { supergraph, operation, variables, plan })
}
