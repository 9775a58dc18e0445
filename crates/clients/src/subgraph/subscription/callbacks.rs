//! Subscriptions of the protocol `callback/1.0` that wait for messages of their subgraphs, over all
//! threads:
//! <https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/callback-protocol>.
//!
//! A message arrives at any thread, and is passed to the task of its subscription. The id and the
//! verifier of a subscription cannot be guessed, and are not used again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::rand;
use bytes::Bytes;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::super::request::SubgraphError;
use super::callback_message::{Action, CallbackMessage};

/// Messages that wait for the task of a subscription.
const QUEUE: usize = 16;

/// Bytes of an id, and of a verifier.
const SECRET: usize = 16;

/// The subscriptions that wait for messages. The lock is held for a look-up only.
#[derive(Debug, Default)]
pub struct Callbacks(Mutex<HashMap<Box<str>, Arc<CallbackSubscription>>>);

/// A subscription that waits for messages.
pub struct CallbackSubscription {
    id: Box<str>,
    verifier: Box<str>,
    most_bytes: u64,
    /// True after the subgraph has sent a valid `check`.
    is_confirmed: AtomicBool,
    messages: Sender<Action>,
}

/// Outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackReply {
    Accepted,
    /// The subscription has ended: the subgraph must not send further messages.
    Ended,
    /// The verifier is wrong.
    Unverified,
    /// The message is not one of the protocol, or of another subscription.
    Invalid,
}

/// A registered subscription with its messages; registered until it is dropped.
#[derive(Debug)]
pub(super) struct Registration {
    callbacks: Arc<Callbacks>,
    subscription: Arc<CallbackSubscription>,
    messages: Receiver<Action>,
}

impl Callbacks {
    /// Finds a subscription by its id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<CallbackSubscription>> {
        self.lock().get(id).cloned()
    }

    /// Registers a subscription with a limit of bytes of each message.
    pub(super) fn register(
        self: &Arc<Self>,
        most_bytes: u64,
    ) -> Result<Registration, SubgraphError> {
        let [id, verifier] = [secret()?, secret()?];
        let (sender, messages) = mpsc::channel(QUEUE);
        let subscription = Arc::new(CallbackSubscription {
            id: uuid(id).into(),
            verifier: hexadecimal(&verifier).into(),
            most_bytes,
            is_confirmed: AtomicBool::new(false),
            messages: sender,
        });
        self.lock().insert(subscription.id.clone(), Arc::clone(&subscription));
        Ok(Registration { callbacks: Arc::clone(self), subscription, messages })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<CallbackSubscription>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallbackSubscription {
    /// Maximum size of a message.
    #[must_use]
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Passes a message on, and waits for room in the queue.
    pub async fn receive(&self, message: &Bytes) -> CallbackReply {
        let Ok(CallbackMessage { id, verifier, action }) = CallbackMessage::parse(message) else {
            return CallbackReply::Invalid;
        };
        if *id != *self.id {
            return CallbackReply::Invalid;
        }
        if verify_slices_are_equal(verifier.as_bytes(), self.verifier.as_bytes()).is_err() {
            return CallbackReply::Unverified;
        }
        if matches!(action, Action::Check) {
            self.is_confirmed.store(true, Ordering::Relaxed);
        }
        match self.messages.send(action).await {
            Ok(()) => CallbackReply::Accepted,
            Err(_) => CallbackReply::Ended,
        }
    }
}

impl Registration {
    pub(super) fn id(&self) -> &str {
        &self.subscription.id
    }

    pub(super) fn verifier(&self) -> &str {
        &self.subscription.verifier
    }

    /// True after the subgraph has sent a valid `check`.
    pub(super) fn is_confirmed(&self) -> bool {
        self.subscription.is_confirmed.load(Ordering::Relaxed)
    }

    /// Waits for the next message. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<Action, SubgraphError> {
        // The subscription keeps a sender.
        self.messages.recv().await.ok_or_else(|| SubgraphError::Closed("it was stopped".into()))
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.callbacks.lock().remove(&self.subscription.id);
    }
}

/// Without the verifier, which must not reach a log.
impl std::fmt::Debug for CallbackSubscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallbackSubscription").field("id", &self.id).finish_non_exhaustive()
    }
}

fn secret() -> Result<[u8; SECRET], SubgraphError> {
    let mut bytes = [0; SECRET];
    // The generator of the system has no faults once the system has started.
    rand::fill(&mut bytes).map_err(|_| SubgraphError::Overloaded)?;
    Ok(bytes)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A random UUID: <https://www.rfc-editor.org/rfc/rfc9562#section-5.4>. Subgraphs may expect this form.
fn uuid(mut bytes: [u8; SECRET]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let groups = [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..]];
    groups.map(hexadecimal).join("-")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(id: &str, verifier: &str, action: &str) -> Bytes {
        let message =
            json!({ "kind": "subscription", "action": action, "id": id, "verifier": verifier });
        message.to_string().into()
    }

    #[tokio::test]
    async fn messages_of_a_registered_subscription_are_passed_on() {
        let callbacks = Arc::new(Callbacks::default());
        let mut registration = callbacks.register(1 << 20).unwrap();
        let (id, verifier) = (registration.id().to_owned(), registration.verifier().to_owned());
        let subscription = callbacks.find(&id).unwrap();
        let receive = |id: &str, verifier: &str, action: &str| {
            let (message, subscription) = (message(id, verifier, action), &subscription);
            async move { subscription.receive(&message).await }
        };
        assert_eq!(receive(&id, "x", "check").await, CallbackReply::Unverified);
        assert_eq!(receive("x", &verifier, "check").await, CallbackReply::Invalid);
        assert_eq!(receive(&id, &verifier, "x").await, CallbackReply::Invalid);
        assert!(!registration.is_confirmed());
        assert_eq!(receive(&id, &verifier, "check").await, CallbackReply::Accepted);
        assert!(registration.is_confirmed());
        assert_eq!(registration.next().await, Ok(Action::Check));
        drop(registration);
        assert!(callbacks.find(&id).is_none());
        assert_eq!(receive(&id, &verifier, "check").await, CallbackReply::Ended);
    }

    #[test]
    fn ids_are_random_uuids() {
        assert_eq!(uuid([0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(uuid([0; 16]), "00000000-0000-4000-8000-000000000000");
        let callbacks = Arc::new(Callbacks::default());
        let [one, other] = [(); 2].map(|()| callbacks.register(1).unwrap());
        assert_ne!(one.id(), other.id());
        assert_ne!(one.verifier(), other.verifier());
        assert_eq!(one.verifier().len(), 32);
        assert!(!format!("{one:?}").contains(one.verifier()));
    }
}
