//! Subgraphs as plans ask them: over HTTP, within the time and the memory of a request.

use std::cell::RefCell;
use std::time::Instant;

use bytes::Bytes;
use clients::HeaderMap;
use clients::subgraph::{self, Ask, Client};
use gateway::execute::{AskError, Subgraphs};
use gateway::supergraph::SubgraphId;
use graphql::operation::OperationKind;
use response::Held;

/// The subgraphs for one request.
pub(super) struct Asking<'a> {
    /// By [`SubgraphId`].
    pub(super) clients: &'a [Client],
    pub(super) headers: &'a HeaderMap,
    pub(super) deadline: Option<Instant>,
    /// The memory of all answers of the request.
    pub(super) memory: Answers,
}

/// The memory that the answers of subgraphs take.
#[derive(Debug)]
pub(super) struct Answers(RefCell<(Held, u64)>);

impl Answers {
    pub(super) fn new(held: Held) -> Self {
        Self(RefCell::new((held, 0)))
    }

    /// Whether there is memory for so many bytes more.
    fn hold(&self, bytes: usize) -> bool {
        let (held, all) = &mut *self.0.borrow_mut();
        *all = all.saturating_add(bytes as u64);
        held.grow_to(*all).is_ok()
    }
}

impl Subgraphs for Asking<'_> {
    async fn ask(
        &self,
        subgraph: SubgraphId,
        kind: OperationKind,
        body: Vec<u8>,
    ) -> Result<Bytes, AskError> {
        let client = self.clients.get(usize::from(subgraph.0)).ok_or(AskError::Unavailable)?;
        let hold = |bytes| self.memory.hold(bytes);
        let ask = Ask {
            body: body.into(),
            headers: self.headers,
            is_query: kind == OperationKind::Query,
            deadline: self.deadline,
            hold: &hold,
        };
        match client.ask(ask).await {
            Ok(answer) => Ok(answer.body),
            Err(error) => {
                tracing::debug!(subgraph = subgraph.0, %error, "a subgraph did not answer");
                Err(told(&error))
            }
        }
    }
}

/// Why there is no answer, as errors tell it.
fn told(error: &subgraph::AskError) -> AskError {
    match error {
        subgraph::AskError::Timeout => AskError::Timeout,
        subgraph::AskError::TooLarge { most } => AskError::TooLarge { most: *most },
        subgraph::AskError::Unavailable(_)
        | subgraph::AskError::Status(_)
        | subgraph::AskError::Broken(_)
        | subgraph::AskError::NotGraphQl(_)
        | subgraph::AskError::MemoryExhausted
        | subgraph::AskError::BreakerOpen { .. } => AskError::Unavailable,
    }
}
