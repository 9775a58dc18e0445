//! Benchmark of planning on a large supergraph: 500 types with 5,000 fields in 12 subgraphs, and a
//! query of 200 fields that uses all kinds of links.
//!
//! `cargo bench -p gateway --bench large` prints the time of each stage from the text of the
//! operation to that of its requests: the first run, as for an unknown operation, and the median of
//! many. A server plans an operation once and caches the plan.

#![allow(
    clippy::unwrap_used,
    reason = "a chore: it ends where something is not as it is made here"
)]

#[path = "../src/test_large.rs"]
mod test_large;

use std::io::Write as _;
use std::time::{Duration, Instant};

use gateway::plan::{Plan, PlanInputs, compile};
use gateway::planner::{Labels, Limits, plan};
use graphql::variables::{Steering, Variables};
use graphql::{DocumentLimits, Validator};
use supergraph::{Supergraph, read};
use test_large::LARGE;

const STAGES: [&str; 4] = ["validated", "outlined", "planned", "compiled"];

const ROUNDS: usize = 200;

/// Durations of the stages, in their order.
type Times = [Duration; STAGES.len()];

fn main() {
    let text = LARGE.supergraph();
    let begun = Instant::now();
    let supergraph = read(&text).unwrap();
    let validator = Validator::new(&supergraph.api.schema);
    let opened = begun.elapsed();
    let (fields, ..) = supergraph.api.schema.sizes();
    let types = supergraph.api.schema.types().count();

    let query = LARGE.query(200);
    let (plan, first) = planned(&supergraph, &validator, &query);
    let rounds: Vec<Times> =
        (0..ROUNDS).map(|_| planned(&supergraph, &validator, &query).1).collect();

    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{types} types, {fields} fields, {} bytes: read in {opened:?}\n{} requests, {} one after the other",
        text.len(),
        plan.fetches.len(),
        plan.chain
    )
    .unwrap();
    for (place, stage) in STAGES.iter().enumerate() {
        let median = median(rounds.iter().map(|times| times[place]));
        writeln!(out, "{stage}: {:?} first, {median:?}", first[place]).unwrap();
    }
    let median = median(rounds.iter().map(|times| times.iter().sum()));
    writeln!(out, "all: {:?} first, {median:?}", first.iter().sum::<Duration>()).unwrap();
}

/// Plans a query without a cache.
fn planned(supergraph: &Supergraph, validator: &Validator, query: &str) -> (Plan, Times) {
    let schema = &supergraph.api.schema;
    let mut times = Times::default();
    let mut begun = Instant::now();
    let mut end = |stage: usize| {
        times[stage] = begun.elapsed();
        begun = Instant::now();
    };
    let limits = DocumentLimits::default();
    let operation = validator.operation(schema, query, None, &limits).unwrap();
    end(0);
    let variables = Variables::default();
    let steering = Steering::new(&variables);
    let root = supergraph.schema.query.unwrap();
    let mut tree =
        gateway::outline::outline(supergraph, &operation, root, &steering, 10_000).unwrap();
    end(1);
    let choice = plan(supergraph, &mut tree, &Labels::default(), Limits::default()).unwrap();
    end(2);
    let plan = compile(PlanInputs { supergraph, operation: &operation, choice: &choice }, tree);
    end(3);
    (plan, times)
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
