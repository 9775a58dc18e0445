//! Cached results: per document, and per document, variable structure and plan key.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gateway::access::{AccessSet, TouchedRequirements};
use gateway::connectors::ConnectorFetch;
use gateway::cost::Cost;
use gateway::events::EventFetch;
use gateway::execute::Literals;
use gateway::outline::{outline_for, outline_in_parts};
use gateway::plan::{Plan, PlanInputs, compile};
use gateway::planner::{self, PlanError};
use graphql::heap::HeapSize;
use graphql::operation::OperationKind;
use graphql::variables::{Steering, Structure, Variables};
use graphql::{ErrorCode, GraphQLError, Request};

use super::{Caller, Gateway};
use crate::documents::{CachedDocument, CachedPlan};
use crate::respond::our_bug;

/// A query plan with the key it is cached by.
#[derive(Debug)]
pub struct Prepared {
    structure: Structure,
    plan_key: PlanKey,
    pub plan: Plan,
    cost: Cost,
    /// By fetch: the name of its subgraph.
    pub subgraphs: Vec<Arc<str>>,
    /// Responses to introspection, by response name.
    pub(super) literals: Literals,
    /// By fetch: its resolved document, if its subgraph is one of events. Empty without such subgraphs.
    pub(super) events: Vec<Option<EventFetch>>,
    /// By fetch: its resolved document, if its subgraph is a connector. Empty without connectors.
    pub(super) connectors: Vec<Option<ConnectorFetch>>,
    /// Whether its last responses were too long for a serving thread.
    pub(super) is_long: AtomicBool,
}

/// Plan key: properties of a request, beside its variables, that plans depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlanKey {
    /// Active override labels.
    labels: Arc<planner::Labels>,
    /// Requirements that the client does not meet.
    denied: AccessSet,
    /// Whether deferred fragments are parts of the response.
    in_parts: bool,
}

impl PlanKey {
    /// Returns the key of a plan whose deferred fragments are parts of the response.
    pub(super) fn in_parts(self) -> Self {
        Self { in_parts: true, ..self }
    }
}

impl CachedPlan for Prepared {
    type Key = PlanKey;
    type Shared = TouchedRequirements;

    fn key(&self) -> &Self::Key {
        &self.plan_key
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    /// A plan does not change its size.
    fn has_grown(&self) -> bool {
        false
    }

    fn weight(&self) -> u64 {
        let Self { structure, plan_key, plan, cost, subgraphs, literals, .. } = self;
        let Self { events, connectors, .. } = self;
        let PlanKey { labels, denied, in_parts: _ } = plan_key;
        let labels: usize = labels.0.iter().map(|label| size_of_val(label) + label.len()).sum();
        let heap = structure.heap_size()
            + denied.heap_size()
            + plan.heap_size()
            + cost.heap_size()
            + subgraphs.heap_size()
            + events.heap_size()
            + connectors.heap_size();
        let literals: usize = literals.iter().map(|(name, text)| name.len() + text.len()).sum();
        (size_of::<Self>() + heap + labels + literals) as u64
    }
}

impl Gateway {
    /// Returns the parsed and validated document of a request, from the cache if it is there.
    pub(crate) fn document(
        &self,
        request: &Request,
        is_known: &mut bool,
    ) -> Result<Arc<CachedDocument<Prepared>>, Vec<GraphQLError>> {
        let (schema, limits) = (self.schema(), self.limits());
        self.documents.document(&self.validator, schema.into(), limits, request, is_known)
    }

    /// Returns the plan key of a request.
    pub(super) fn plan_key(&self, known: &CachedDocument<Prepared>, caller: &Caller) -> PlanKey {
        let operation = &known.document.operation;
        let touched =
            known.shared.get_or_init(|| TouchedRequirements::new(&self.supergraph, operation));
        let labels = self.labels.draw(self.named_labels(caller));
        PlanKey { labels, denied: self.denied(touched, &caller.session), in_parts: false }
    }

    /// Estimates the cost of a request and checks the limit.
    pub(super) fn check_cost(
        &self,
        prepared: &Prepared,
        variables: &Variables,
        cost: &mut Option<u64>,
    ) -> Result<(), Vec<GraphQLError>> {
        let estimated = *cost.insert(self.cost(prepared, variables)?);
        self.limits().cost.check(estimated).map_err(|error| vec![error])
    }

    /// Estimates the cost of a request.
    pub(crate) fn cost(
        &self,
        prepared: &Prepared,
        variables: &Variables,
    ) -> Result<u64, Vec<GraphQLError>> {
        prepared.cost.estimate(&self.supergraph, variables).map_err(|violation| {
            let error = GraphQLError::new(ErrorCode::BadUserInput, violation.to_string());
            vec![error.at(violation.location)]
        })
    }

    /// Returns the plan of a document for these variables and this plan key, from the cache if it
    /// is there.
    pub(super) fn plan(
        &self,
        known: &Arc<CachedDocument<Prepared>>,
        operation_name: Option<&str>,
        variables: &Variables,
        plan_key: &PlanKey,
        is_known: &mut bool,
    ) -> Result<Arc<Prepared>, Vec<GraphQLError>> {
        if let Some(plan) = known.plan(plan_key, variables) {
            *is_known = true;
            return Ok(plan);
        }
        let document = &known.document;
        let (schema, limits) = (self.schema(), self.limits());
        let literals = document.introspect(
            &self.validator,
            schema.into(),
            limits,
            operation_name,
            variables,
        )?;
        let literals = literals.into_iter().map(|(name, text)| (name.into(), text)).collect();
        let operation = &document.operation;
        let (supergraph, roots) = (&self.supergraph, &self.supergraph.schema);
        let root = match operation.kind {
            OperationKind::Query => roots.query,
            OperationKind::Mutation => roots.mutation,
            OperationKind::Subscription => roots.subscription,
        };
        // Validation refuses operations without their root type.
        let root = root.ok_or_else(|| vec![our_bug("an operation without a root type")])?;
        let steering = Steering::new(variables);
        let (most, denied) = (limits.document.fields, &plan_key.denied);
        let outline = if plan_key.in_parts { outline_in_parts } else { outline_for };
        let mut tree =
            outline(supergraph, operation, root, &steering, most, denied).map_err(|error| {
                vec![GraphQLError::new(ErrorCode::QueryTooComplex, error.to_string())]
            })?;
        let labels = &plan_key.labels;
        let choice = planner::plan(supergraph, &mut tree, labels, self.options.planning)
            .map_err(|error| vec![no_plan(&error)])?;
        let plan = compile(PlanInputs { supergraph, operation, choice: &choice }, tree);
        let structure = steering.into_structure();
        let cost = Cost::new(supergraph, operation, &plan, limits.cost.list_size);
        let plan_key = plan_key.clone();
        let asked = plan.fetches.iter().map(|fetch| &supergraph.service(fetch.subgraph).name);
        let subgraphs = asked.cloned().collect();
        let events = self.event_fetches(&plan)?;
        let connectors = self.connector_fetches(&plan)?;
        let is_long = AtomicBool::new(false);
        let prepared = Arc::new(Prepared {
            structure,
            plan_key,
            plan,
            cost,
            subgraphs,
            literals,
            events,
            connectors,
            is_long,
        });
        self.documents.keep(known, operation_name, &prepared);
        Ok(prepared)
    }
}

fn no_plan(error: &PlanError) -> GraphQLError {
    match error {
        PlanError::Unresolvable { location, .. } => {
            GraphQLError::new(ErrorCode::NoPlan, error.to_string()).at(*location)
        }
        PlanError::TooComplex => GraphQLError::new(ErrorCode::QueryTooComplex, error.to_string()),
    }
}
