//! Subgraphs as plans ask them: over HTTP, within the time and the memory of a request.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use clients::HeaderMap;
use clients::subgraph::{self, Client};
use gateway::execute::{Answer, Ask, AskError, Subgraphs};
use graphql::operation::OperationKind;
use response::{Held, Memory};

/// The subgraphs for one request.
pub(super) struct Asking<'a> {
    /// By [`gateway::supergraph::SubgraphId`].
    pub(super) clients: &'a [Client],
    pub(super) headers: &'a HeaderMap,
    pub(super) deadline: Option<Instant>,
    pub(super) memory: &'a Arc<Memory>,
}

impl Subgraphs for Asking<'_> {
    async fn ask(&self, ask: Ask<'_>) -> Result<Answer, AskError> {
        let place = usize::from(ask.subgraph.0);
        let client = self.clients.get(place).ok_or(AskError::Unavailable)?;
        let held = RefCell::new((Held::of(self.memory), 0_u64));
        let hold = |bytes: usize| {
            let (held, all) = &mut *held.borrow_mut();
            *all = all.saturating_add(bytes as u64);
            held.grow_to(*all).is_ok()
        };
        let request = subgraph::Ask {
            body: ask.body,
            headers: self.headers,
            is_query: ask.kind == OperationKind::Query,
            deadline: self.deadline,
            hold: &hold,
        };
        match client.ask(request).await {
            Ok(subgraph::Answer { body, .. }) => Ok(Answer { body, held: held.into_inner().0 }),
            Err(error) => {
                tracing::debug!(subgraph = place, %error, "a subgraph did not answer");
                Err(told(&error))
            }
        }
    }
}

/// Why there is no answer, without what only the log should say.
fn told(error: &subgraph::AskError) -> AskError {
    match error {
        subgraph::AskError::Unavailable(_) => AskError::Unavailable,
        subgraph::AskError::Timeout => AskError::Timeout,
        subgraph::AskError::TooLarge { most } => AskError::TooLarge { most: *most },
        subgraph::AskError::Status(status) => AskError::Status(*status),
        subgraph::AskError::Broken(_) => AskError::Broken,
        subgraph::AskError::NotGraphQl(_) => AskError::NotGraphQl,
        subgraph::AskError::MemoryExhausted => AskError::MemoryExhausted,
        subgraph::AskError::BreakerOpen { .. } => AskError::BreakerOpen,
    }
}
