//! What several requests ask for together.

use graphql::{ErrorCode, GraphQLError, Request};
use sources::Session;

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
        let root_fields: usize = documents.map(|document| document.operation.root_fields()).sum();
        if root_fields > most {
            return Err(GraphQLError::new(
                ErrorCode::TooManyRootFields,
                format!(
                    "The requests of the batch have {root_fields} root fields together; {most} \
                     are allowed (--max-root-fields)."
                ),
            ));
        }
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
