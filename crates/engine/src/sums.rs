//! What several requests ask for together.

use graphql::{ErrorCode, GraphQLError, Request};
use source::Session;

use crate::gateway::{Caller, Gateway};
use crate::report::Report;
use crate::worker::Worker;

impl Worker {
    /// Whether requests of a session that are executed together ask for no more than one request
    /// may. Those that will be refused for themselves count for nothing.
    pub fn check_sums(&self, requests: &[Request], session: &Session) -> Result<(), GraphQLError> {
        let most = self.engine.limits.document.root_fields;
        let documents = requests.iter().filter_map(|request| {
            // It is kept for the execution.
            self.engine.document(request, &mut false).ok()
        });
        let root_fields = documents.map(|known| known.document.operation.root_fields()).sum();
        check_root_fields(root_fields, most)?;
        let costs = requests.iter().filter_map(|request| self.cost(request, session).ok());
        check_costs(costs, self.engine.limits.cost.most)
    }
}

impl Gateway {
    /// The same for requests of a supergraph.
    pub(crate) fn check_sums(
        &self,
        requests: &[Request],
        caller: &Caller,
    ) -> Result<(), GraphQLError> {
        let documents = requests.iter().filter_map(|request| {
            // It is kept for the execution.
            self.document(request, &mut false).ok()
        });
        let root_fields = documents.map(|known| known.document.operation.root_fields()).sum();
        check_root_fields(root_fields, self.limits().document.root_fields)?;
        let costs = requests.iter().filter_map(|request| {
            let planned = self.planned(request, caller, &mut Report::default()).ok()?;
            self.cost(&planned.prepared, &planned.variables).ok()
        });
        check_costs(costs, self.limits().cost.most)
    }
}

fn check_costs(costs: impl Iterator<Item = u64>, most: u64) -> Result<(), GraphQLError> {
    let cost = costs.fold(0_u64, u64::saturating_add);
    if cost <= most {
        return Ok(());
    }
    Err(GraphQLError::new(
        ErrorCode::CostTooHigh,
        format!(
            "The requests of the batch are estimated to cost {cost} together; {most} is allowed \
             (--max-cost)."
        ),
    ))
}

fn check_root_fields(root_fields: usize, most: usize) -> Result<(), GraphQLError> {
    if root_fields <= most {
        return Ok(());
    }
    Err(GraphQLError::new(
        ErrorCode::TooManyRootFields,
        format!(
            "The requests of the batch have {root_fields} root fields together; {most} are allowed \
             (--max-root-fields)."
        ),
    ))
}
