//! Executions of an event that equal subscriptions share: a task of the first executes the plan, and
//! all of them send its response. The task does not wait for a client that reads slowly.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use graphql::variables::Variables;
use http::HeaderMap;
use source::Session;
use tokio::sync::watch::{self, Receiver, Sender};

use super::{Caller, Prepared};

/// Responses to one event, attached to it.
#[derive(Debug, Default)]
pub(super) struct SharedResponses(Mutex<HashMap<Arc<ResponseKey>, Receiver<Option<Bytes>>>>);

/// The response to an event, which may still be computed.
pub(super) struct PendingResponse {
    receiver: Receiver<Option<Bytes>>,
    /// The caller has to send the response.
    pub(super) sender: Option<Sender<Option<Bytes>>>,
}

/// Parts of a subscription on which its responses depend, beside the events.
pub(super) struct ResponseKey {
    /// Of one document and one generation of the gateway.
    prepared: Arc<Prepared>,
    variables: Variables,
    session: Session,
    /// Headers that other subgraphs may receive.
    headers: HeaderMap,
    hash: u64,
}

impl SharedResponses {
    /// Returns the response for a key.
    pub(super) fn find(&self, key: &Arc<ResponseKey>) -> PendingResponse {
        let mut responses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match responses.get(key) {
            Some(receiver) => PendingResponse { receiver: receiver.clone(), sender: None },
            None => {
                let (sender, receiver) = watch::channel(None);
                responses.insert(Arc::clone(key), receiver.clone());
                PendingResponse { receiver, sender: Some(sender) }
            }
        }
    }
}

impl PendingResponse {
    /// Waits for the response; `None` if its task was dropped.
    pub(super) async fn wait(mut self) -> Option<Bytes> {
        self.receiver.wait_for(Option::is_some).await.ok()?.clone()
    }
}

impl ResponseKey {
    pub(super) fn new(prepared: &Arc<Prepared>, variables: &Variables, caller: &Caller) -> Self {
        static HASHER: OnceLock<RandomState> = OnceLock::new();
        let hasher = HASHER.get_or_init(RandomState::new);
        let forwarded = caller.forwarded.as_ref().map(|forwarded| forwarded.headers().clone());
        let headers = forwarded.unwrap_or_default();
        // Headers have no order.
        let of_headers = headers.iter().fold(0, |all, header| all ^ hasher.hash_one(header));
        let values = serde_json::to_vec(&variables.values).unwrap_or_default();
        let claims = caller.session.claims.as_deref();
        let claims = claims.and_then(|claims| serde_json::to_vec(claims.all()).ok());
        let hash = hasher.hash_one((Arc::as_ptr(prepared), of_headers, values, claims));
        Self {
            prepared: Arc::clone(prepared),
            variables: variables.clone(),
            session: caller.session.clone(),
            headers,
            hash,
        }
    }
}

impl PartialEq for ResponseKey {
    fn eq(&self, other: &Self) -> bool {
        let Self { prepared, variables, session, headers, hash } = self;
        *hash == other.hash
            && Arc::ptr_eq(prepared, &other.prepared)
            && variables.values == other.variables.values
            && session.settings == other.session.settings
            && session.claims == other.session.claims
            && *headers == other.headers
    }
}

impl Eq for ResponseKey {}

impl Hash for ResponseKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Variables and sessions must not reach a log.
impl std::fmt::Debug for ResponseKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResponseKey").field("hash", &self.hash).finish_non_exhaustive()
    }
}
