//! Fields whose values other servers give, over HTTP.
//!
//! There were two ways to execute them. A federated plan, in which this source and each server are
//! subgraphs, would give its requests the form of representations, which REST APIs do not have, and
//! would send the whole answer through the gateway's arena. Instead, the source writes its answer
//! with placeholders, and these are replaced in the finished bytes, for operations that select such
//! fields only.
//!
//! * `plan`: the selections of a prepared operation
//! * `open`: checks when the API is made: allowed hosts, schemas of GraphQL servers
//! * `batch`: the requests for the placeholders of an answer, each once
//! * `action`: answers of actions, and their errors
//! * [`statistics`]: figures of requests
//! * `session_variables`: what the webhooks of actions know of a client
//! * `map_error`: errors of other servers as clients see them
//!
//! `worker::resolve` executes them.

pub(crate) mod action;
pub(crate) mod batch;
pub(crate) mod map_error;
mod open;
mod plan;
pub(crate) mod session_variables;
pub mod statistics;

use std::sync::Arc;

use clients::egress::{Client, Counts, Egress, EgressSettings};
use http_resolvers::HttpResolver;

use crate::headers::ReadHeaders;

pub use open::ResolverError;
pub(crate) use plan::ResolvedPlan;
use statistics::{FieldStatistics, ResolverStatistics};

/// Options of requests to other servers.
#[derive(Clone, Debug)]
pub struct ResolverOptions {
    pub egress: EgressSettings,
    /// Maximum number of requests for one operation.
    pub most_calls: usize,
    /// Counters of the requests, which continue those of an API before.
    pub statistics: ResolverStatistics,
}

impl Default for ResolverOptions {
    fn default() -> Self {
        Self {
            egress: EgressSettings::default(),
            most_calls: 1_000,
            statistics: ResolverStatistics::default(),
        }
    }
}

/// State of the fields, shared by all threads.
#[derive(Debug)]
pub(crate) struct Resolvers {
    egress: Arc<Egress>,
    pub(crate) most_calls: usize,
    /// Maximum number of requests of one operation at the same time.
    pub(crate) most_concurrent: usize,
    /// Headers of clients that are forwarded.
    pub(crate) read_headers: ReadHeaders,
    /// The resolvers with their counters.
    counts: Vec<(Arc<HttpResolver>, Arc<Counts>)>,
}

impl Resolvers {
    /// A client for one thread.
    pub(crate) fn client(&self) -> Client {
        Client::new(&self.egress)
    }

    /// The counters of a resolver of the API.
    pub(crate) fn counts(&self, resolver: &Arc<HttpResolver>) -> Option<&Counts> {
        let own = self.counts.iter().find(|(known, _)| Arc::ptr_eq(known, resolver));
        own.map(|(_, counts)| &**counts)
    }

    /// The figures of each field and host.
    pub(crate) fn statistics(&self) -> Vec<FieldStatistics> {
        let mut all: Vec<FieldStatistics> = Vec::with_capacity(self.counts.len());
        for (resolver, counts) in &self.counts {
            let (field, host) = (resolver.name(), resolver.url.host());
            // Types that have a field of an interface share its counters.
            if !all.iter().any(|known| known.field == field && *known.host == *host) {
                all.push(FieldStatistics { field, host: host.into(), statistics: counts.read() });
            }
        }
        all
    }
}
