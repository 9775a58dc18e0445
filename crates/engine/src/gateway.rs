//! Federation gateway: one API over several subgraphs; the pipeline of a request.
//!
//! | stage | function | made |
//! |---|---|---|
//! | parse, validate | `Gateway::document` | once a document |
//! | coerce | `graphql::coerce_variable_values` | each request |
//! | authorize | `Gateway::plan_key` | each request |
//! | outline, plan, compile | `Gateway::plan` | once a document, variable structure, override
//! labels and denied requirements |
//! | execute, write | `gateway::execute` | each request |
//! | respond | [`crate::respond`] | each request |
//!
//! * `authorization`: authorization of clients
//! * [`labels`]: progressive override: labels that move fields to another subgraph for some
//!   requests
//! * [`worker`]: state of one serving thread
//! * `long_queries`: queries with long responses, on separate threads
//! * `caller`: parts of a request that its client chooses
//! * `transport`: requests to subgraphs; `local`: subgraphs in this process; [`compatibility`]:
//!   comparison of these with the supergraph; [`events`]: subgraphs of events of brokers;
//!   [`connectors`]: subgraphs of REST services
//! * [`response_cache`]: cache of subgraph responses
//! * `subscription`: the responses of a subscription, for each event of its source stream;
//!   `shared_execution`: executions that equal subscriptions share; `event_memory`: the memory of
//!   queued events
//! * `incremental`: responses in several payloads, for deferred fragments
//! * [`map_error`]: errors of subgraphs as clients see them
//! * [`explain`]: plans as text
//! * [`description`]: the subgraphs with their types and fields, for people

mod authorization;
mod caller;
pub mod compatibility;
pub mod connectors;
pub mod description;
mod event_memory;
pub mod events;
pub mod explain;
mod incremental;
mod labels;
mod local;
mod long_queries;
pub mod map_error;
mod prepare;
mod respond;
pub mod response_cache;
mod shared_execution;
mod subscription;
mod transport;
pub mod worker;

use std::sync::Arc;
use std::time::Duration;

use clients::byte_cache::ByteCache;
use clients::subgraph::{
    RunningSubscriptions, Settings, Shared, SubscriptionCounts, SubscriptionSettings,
};
use gateway::connectors::ConnectorSchema;
use gateway::planner;
use graphql::schema::Schema;
use graphql::{GraphQLError, Validator};
use http::HeaderName;
use source::Statistics;
use supergraph::{Subgraph, Supergraph};
use tokio::sync::Semaphore;

pub use crate::caller::Caller;
use crate::documents::{Cached, DocumentCache};
use crate::engine::Engine;
pub use crate::headers;
use crate::limits::Limits;
pub use crate::payloads::Payloads;
pub use ::gateway::execute::IncrementalFormat;
pub use authorization::{AuthorizationOptions, Unauthorized};
pub use connectors::Connectors;
pub use events::Events;
use headers::ReadHeaders;
use labels::Labels;
pub use map_error::SubgraphErrors;
pub use prepare::Prepared;
pub use response_cache::CachePolicy;
pub use subscription::{GatewaySubscription, SubgraphDriver};
pub use worker::GatewayWorker;

/// Options of a gateway.
#[derive(Clone, Debug, Default)]
pub struct GatewayOptions {
    pub limits: Limits,
    /// Limits for planning one operation.
    pub planning: planner::Limits,
    pub execution: gateway::execute::Options,
    pub errors: SubgraphErrors,
    /// Override labels that are active for every request.
    pub labels: Vec<Box<str>>,
    /// Header in which clients send further active labels.
    pub label_header: Option<HeaderName>,
    /// Claim that contains further active labels.
    pub label_claim: Option<Box<str>>,
    /// Whether clients may request the query plan in the response extensions.
    pub expose_plan: bool,
    pub authorization: AuthorizationOptions,
    /// The cache of subgraph responses.
    pub cache: Option<Arc<ByteCache>>,
}

/// A federation gateway, shared by all threads.
#[derive(Debug)]
pub struct Gateway {
    supergraph: Supergraph,
    validator: Validator,
    documents: DocumentCache<Prepared>,
    /// By [`supergraph::SubgraphId`]; parts of a subgraph have none of their own.
    transports: Vec<SubgraphTransport>,
    labels: Labels,
    /// Client headers that are read.
    read_headers: ReadHeaders,
    options: GatewayOptions,
    /// Slots of events that are executed at the same time.
    event_slots: Semaphore,
    /// Validator of the composed schema; `None` without subgraphs of events.
    event_validator: Option<Validator>,
    /// `None` without connectors.
    connector_schema: Option<ConnectorSchema>,
}

/// Transport of requests to a subgraph.
#[derive(Clone, Debug)]
pub enum SubgraphTransport {
    /// Over HTTP.
    Remote(Remote),
    /// In this process.
    Local(Local),
    /// Events of brokers.
    Events(Events),
    /// REST requests.
    Connectors(Connectors),
}

/// A subgraph over HTTP.
#[derive(Clone, Debug)]
pub struct Remote {
    pub settings: Arc<Settings>,
    pub subscriptions: Arc<SubscriptionSettings>,
    /// State shared by all threads.
    pub shared: Arc<Shared>,
    pub running: Arc<RunningSubscriptions>,
    /// Rules for its request headers.
    pub rules: headers::Rules,
    /// `None` if its responses are not kept.
    pub cache: Option<CachePolicy>,
    /// The text of its endpoint.
    pub address: Arc<str>,
}

/// A source in this process, whose API is a subgraph.
#[derive(Clone, Debug)]
pub struct Local {
    pub engine: Arc<Engine>,
    /// Timeout of a request.
    pub timeout: Duration,
    /// Statistics of the connections of all threads to it.
    pub connections: Arc<Statistics>,
    /// State shared by all threads.
    pub shared: Arc<Shared>,
}

impl SubgraphTransport {
    /// Returns the HTTP transport.
    #[must_use]
    pub fn remote(&self) -> Option<&Remote> {
        match self {
            Self::Remote(remote) => Some(remote),
            Self::Local(_) | Self::Events(_) | Self::Connectors(_) => None,
        }
    }

    /// Counters of running subscriptions; `None` for a source in this process.
    #[must_use]
    pub fn subscriptions(&self) -> Option<SubscriptionCounts> {
        match self {
            Self::Remote(remote) => Some(remote.running.counts()),
            Self::Events(events) => Some(events.subscriptions()),
            Self::Local(_) | Self::Connectors(_) => None,
        }
    }

    /// Returns the state shared by all threads.
    #[must_use]
    pub fn shared(&self) -> &Arc<Shared> {
        match self {
            Self::Remote(remote) => &remote.shared,
            Self::Local(local) => &local.shared,
            Self::Events(events) => &events.shared,
            Self::Connectors(connectors) => &connectors.shared,
        }
    }

    /// Returns the transport in this process.
    #[must_use]
    pub fn local(&self) -> Option<&Local> {
        match self {
            Self::Local(local) => Some(local),
            Self::Remote(_) | Self::Events(_) | Self::Connectors(_) => None,
        }
    }

    /// Returns the transport of connectors.
    #[must_use]
    pub fn connectors(&self) -> Option<&Connectors> {
        match self {
            Self::Connectors(connectors) => Some(connectors),
            Self::Remote(_) | Self::Local(_) | Self::Events(_) => None,
        }
    }

    /// Returns the transport of events.
    #[must_use]
    pub fn events(&self) -> Option<&Events> {
        match self {
            Self::Events(events) => Some(events),
            Self::Remote(_) | Self::Local(_) | Self::Connectors(_) => None,
        }
    }
}

impl Gateway {
    /// Creates the gateway of a supergraph, with a transport for each subgraph of the document, in their
    /// order.
    #[must_use]
    pub fn new(
        mut supergraph: Supergraph,
        transports: Vec<SubgraphTransport>,
        options: GatewayOptions,
    ) -> Arc<Self> {
        supergraph.api.schema.suggests_names = options.limits.introspection;
        let validator = Validator::new(&supergraph.api.schema);
        let labels = Labels::new(&supergraph, &options.labels);
        let documents = DocumentCache::new();
        let mut read_headers = ReadHeaders::of(
            transports.iter().filter_map(SubgraphTransport::remote).map(|remote| &remote.rules),
        );
        if let Some(header) = &options.label_header {
            read_headers.add(header.clone());
        }
        if options.expose_plan {
            read_headers.add(headers::PLAN);
        }
        for connectors in transports.iter().filter_map(SubgraphTransport::connectors) {
            connectors.read_headers().into_iter().for_each(|name| read_headers.add(name));
        }
        let connector_schema = ConnectorSchema::new(&supergraph);
        let has_events = transports.iter().any(|transport| transport.events().is_some());
        let event_validator = has_events.then(|| Validator::new(&supergraph.schema));
        Arc::new(Self {
            supergraph,
            validator,
            documents,
            transports,
            labels,
            read_headers,
            options,
            event_slots: Semaphore::new(subscription::MOST_AT_ONCE),
            event_validator,
            connector_schema,
        })
    }

    /// API schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.supergraph.api.schema
    }

    /// Limits for one request.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// The cache of subgraph responses.
    #[must_use]
    pub fn response_cache(&self) -> Option<&ByteCache> {
        self.options.cache.as_deref()
    }

    /// Statistics of the document cache.
    #[must_use]
    pub fn cached(&self) -> Cached {
        self.documents.cached()
    }

    /// Client headers that requests to subgraphs depend on.
    #[must_use]
    pub fn read_headers(&self) -> &ReadHeaders {
        &self.read_headers
    }

    /// Validates a document.
    pub fn check_document(&self, text: &str) -> Result<(), Vec<GraphQLError>> {
        self.validator.check(self.schema(), text, &self.options.limits.document)
    }

    /// Returns the subgraphs with their transports.
    pub fn subgraphs(&self) -> impl Iterator<Item = (&Subgraph, &SubgraphTransport)> {
        self.supergraph.services().zip(&self.transports)
    }
}
