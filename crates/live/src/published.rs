//! Events with the responses of equal subscriptions to them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::AHashMap;
use bytes::Bytes;
use tokio::sync::OnceCell;

use crate::cohort::CohortKey;

/// Most bytes of responses of equal subscriptions that an entry of a queue keeps while it waits for some
/// listener.
const KEPT: usize = 16 << 10;

/// An event, with the responses of equal subscriptions to it.
#[derive(Debug)]
pub struct Published<E> {
    pub event: E,
    responses: Mutex<AHashMap<CohortKey, Arc<OnceCell<Bytes>>>>,
    /// Most bytes of a response that is kept.
    kept: usize,
}

impl<E> Published<E> {
    /// An event of an entry of a queue with several.
    pub(crate) fn new(event: E, events_of_entry: usize) -> Self {
        Self { event, responses: Mutex::default(), kept: KEPT / events_of_entry.max(1) }
    }

    /// The response of equal subscriptions: that of the first of them that is executed. A large one is
    /// not kept for those that read later. Without a key it is shared with no other subscription.
    pub async fn response(
        &self,
        key: Option<&CohortKey>,
        execution: impl Future<Output = Bytes>,
    ) -> Bytes {
        let Some(key) = key else { return execution.await };
        let cell = Arc::clone(self.responses().entry(key.clone()).or_default());
        // If the subscriber that executes it leaves, another one does.
        let response = cell.get_or_init(|| execution).await.clone();
        if response.len() > self.kept {
            self.responses().remove(key);
        }
        response
    }

    fn responses(&self) -> MutexGuard<'_, AHashMap<CohortKey, Arc<OnceCell<Bytes>>>> {
        self.responses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E: PartialEq> PartialEq for Published<E> {
    fn eq(&self, other: &Self) -> bool {
        self.event == other.event
    }
}

impl<E: Eq> Eq for Published<E> {}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use serde_json_bytes::Map;
    use source::Session;

    use super::*;

    #[tokio::test]
    async fn equal_subscriptions_have_one_response_to_an_event() {
        let published = Published::new(1, 1);
        let session = Session::default();
        let keys =
            ["{a}", "{b}"].map(|document| CohortKey::new(document, None, &Map::new(), &session));
        let [first, other] = &keys;
        let executed = AtomicU64::new(0);
        let execute = |length: usize| {
            let executed = &executed;
            async move {
                executed.fetch_add(1, Ordering::Relaxed);
                Bytes::from(vec![b'x'; length])
            }
        };
        for key in [first, first, other, first] {
            published.response(Some(key), execute(1)).await;
        }
        assert_eq!(executed.load(Ordering::Relaxed), 2);
        // A large response is not kept, and one without a key is not shared.
        let published = Published::new(2, 2);
        for _ in 0..2 {
            published.response(Some(first), execute(KEPT / 2 + 1)).await;
            published.response(None, execute(1)).await;
        }
        assert_eq!(executed.load(Ordering::Relaxed), 6);
    }
}
