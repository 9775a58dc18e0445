//! The gateway's answer beside that of the merged schema.

use std::cell::RefCell;

use gateway::execute::{ErrorWriter, ExecutionError, IncrementalFormat, Options};
use graphql::operation::OperationKind;
use graphql::{DocumentLimits, Validator};
use serde_json::Value as Json;
use supergraph::SubgraphId;
use supergraph::Supergraph;

use super::deferred::{agree, merge};
use super::faults::Fault;
use super::interpret::{self, Interpreted};
use super::question::{Planned, Question, Refused};
use super::resolver::Resolver;
use super::subgraphs::{Schemas, Subgraphs};
use super::truth::{Answered, Expected, Truth};
use super::world::World;

/// The oracle of operations over one supergraph.
#[derive(Debug)]
pub struct Oracle<'s> {
    pub supergraph: &'s Supergraph,
    schemas: Schemas,
    /// Validator of the clients' schema.
    api: Validator,
    /// Validator of the whole schema.
    full: Validator,
}

/// The result of a correct operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered {
        /// Numbers of planned and of sent requests.
        planned: usize,
        sent: usize,
    },
    /// The operation is invalid.
    Invalid,
    /// The supergraph promises a field that no subgraph resolves.
    NoPlan(String),
}

impl<'s> Oracle<'s> {
    #[must_use]
    pub fn new(supergraph: &'s Supergraph) -> Self {
        Self {
            supergraph,
            schemas: Schemas::new(supergraph),
            api: Validator::new(&supergraph.api.schema),
            full: Validator::new(&supergraph.schema),
        }
    }

    /// Compares the gateway with the merged schema; returns the first difference.
    pub fn check(&self, question: Question<'_>, world: &World<'_>) -> Result<Outcome, String> {
        let supergraph = self.supergraph;
        let plan = || Planned::new(supergraph, &self.api, question);
        let planned = match plan() {
            Ok(planned) => planned,
            Err(Refused::Invalid(_)) => return Ok(Outcome::Invalid),
            Err(Refused::NoPlan(error)) => return Ok(Outcome::NoPlan(error.to_string())),
            Err(error @ Refused::TooManySelections(_)) => return Err(error.to_string()),
        };
        let printed = planned.print(supergraph);
        let fail = |why: String| Err(format!("{why}\nthe plan:\n{printed}"));
        if plan().map(|planned| planned.print(supergraph)).ok().as_deref() != Some(&printed) {
            return fail("planned again it is another plan".to_owned());
        }
        let (expected, nulled) = self.truth(question, world)?;
        let mut sent = 0;
        for (reuse, delays) in [(true, 0), (false, 0), (true, 3)] {
            let asking = format!("reuse {reuse}, delays {delays}: ");
            let mut subgraphs = Subgraphs::new(world, &self.schemas, question.labels);
            subgraphs.delays = delays;
            let options = Options { reuse, ..Options::default() };
            let Some(ran) = planned.run(supergraph, &subgraphs, &subgraphs.clock, options) else {
                return fail(format!("{asking}it does not end"));
            };
            if let Some(wrong) = subgraphs.wrong.borrow().first() {
                return fail(format!("{asking}{wrong}"));
            }
            if planned.operation.kind == OperationKind::Query
                && ran.sent > planned.plan.fetches.len()
            {
                return fail(format!("{asking}{} requests were sent", ran.sent));
            }
            if is_other(&ran.data, &expected) {
                let told = &ran.errors;
                let data = &ran.data;
                return fail(format!(
                    "{asking}the answer is\n{data}\nand should be\n{expected}\nit tells {told:?}"
                ));
            }
            if ran.errors.is_empty() == nulled {
                return fail(format!("{asking}the errors are {:?}", ran.errors));
            }
            if ran.data != expected && !self.may_differ(&planned) {
                return fail(format!(
                    "{asking}the order is\n{}\nand should be\n{expected}",
                    ran.data
                ));
            }
            if (reuse, delays) == (true, 0) {
                sent = ran.sent;
            }
        }
        Ok(Outcome::Answered { planned: planned.plan.fetches.len(), sent })
    }

    /// Compares the payloads of a response in several parts, merged, with the merged schema; returns
    /// the first difference. A null in a non-null position is propagated to other places in parts.
    pub fn check_in_parts(
        &self,
        question: Question<'_>,
        world: &World<'_>,
    ) -> Result<Outcome, String> {
        let supergraph = self.supergraph;
        let planned = match Planned::in_parts(supergraph, &self.api, question) {
            Ok(planned) => planned,
            Err(Refused::Invalid(errors)) => return Err(format!("refused: {errors:?}")),
            Err(Refused::NoPlan(error)) => return Ok(Outcome::NoPlan(error.to_string())),
            Err(error @ Refused::TooManySelections(_)) => return Err(error.to_string()),
        };
        let (expected, nulled) = self.truth(question, world)?;
        let expected: Json = serde_json::from_str(&expected).map_err(|error| error.to_string())?;
        let (fragments, fields) = (IncrementalFormat::Fragments, IncrementalFormat::Fields);
        let write_errors = |errors: Vec<ExecutionError>, bytes: &mut Vec<u8>| {
            bytes.extend_from_slice(Json::from(format!("{errors:?}")).to_string().as_bytes());
        };
        for (format, reuse, delays) in [(fragments, true, 0), (fields, false, 0), (fields, true, 3)]
        {
            let mut subgraphs = Subgraphs::new(world, &self.schemas, question.labels);
            subgraphs.delays = delays;
            let options = Options { reuse, ..Options::default() };
            let format_and_errors = (format, &write_errors as &ErrorWriter<'_>);
            let clock = &subgraphs.clock;
            let ran =
                planned.run_in_parts(supergraph, &subgraphs, clock, options, format_and_errors);
            let fail = |why: String| {
                let payloads = ran.iter().flatten().map(|(_, text)| text.as_str());
                let payloads = payloads.collect::<Vec<_>>().join("\n");
                let printed = planned.print(supergraph);
                Err(format!(
                    "{format:?}, reuse {reuse}, delays {delays}: {why}\nthe payloads:\n{payloads}\n\
                     the answer should be\n{expected}\nthe plan:\n{printed}"
                ))
            };
            let Some(payloads) = &ran else { return fail("it does not end".to_owned()) };
            if let Some(wrong) = subgraphs.wrong.borrow().first() {
                return fail(wrong.clone());
            }
            let merged = match merge(format, payloads) {
                Ok(merged) => merged,
                Err(why) => return fail(why),
            };
            let is_as_expected = match nulled {
                true => agree(&merged.data, &expected),
                false => merged.data == expected,
            };
            if !is_as_expected {
                return fail(format!("the answer is\n{}", merged.data));
            }
            if merged.has_errors != nulled {
                return fail("the errors".to_owned());
            }
        }
        let planned = planned.plan.fetches.len();
        Ok(Outcome::Answered { planned, sent: planned })
    }

    /// Whether objects may be in an order that differs from that of their types: a subgraph with an
    /// interface object does not know their types, and no request is sent for the order alone.
    fn may_differ(&self, planned: &Planned) -> bool {
        planned.plan.tree.positions.iter().any(|position| {
            let mut objects = self.supergraph.members(&position.possible);
            !position.orders.is_empty()
                && objects.any(|object| self.supergraph.is_known_as_interface_object(object))
        })
    }

    /// The true answer, and whether there was a null in a non-null position.
    fn truth(&self, question: Question<'_>, world: &World<'_>) -> Result<(String, bool), String> {
        let schema = &self.supergraph.schema;
        let refused = |errors: Vec<graphql::GraphQLError>| format!("the merged schema: {errors:?}");
        let operation = self
            .full
            .operation(schema, question.text, None, &DocumentLimits::default())
            .map_err(refused)?;
        let variables = graphql::coerce_variable_values(schema, &operation, question.variables)
            .map_err(refused)?;
        let resolver =
            Resolver { world, subgraph: None, labels: question.labels, wrong: RefCell::default() };
        let Interpreted { data, has_nulled, .. } =
            interpret::data(&resolver, (schema, schema), &operation, &variables)?;
        Ok((data, has_nulled))
    }

    /// Compares with failing subgraphs; returns the first difference. All answers of `spoilt` have
    /// a fault.
    pub fn check_failing(
        &self,
        question: Question<'_>,
        world: &World<'_>,
        spoilt: Option<&(SubgraphId, Fault)>,
        expected: Expected,
    ) -> Result<Outcome, String> {
        let supergraph = self.supergraph;
        let planned = match Planned::new(supergraph, &self.api, question) {
            Ok(planned) => planned,
            Err(Refused::Invalid(_)) => return Ok(Outcome::Invalid),
            Err(Refused::NoPlan(error)) => return Ok(Outcome::NoPlan(error.to_string())),
            Err(error @ Refused::TooManySelections(_)) => return Err(error.to_string()),
        };
        let truth = self.true_values(question, world)?;
        let mut sent = 0;
        for (reuse, delays) in [(true, 0), (false, 0), (true, 3)] {
            let mut subgraphs = Subgraphs::new(world, &self.schemas, question.labels);
            subgraphs.delays = delays;
            subgraphs.faults.extend(spoilt.cloned());
            let options = Options { reuse, ..Options::default() };
            let fail = |why: String| {
                let printed = planned.print(supergraph);
                let sent = subgraphs.sent.borrow();
                let sent = sent.iter().map(|sent| {
                    format!("{} {}", supergraph.subgraph(sent.subgraph).name, sent.body)
                });
                let sent = sent.collect::<Vec<_>>().join("\n");
                Err(format!(
                    "reuse {reuse}, delays {delays}: {why}\nthe plan:\n{printed}\nsent:\n{sent}"
                ))
            };
            let Some(ran) = planned.run(supergraph, &subgraphs, &subgraphs.clock, options) else {
                return fail("it does not end".to_owned());
            };
            if let Some(wrong) = subgraphs.wrong.borrow().first() {
                return fail(wrong.clone());
            }
            let spoilt = spoilt.map(|(subgraph, _)| *subgraph);
            let answer = Answered { world, errors: &ran.errors, spoilt, expected };
            if let Err(why) = answer.check(&ran.data, &truth) {
                return fail(format!("{why}\nthe answer:\n{}\n{:?}", ran.data, ran.errors));
            }
            sent = ran.sent;
        }
        Ok(Outcome::Answered { planned: planned.plan.fetches.len(), sent })
    }

    fn true_values(&self, question: Question<'_>, world: &World<'_>) -> Result<Truth, String> {
        let schema = &self.supergraph.schema;
        let refused = |errors: Vec<graphql::GraphQLError>| format!("the merged schema: {errors:?}");
        let operation = self
            .full
            .operation(schema, question.text, None, &DocumentLimits::default())
            .map_err(refused)?;
        let variables = graphql::coerce_variable_values(schema, &operation, question.variables)
            .map_err(refused)?;
        let resolver =
            Resolver { world, subgraph: None, labels: question.labels, wrong: RefCell::default() };
        interpret::truth(&resolver, schema, &operation, &variables)
    }
}

/// Whether two answers differ.
fn is_other(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Json>(text).ok();
    read(one).is_none() || read(one) != read(other)
}
