//! An operation through the gateway.

use gateway::access::{Access, AccessSet, TouchedRequirements};
use gateway::execute::{
    self, ErrorWriter, Executed, ExecutionError, ExecutionStatistics, IncrementalFormat, Inputs,
    Literals, Options, PayloadInputs, PayloadWriter, Subgraphs,
};
use gateway::outline::{Parts, TooManySelections, Tree, outline_for, outline_in_parts};
use gateway::plan::{Plan, PlanInputs, compile};
use gateway::planner::{Labels, Limits, PlanError, plan};
use graphql::operation::{Operation, OperationKind};
use graphql::schema::TypeId;
use graphql::variables::{Steering, Variables};
use graphql::{DocumentLimits, GraphQLError, Validator};
use response::{MemoryReservation, Sink};
use serde_json_bytes::{ByteString, Map, Value as Json};
use supergraph::Supergraph;

use super::clock::Clock;

/// One operation with its variables, the labels that are on, and the session.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    pub text: &'q str,
    pub variables: &'q Map<ByteString, Json>,
    pub labels: &'q Labels,
    /// `None` permits everything.
    pub access: Option<&'q Access>,
}

/// An operation with its plan.
#[derive(Debug)]
pub struct Planned {
    pub operation: Operation,
    pub variables: Variables,
    pub plan: Plan,
}

/// A function that makes the selection tree of an operation.
type Outline = fn(
    &Supergraph,
    &Operation,
    TypeId,
    &Steering<'_>,
    usize,
    &AccessSet,
) -> Result<Tree, TooManySelections>;

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("{}", .0.iter().map(|error| &*error.message).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<GraphQLError>),
    #[error(transparent)]
    TooManySelections(#[from] TooManySelections),
    #[error(transparent)]
    NoPlan(#[from] PlanError),
}

/// The result of an operation.
#[derive(Debug)]
pub struct Ran {
    pub data: String,
    pub errors: Vec<ExecutionError>,
    /// Number of requests sent.
    pub sent: usize,
}

impl Planned {
    /// Plans an operation over the API.
    pub fn new(
        supergraph: &Supergraph,
        validator: &Validator,
        question: Question<'_>,
    ) -> Result<Self, Refused> {
        Self::with(supergraph, validator, question, outline_for)
    }

    /// Plans an operation whose deferred fragments are parts of the response.
    pub fn in_parts(
        supergraph: &Supergraph,
        validator: &Validator,
        question: Question<'_>,
    ) -> Result<Self, Refused> {
        Self::with(supergraph, validator, question, outline_in_parts)
    }

    fn with(
        supergraph: &Supergraph,
        validator: &Validator,
        question: Question<'_>,
        outline: Outline,
    ) -> Result<Self, Refused> {
        let Question { text, variables, labels, access } = question;
        let schema = &supergraph.api.schema;
        let operation = validator
            .operation(schema, text, None, &DocumentLimits::default())
            .map_err(Refused::Invalid)?;
        let variables = graphql::coerce_variable_values(schema, &operation, variables)
            .map_err(Refused::Invalid)?;
        let root = match operation.kind {
            OperationKind::Mutation => supergraph.schema.mutation,
            OperationKind::Query | OperationKind::Subscription => supergraph.schema.query,
        };
        // Validation refuses operations without their root type.
        let root = root.ok_or(Refused::TooManySelections(TooManySelections))?;
        let steering = Steering::new(&variables);
        let denied = access.map_or_else(AccessSet::default, |access| {
            access.denied(supergraph, &TouchedRequirements::new(supergraph, &operation))
        });
        let mut tree = outline(supergraph, &operation, root, &steering, 10_000, &denied)?;
        let choice = plan(supergraph, &mut tree, labels, Limits::default())?;
        let sources = PlanInputs { supergraph, operation: &operation, choice: &choice };
        let plan = compile(sources, tree);
        Ok(Self { operation, variables, plan })
    }

    /// The plan for people.
    #[must_use]
    pub fn print(&self, supergraph: &Supergraph) -> String {
        gateway::plan::print(supergraph, &self.plan)
    }

    /// Runs it; `None` in a deadlock.
    pub fn run<S: Subgraphs>(
        &self,
        supergraph: &Supergraph,
        subgraphs: &S,
        clock: &Clock,
        options: Options,
    ) -> Option<Ran> {
        let Self { operation, variables, plan } = self;
        let inputs = Inputs { supergraph, operation, plan, variables };
        let mut observed = ExecutionStatistics::default();
        let running = execute::execute(
            inputs,
            subgraphs,
            options,
            MemoryReservation::default(),
            &mut observed,
        );
        let mut executed = clock.run(running)?;
        let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::default());
        let sink = execute::write(supergraph, plan, &mut executed, &Literals::new(), sink).ok()?;
        let data = String::from_utf8_lossy(&sink.into_parts().0).into_owned();
        Some(Ran { data, sent: observed.sent(), errors: executed.into_errors() })
    }

    /// Runs it in parts, and returns the payloads, each with the time at which it was complete; `None`
    /// in a deadlock.
    pub fn run_in_parts<S: Subgraphs>(
        &self,
        supergraph: &Supergraph,
        subgraphs: &S,
        clock: &Clock,
        options: Options,
        (format, write_errors): (IncrementalFormat, &ErrorWriter<'_>),
    ) -> Option<Vec<(u64, String)>> {
        let Self { operation, variables, plan } = self;
        let inputs = Inputs { supergraph, operation, plan, variables };
        let mut observed = ExecutionStatistics::default();
        let literals = Literals::new();
        let payloads =
            PayloadInputs { supergraph, plan, literals: &literals, format, write_errors };
        let mut writer = PayloadWriter::new(payloads);
        let mut written = Vec::new();
        let mut deliver = |executed: &mut Executed, _: &ExecutionStatistics, complete: Parts| {
            loop {
                let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::default());
                let is_initial = written.is_empty();
                let payload = match is_initial {
                    true => writer.initial(executed, sink, None).map(Some),
                    false => writer.next(executed, complete, sink),
                };
                let Ok(Some(sink)) = payload else { return writer.has_next() };
                let text = String::from_utf8_lossy(&sink.into_parts().0).into_owned();
                written.push((clock.now(), text));
                if is_initial || !writer.has_next() {
                    return writer.has_next();
                }
            }
        };
        let memory = MemoryReservation::default();
        let running = execute::execute_in_parts(
            inputs,
            subgraphs,
            options,
            memory,
            &mut observed,
            &mut deliver,
        );
        clock.run(running)?;
        Some(written)
    }
}
