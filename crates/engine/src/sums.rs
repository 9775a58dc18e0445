//! What several requests ask for together.

use graphql::{ErrorCode, GraphQLError, Request};
use sources::Session;

use crate::gateway::Gateway;
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
        let cost = costs.fold(0_u64, u64::saturating_add);
        let most = self.engine.limits.cost.most;
        if cost > most {
            return Err(GraphQLError::new(
                ErrorCode::CostTooHigh,
                format!(
                    "The requests of the batch are estimated to cost {cost} together; {most} is \
                     allowed (--max-cost)."
                ),
            ));
        }
        Ok(())
    }
}

impl Gateway {
    /// The same for requests of a supergraph.
    pub(crate) fn check_sums(&self, requests: &[Request]) -> Result<(), GraphQLError> {
        let documents = requests.iter().filter_map(|request| {
            // It is kept for the execution.
            self.document(request, &mut false).ok()
        });
        let root_fields = documents.map(|known| known.document.operation.root_fields()).sum();
        check_root_fields(root_fields, self.limits().document.root_fields)
    }
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
