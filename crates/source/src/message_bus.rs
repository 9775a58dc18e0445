//! A broker over which servers send each other messages.

use std::fmt;
use std::pin::Pin;

use bytes::Bytes;

use crate::SourceError;

/// A boxed future: a broker is chosen when the server starts.
pub type BusFuture<'f, T> = Pin<Box<dyn Future<Output = Result<T, SourceError>> + Send + 'f>>;

/// A broker of messages.
pub trait MessageBus: fmt::Debug + Send + Sync {
    /// Publishes a message to the subscriptions of a topic.
    fn publish(&self, topic: String, message: Bytes) -> BusFuture<'_, ()>;

    /// Subscribes to a topic. The first messages may be missing.
    fn subscribe(&self, topic: String) -> BusFuture<'_, Box<dyn BusMessages>>;
}

/// The messages of a topic.
pub trait BusMessages: fmt::Debug + Send {
    /// Waits for the next message; the error is a lost connection. Cancel safe.
    fn next(&mut self) -> BusFuture<'_, Bytes>;
}
