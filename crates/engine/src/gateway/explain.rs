//! Plans as text (`explain`).

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::gateway::execute::{ExecutionStatistics, FetchOutcome, FetchStatistics};
use ::gateway::plan::representations_variable;
use graphql::operation::OperationKind;
use graphql::variables::Variables;
use graphql::{GraphQLError, Request, coerce_variable_values};
use serde_json_bytes::Value as Json;

use super::{Caller, Gateway, GatewayWorker, Prepared};
use crate::explain::{Explained, ExplainedFetch, ExplainedStatement};
use crate::report::{Planned, Report, Timed};
use crate::worker::Allowed;

impl GatewayWorker {
    /// Returns the plan as text, with unauthorized fields and the cost; with `is_run` executes it
    /// and adds statistics of each fetch.
    pub async fn explain(
        &self,
        request: &Request,
        caller: &Caller,
        is_run: bool,
    ) -> Result<String, Vec<GraphQLError>> {
        let gateway = self.gateway();
        let mut text = gateway.explain(request, caller)?;
        self.append_statements(request, caller, &mut text)?;
        // The events of a subscription come at any time.
        let is_subscription = gateway.document(request, &mut false)?.document.operation.kind
            == OperationKind::Subscription;
        if is_run && !is_subscription {
            let mut report = Report { fetches: ExecutionStatistics::timed(), ..Report::default() };
            self.deliver_reported(request, caller, Allowed::All, &mut report).await;
            text.push_str("\n-- requests\n");
            text.push_str(&gateway.describe_fetches(&report));
        }
        Ok(text)
    }

    /// Returns the fetches of a plan, and the statements of those to sources in this process,
    /// without executing anything.
    pub fn prepare_reported(
        &self,
        request: &Request,
        caller: &Caller,
        report: &mut Report,
    ) -> Result<Explained, Vec<GraphQLError>> {
        let gateway = self.gateway();
        let planned = gateway.planned(request, caller, report)?;
        let mut explained = gateway.show(&planned)?;
        for source_fetch in self.source_fetches(&planned, request, caller)? {
            let SourceFetch { number, name, round, statements } = source_fetch;
            explained.statements.extend(statements.into_iter().map(|statement| {
                let name = format!("{}, by request {number} to {name}", statement.name);
                ExplainedStatement { name, fetch: Some(number), round, ..statement }
            }));
        }
        Ok(explained)
    }

    fn append_statements(
        &self,
        request: &Request,
        caller: &Caller,
        text: &mut String,
    ) -> Result<(), Vec<GraphQLError>> {
        let planned = self.gateway().planned(request, caller, &mut Report::default())?;
        for SourceFetch { number, name, statements, .. } in
            self.source_fetches(&planned, request, caller)?
        {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n-- statements of {number}. {name}, in this process");
            for statement in statements {
                let _ = writeln!(text, "{}", statement.text);
            }
        }
        Ok(())
    }

    /// Returns the statements of fetches to sources in this process, for any entities.
    fn source_fetches(
        &self,
        planned: &PlannedRequest,
        request: &Request,
        caller: &Caller,
    ) -> Result<Vec<SourceFetch<'_>>, Vec<GraphQLError>> {
        let mut all = Vec::new();
        for (fetch, number) in planned.prepared.plan.fetches.iter().zip(1..) {
            let Some(local) = self.local(fetch.subgraph) else { continue };
            let mut variables = request.variables.clone();
            for list in 0..fetch.entities.len() {
                variables.insert(representations_variable(list), Json::Array(Vec::new()));
            }
            let query = fetch.document.text.to_string();
            let graphql = Request { query, variables, ..Request::default() };
            let Explained { statements, .. } = local.explain(&graphql, &caller.session)?;
            let name = &*self.gateway.supergraph.subgraph(fetch.subgraph).name;
            all.push(SourceFetch { number, name, round: fetch.level, statements });
        }
        Ok(all)
    }
}

/// A fetch to a source in this process.
struct SourceFetch<'g> {
    /// Its number in the plan, from 1.
    number: usize,
    name: &'g str,
    round: u16,
    statements: Vec<ExplainedStatement>,
}

/// A planned request with its variables.
pub(crate) struct PlannedRequest {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) variables: Variables,
}

impl Gateway {
    /// Describes the outcome of each fetch, one per line.
    fn describe_fetches(&self, report: &Report) -> String {
        let (Some(Planned::Gateway(prepared)), Some(started)) = (&report.prepared, report.started)
        else {
            return String::new();
        };
        let fetches = prepared.plan.fetches.iter().zip(&report.fetches.fetches);
        let lines = fetches.zip(1..).map(|((fetch, seen), number)| {
            let name = &self.supergraph.subgraph(fetch.subgraph).name;
            let objects = match fetch.entities.is_empty() {
                true => String::new(),
                false => {
                    let objects = if seen.made == 1 { "object" } else { "objects" };
                    let (made, unique, known) = (seen.made, seen.unique, seen.reused);
                    format!(", {made} {objects}, {unique} different, {known} known")
                }
            };
            let waited =
                if seen.has_waited { ", after another that might have had it" } else { "" };
            let outcome = match seen.outcome {
                FetchOutcome::Planned => "not sent: what it needs did not come".to_owned(),
                FetchOutcome::Nothing => "not sent: there was nothing to ask".to_owned(),
                FetchOutcome::Reused => "not sent: it was known".to_owned(),
                FetchOutcome::Sent => sent(seen, started),
            };
            format!("{number}. {name}: {outcome}{objects}{waited}\n")
        });
        lines.collect()
    }

    /// Returns the plan as text.
    pub(super) fn explain(
        &self,
        request: &Request,
        caller: &Caller,
    ) -> Result<String, Vec<GraphQLError>> {
        let planned = self.planned(request, caller, &mut Report::default())?;
        let explained = self.show(&planned)?;
        let mut text = ["-- plan\n", &explained.request].concat();
        let tree = &planned.prepared.plan.tree;
        let mut denied = tree.denied().peekable();
        if denied.peek().is_some() {
            text.push_str("\n-- not allowed\n");
        }
        // Writing to a string cannot fail.
        for item in denied {
            let at = item.location;
            let _ = writeln!(text, "{} at {}:{}", self.coordinate(tree, item), at.line, at.column);
        }
        let most = self.limits().cost.most;
        let _ = writeln!(text, "\n-- cost\n{}, of {most} that are allowed", explained.cost);
        Ok(text)
    }

    /// Plans a request.
    pub(crate) fn planned(
        &self,
        request: &Request,
        caller: &Caller,
        report: &mut Report,
    ) -> Result<PlannedRequest, Vec<GraphQLError>> {
        let known = {
            let _timed = Timed::start(&mut report.stages.document);
            self.document(request, &mut report.document_known)?
        };
        let operation = &known.document.operation;
        report.operation = Some(operation.kind);
        let _timed = Timed::start(&mut report.stages.plan);
        let variables = coerce_variable_values(self.schema(), operation, &request.variables)?;
        let name = request.operation_name.as_deref();
        let plan_key = self.plan_key(&known, caller);
        let prepared = self.plan(&known, name, &variables, &plan_key, &mut false)?;
        Ok(PlannedRequest { prepared, variables })
    }

    fn show(&self, planned: &PlannedRequest) -> Result<Explained, Vec<GraphQLError>> {
        let plan = &planned.prepared.plan;
        let fetches = plan.fetches.iter().map(|fetch| {
            let needs = fetch.needs.iter().map(|need| (need.index() + 1).to_string());
            let needs: Vec<_> = needs.collect();
            ExplainedFetch {
                subgraph: self.supergraph.subgraph(fetch.subgraph).name.to_string(),
                how: match needs.is_empty() {
                    true => "at once".into(),
                    false => format!("after {}", needs.join(", ")),
                },
                round: fetch.level,
                text: fetch.document.text.to_string(),
            }
        });
        Ok(Explained {
            cost: self.cost(&planned.prepared, &planned.variables)?,
            request: gateway::plan::print(&self.supergraph, plan),
            fetches: fetches.collect(),
            statements: Vec::new(),
        })
    }
}

/// Describes the time, size and errors of a fetch.
fn sent(seen: &FetchStatistics, started: Instant) -> String {
    let times = seen.times.map(|(from, to)| {
        let since = from.saturating_duration_since(started);
        let took = to.saturating_duration_since(from);
        format!(" after {}, answered after {} more", milliseconds(since), milliseconds(took))
    });
    let times = times.unwrap_or_default();
    let several = match seen.requests {
        0 | 1 => String::new(),
        several => format!(" in {several} requests"),
    };
    let errors = match seen.errors {
        0 => String::new(),
        1 => ", 1 error".to_owned(),
        errors => format!(", {errors} errors"),
    };
    let (out, back) = (seen.sent_bytes, seen.received_bytes);
    format!("sent{several}{times}, {out} bytes there, {back} bytes back{errors}")
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
