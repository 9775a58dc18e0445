//! Plans as text: which subgraph is asked for what, and after what.

use std::sync::Arc;

use graphql::{GraphQLError, Request, coerce_variable_values};

use super::{Gateway, Prepared};
use crate::explain::{Explained, ExplainedStatement};
use crate::report::{Report, Timed};

impl Gateway {
    /// The requests of a request's plan. Nothing is asked.
    pub fn prepare_reported(
        &self,
        request: &Request,
        report: &mut Report,
    ) -> Result<Explained, Vec<GraphQLError>> {
        let known = {
            let _timed = Timed::start(&mut report.stages.document);
            self.document(request, &mut report.document_known)?
        };
        let operation = &known.document.operation;
        report.operation = Some(operation.kind);
        let _timed = Timed::start(&mut report.stages.plan);
        let variables = coerce_variable_values(self.schema(), operation, &request.variables)?;
        let name = request.operation_name.as_deref();
        let labels = self.labels.draw();
        let prepared = self.plan(&known, name, &variables, &labels, &mut false)?;
        Ok(self.show(&prepared))
    }

    /// A plan as text.
    pub fn explain(&self, request: &Request) -> Result<String, Vec<GraphQLError>> {
        let explained = self.prepare_reported(request, &mut Report::default())?;
        Ok(["-- plan\n", &explained.request].concat())
    }

    fn show(&self, prepared: &Arc<Prepared>) -> Explained {
        let plan = &prepared.plan;
        let statements = plan.fetches.iter().enumerate().map(|(place, fetch)| {
            let needs = fetch.needs.iter().map(|need| (need.index() + 1).to_string());
            let needs: Vec<_> = needs.collect();
            ExplainedStatement {
                name: format!(
                    "request {} to {}",
                    place + 1,
                    self.supergraph.subgraph(fetch.subgraph).name
                ),
                how: match needs.is_empty() {
                    true => "at once".into(),
                    false => format!("after {}", needs.join(", ")),
                },
                round: fetch.level,
                text: fetch.document.text.to_string(),
                parameters: Vec::new(),
            }
        });
        Explained {
            cost: 0,
            request: gateway::plan::print(&self.supergraph, plan),
            statements: statements.collect(),
        }
    }
}
