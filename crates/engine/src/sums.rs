//! What several requests ask for together.

use graphql::{ErrorCode, GraphQLError, Request};

use crate::worker::Worker;

impl Worker {
    /// Whether requests that are executed together ask for no more than one request may. Those
    /// that will be refused for themselves count for nothing.
    pub fn check_sums(&self, requests: &[Request]) -> Result<(), GraphQLError> {
        let most = self.engine.limits.document.root_fields;
        let documents = requests.iter().filter_map(|request| {
            // It is kept for the execution.
            self.engine.document(request, &mut false).ok()
        });
        let root_fields: usize = documents.map(|document| document.operation.root_fields()).sum();
        match root_fields <= most {
            true => Ok(()),
            false => Err(GraphQLError::new(
                ErrorCode::TooManyRootFields,
                format!(
                    "The requests of the batch have {root_fields} root fields together; {most} \
                     are allowed (--max-root-fields)."
                ),
            )),
        }
    }
}
