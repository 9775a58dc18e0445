//! A running subscription.

use napi::bindgen_prelude::Buffer;
use napi_derive::napi;
use thalweg::Responses;
use tokio::sync::{Mutex, Notify};

/// The responses of a subscription.
#[napi]
pub struct Subscription {
    responses: Mutex<Option<Responses>>,
    ended: Notify,
}

impl Subscription {
    pub(crate) fn new(responses: Responses) -> Self {
        Self { responses: Mutex::new(Some(responses)), ended: Notify::new() }
    }
}

#[napi]
impl Subscription {
    /// Waits for the next response; null at the end.
    #[napi]
    pub async fn next(&self) -> Option<Buffer> {
        let mut responses = self.responses.lock().await;
        let running = responses.as_mut()?;
        let next = tokio::select! {
            biased;
            () = self.ended.notified() => None,
            next = running.next() => next,
        };
        if next.is_none() {
            *responses = None;
        }
        next.map(|response| Vec::from(response).into())
    }

    /// Ends the subscription. A call of `next()` that waits returns null.
    #[napi]
    pub fn end(&self) {
        match self.responses.try_lock() {
            Ok(mut responses) => *responses = None,
            Err(_) => self.ended.notify_one(),
        }
    }
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}
