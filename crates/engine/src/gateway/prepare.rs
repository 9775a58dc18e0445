//! What is made once a document, or once a document, variable structure and labels.

use std::sync::Arc;

use gateway::execute::Literals;
use gateway::outline::outline;
use gateway::plan::{Plan, Sources, compile};
use gateway::planner::{self, PlanError};
use graphql::operation::OperationKind;
use graphql::variables::{Steering, Structure, Variables};
use graphql::{ErrorCode, GraphQLError, Request};

use super::Gateway;
use crate::documents::{Kept, Known};
use crate::respond::our_bug;

/// A plan, and what it is for.
#[derive(Debug)]
pub struct Prepared {
    structure: Structure,
    labels: Arc<planner::Labels>,
    pub plan: Plan,
    /// Of each request of the plan: whose it is.
    pub subgraphs: Vec<Arc<str>>,
    /// What is answered without a subgraph, by its name in the answer.
    pub(super) literals: Literals,
}

impl Kept for Prepared {
    /// The labels that are on.
    type For = Arc<planner::Labels>;

    fn made_for(&self) -> &Self::For {
        &self.labels
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn weight(&self) -> u64 {
        let Plan { fetches, tree, .. } = &self.plan;
        let texts: usize = fetches.iter().map(|fetch| 3 * fetch.document.text.len()).sum();
        let positions = 400 * tree.positions.len();
        let items = 300 * tree.items.len();
        let structure = 800 * self.structure.observations.len();
        (1_024 + texts + positions + items + structure) as u64
    }
}

impl Gateway {
    /// The document of a request, parsed and validated unless it is known.
    pub(crate) fn document(
        &self,
        request: &Request,
        is_known: &mut bool,
    ) -> Result<Arc<Known<Prepared>>, Vec<GraphQLError>> {
        let (schema, limits) = (self.schema(), self.limits());
        self.documents.document(&self.validator, schema, limits, request, is_known)
    }

    /// The plan of a document for these variables and labels, made unless it is known.
    pub(super) fn plan(
        &self,
        known: &Arc<Known<Prepared>>,
        operation_name: Option<&str>,
        variables: &Variables,
        labels: &Arc<planner::Labels>,
        is_known: &mut bool,
    ) -> Result<Arc<Prepared>, Vec<GraphQLError>> {
        if let Some(plan) = known.plan(labels, variables) {
            *is_known = true;
            return Ok(plan);
        }
        let document = &known.document;
        let (schema, limits) = (self.schema(), self.limits());
        let literals =
            document.introspect(&self.validator, schema, limits, operation_name, variables)?;
        let literals = literals.into_iter().map(|(name, text)| (name.into(), text)).collect();
        let operation = &document.operation;
        let (supergraph, roots) = (&self.supergraph, &self.supergraph.schema);
        let root = match operation.kind {
            OperationKind::Query => roots.query,
            OperationKind::Mutation => roots.mutation,
            OperationKind::Subscription => return Err(vec![no_subscriptions()]),
        };
        // Validation lets no operation pass whose root type is not there.
        let root = root.ok_or_else(|| vec![our_bug("an operation without a root type")])?;
        let steering = Steering::new(variables);
        let mut tree = outline(supergraph, operation, root, &steering, limits.document.fields)
            .map_err(|error| {
                vec![GraphQLError::new(ErrorCode::QueryTooComplex, error.to_string())]
            })?;
        let choice = planner::plan(supergraph, &mut tree, labels, self.options.planning)
            .map_err(|error| vec![no_plan(&error)])?;
        let plan = compile(Sources { supergraph, operation, choice: &choice }, tree);
        let structure = steering.into_structure();
        let labels = Arc::clone(labels);
        let asked = plan.fetches.iter().map(|fetch| &supergraph.subgraph(fetch.subgraph).name);
        let subgraphs = asked.cloned().collect();
        let prepared = Arc::new(Prepared { structure, labels, plan, subgraphs, literals });
        self.documents.keep(known, operation_name, &prepared);
        Ok(prepared)
    }
}

fn no_subscriptions() -> GraphQLError {
    let message = "Subscriptions are not served by this gateway yet; ask the subgraph itself.";
    GraphQLError::new(ErrorCode::NotSupported, message)
}

fn no_plan(error: &PlanError) -> GraphQLError {
    match error {
        PlanError::NoWay { location, .. } => {
            GraphQLError::new(ErrorCode::NoPlan, error.to_string()).at(*location)
        }
        PlanError::TooComplex => GraphQLError::new(ErrorCode::QueryTooComplex, error.to_string()),
    }
}
