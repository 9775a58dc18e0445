//! Limits for all requests of a batch together: root fields and cost.

use graphql::{ErrorCode, GraphQLError, Request};
use source::Session;

use crate::gateway::{Caller, Gateway};
use crate::report::Report;
use crate::worker::Worker;

impl Worker {
    /// Checks that the requests of a batch stay within the limits of one request together. Requests
    /// that are invalid themselves do not count.
    pub fn check_batch(&self, requests: &[Request], session: &Session) -> Result<(), GraphQLError> {
        let most = self.engine.limits.document.root_fields;
        let documents = requests.iter().filter_map(|request| {
            // The document stays cached for the execution.
            self.engine.document(request, session, &mut false).ok()
        });
        let root_fields = documents.map(|known| known.document.operation.root_fields()).sum();
        check_root_fields(root_fields, most)?;
        let costs = requests.iter().filter_map(|request| self.cost(request, session).ok());
        check_costs(costs, self.engine.limits.cost.most)
    }
}

impl Gateway {
    /// Checks that the requests of a batch stay within the limits of one request together.
    pub(crate) fn check_batch(
        &self,
        requests: &[Request],
        caller: &Caller,
    ) -> Result<(), GraphQLError> {
        let documents = requests.iter().filter_map(|request| {
            // The document stays cached for the execution.
            self.document(request, &mut false).ok()
        });
        let root_fields = documents.map(|known| known.document.operation.root_fields()).sum();
        check_root_fields(root_fields, self.limits().document.root_fields)?;
        let costs = requests.iter().filter_map(|request| self.estimate(request, caller));
        check_costs(costs, self.limits().cost.most)
    }

    /// The estimated cost of a request; `None` if it is invalid.
    pub(crate) fn estimate(&self, request: &Request, caller: &Caller) -> Option<u64> {
        let planned = self.planned(request, caller, &mut Report::default()).ok()?;
        self.cost(&planned.prepared, &planned.variables).ok()
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
