//! One API over several subgraphs: the road of a request of a supergraph.
//!
//! | stage | function | made |
//! |---|---|---|
//! | parse, validate | `Gateway::document` | once a document |
//! | coerce | `graphql::coerce_variable_values` | each request |
//! | authorize | `Gateway::made_for` | each request |
//! | outline, plan, compile | `Gateway::plan` | once a document, variable structure, labels and what is not allowed |
//! | execute, write | `gateway::execute` | each request |
//! | respond | [`crate::respond`] | each request |
//!
//! * `guards`: who may read what
//! * [`labels`]: which fields are moved to another subgraph for which requests
//! * [`worker`]: what one thread needs to answer
//! * `apart`: long requests on threads of their own
//! * `caller`: who asks
//! * [`headers`]: which headers subgraphs are sent
//! * `local`: subgraphs in this process; [`offered`]: whether they are what the supergraph says
//! * [`tell`]: what clients are told of what went wrong at subgraphs
//! * [`explain`]: plans as text

mod apart;
mod ask;
mod caller;
pub mod explain;
mod guards;
pub mod headers;
mod labels;
mod local;
pub mod offered;
mod prepare;
mod respond;
pub mod tell;
pub mod worker;

use std::sync::Arc;
use std::time::Duration;

use clients::subgraph::{Settings, Shared};
use gateway::planner;
use gateway::supergraph::{Subgraph, Supergraph};
use graphql::schema::Schema;
use graphql::{GraphQLError, Validator};
use http::HeaderName;
use source::Statistics;

use crate::documents::{Cached, DocumentCache};
use crate::engine::{Engine, Limits};
pub use caller::Caller;
pub use guards::{Guards, Unauthorized};
use headers::Wanted;
use labels::Labels;
pub use prepare::Prepared;
pub use tell::SubgraphErrors;
pub use worker::GatewayWorker;

/// How a supergraph is served.
#[derive(Clone, Debug, Default)]
pub struct GatewayOptions {
    pub limits: Limits,
    /// What planning one operation may take.
    pub planning: planner::Limits,
    pub execution: gateway::execute::Options,
    pub errors: SubgraphErrors,
    /// The labels of `@override` that are on for every request.
    pub labels: Vec<Box<str>>,
    /// The header in which clients name further ones.
    pub label_header: Option<HeaderName>,
    /// The claim that names further ones.
    pub label_claim: Option<Box<str>>,
    /// Whether clients that ask for it are told how their request was planned.
    pub expose_plan: bool,
    pub guards: Guards,
}

/// One API over several subgraphs, shared by all threads.
#[derive(Debug)]
pub struct Gateway {
    supergraph: Supergraph,
    validator: Validator,
    documents: DocumentCache<Prepared>,
    /// By [`gateway::supergraph::SubgraphId`].
    ways: Vec<Way>,
    labels: Labels,
    /// What of a client's head is looked at.
    wanted: Wanted,
    options: GatewayOptions,
}

/// How a subgraph is asked.
#[derive(Clone, Debug)]
pub enum Way {
    /// Over HTTP.
    Remote(Remote),
    /// In this process.
    Local(Local),
}

/// A subgraph that is asked over HTTP.
#[derive(Clone, Debug)]
pub struct Remote {
    pub settings: Arc<Settings>,
    /// What all threads know of it together.
    pub shared: Arc<Shared>,
    /// Which headers it is sent.
    pub rules: headers::Rules,
}

/// A source in this process, whose API is a subgraph.
#[derive(Clone, Debug)]
pub struct Local {
    pub engine: Arc<Engine>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// What the connections of all threads to it do.
    pub connections: Arc<Statistics>,
    /// What all threads know of it together.
    pub shared: Arc<Shared>,
}

impl Way {
    /// What is known of a subgraph that is asked over HTTP.
    #[must_use]
    pub fn remote(&self) -> Option<&Remote> {
        match self {
            Self::Remote(remote) => Some(remote),
            Self::Local(_) => None,
        }
    }

    /// What all threads know of the subgraph together.
    #[must_use]
    pub fn shared(&self) -> &Arc<Shared> {
        match self {
            Self::Remote(remote) => &remote.shared,
            Self::Local(local) => &local.shared,
        }
    }

    /// What is known of a source in this process.
    #[must_use]
    pub fn local(&self) -> Option<&Local> {
        match self {
            Self::Local(local) => Some(local),
            Self::Remote(_) => None,
        }
    }
}

impl Gateway {
    /// An API of a supergraph, whose subgraphs are asked in these ways, one for each in their order.
    #[must_use]
    pub fn new(mut supergraph: Supergraph, ways: Vec<Way>, options: GatewayOptions) -> Arc<Self> {
        supergraph.api.schema.suggests_names = options.limits.introspection;
        let validator = Validator::new(&supergraph.api.schema);
        let labels = Labels::new(&supergraph, &options.labels);
        let documents = DocumentCache::new();
        let mut wanted =
            Wanted::of(ways.iter().filter_map(Way::remote).map(|remote| &remote.rules));
        if let Some(header) = &options.label_header {
            wanted.add(header.clone());
        }
        if options.expose_plan {
            wanted.add(headers::PLAN);
        }
        Arc::new(Self { supergraph, validator, documents, ways, labels, wanted, options })
    }

    /// The schema of the API.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.supergraph.api.schema
    }

    /// What one request may ask for at most.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// What the cache of documents holds.
    #[must_use]
    pub fn cached(&self) -> Cached {
        self.documents.cached()
    }

    /// What of a client's head the requests to subgraphs depend on.
    #[must_use]
    pub fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// What is wrong with a document, if something is.
    pub fn check_document(&self, text: &str) -> Result<(), Vec<GraphQLError>> {
        self.validator.check(self.schema(), text, &self.options.limits.document)
    }

    /// The subgraphs, with how they are asked.
    pub fn subgraphs(&self) -> impl Iterator<Item = (&Subgraph, &Way)> {
        self.supergraph.subgraphs.iter().zip(&self.ways)
    }
}
