//! Subscriptions of the server itself, whose responses webhooks receive: their definition.

use std::fmt;
use std::sync::Arc;

/// A subscription, and the webhook that receives its responses.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSubscription {
    pub name: Box<str>,
    /// The document, which has one operation without variables.
    pub query: Arc<str>,
    pub url: String,
    /// Names and values of headers.
    pub headers: Vec<(String, String)>,
}

/// Addresses and headers may be secrets.
impl fmt::Debug for WebhookSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookSubscription").field("name", &self.name).finish_non_exhaustive()
    }
}
