//! Event-driven subgraphs: root fields that are events of a broker, by the directives of WunderGraph's
//! Cosmo: <https://cosmo-docs.wundergraph.com/federation/event-driven-federated-subscriptions>.
//!
//! Such a subgraph has no server. An event has the keys of an entity, and the plan fetches its other
//! fields from other subgraphs. This module does no IO.
//!
//! * `read`: the directives of a schema
//! * [`template`]: topics with arguments in them
//! * [`filter`]: conditions on events
//! * [`call`]: the topics of a request, and the response made of an event

pub mod call;
pub mod filter;
mod read;
pub mod template;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use graphql::schema::FieldId;
use rustc_hash::FxHashMap;

pub use call::{Call, EventFetch};
use filter::Filter;
pub use read::{EventProblem, read};
use template::Template;
pub use template::TopicError;

/// A subgraph whose root fields are events of brokers.
#[derive(Debug, Default)]
pub struct EventSubgraph {
    fields: FxHashMap<FieldId, EventField>,
}

/// A root field with its event directive.
#[derive(Clone, Debug, PartialEq)]
pub struct EventField {
    pub provider: Provider,
    pub action: Action,
    pub filter: Option<Filter>,
}

/// A broker, by its kind and its id (`providerId`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Provider {
    pub kind: ProviderKind,
    pub id: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProviderKind {
    Nats,
    Redis,
}

/// The meaning of a root field.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A query: the reply to a request of NATS.
    Request(Template),
    /// A mutation: publishes its arguments.
    Publish(Template),
    /// A subscription to topics.
    Subscribe { topics: Vec<Template>, consumer: Option<Consumer> },
}

/// A durable consumer of a stream of NATS JetStream (`edfs__NatsStreamConfiguration`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumer {
    pub stream: Arc<str>,
    pub name: Arc<str>,
    /// Seconds without subscriptions after which it is deleted; 0 for never.
    pub inactive_threshold: u32,
}

impl EventSubgraph {
    /// Returns the brokers of all fields, sorted.
    #[must_use]
    pub fn providers(&self) -> Vec<&Provider> {
        let mut providers: Vec<_> = self.fields.values().map(|field| &field.provider).collect();
        providers.sort_unstable();
        providers.dedup();
        providers
    }

    /// Returns a root field.
    #[must_use]
    pub fn find_field(&self, field: FieldId) -> Option<&EventField> {
        self.fields.get(&field)
    }
}

impl ProviderKind {
    /// Its key in a configuration file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nats => "nats",
            Self::Redis => "redis",
        }
    }
}
