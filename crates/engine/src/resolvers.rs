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
//! * `map_error`: errors of other servers as clients see them
//!
//! `worker::resolve` executes them.

pub(crate) mod batch;
pub(crate) mod map_error;
mod open;
mod plan;

use std::sync::Arc;

use clients::egress::{Client, Egress, EgressSettings};

use crate::headers::ReadHeaders;

pub use open::ResolverError;
pub(crate) use plan::ResolvedPlan;

/// Options of requests to other servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolverOptions {
    pub egress: EgressSettings,
    /// Maximum number of requests for one operation.
    pub most_calls: usize,
}

impl Default for ResolverOptions {
    fn default() -> Self {
        Self { egress: EgressSettings::default(), most_calls: 1_000 }
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
}

impl Resolvers {
    /// A client for one thread.
    pub(crate) fn client(&self) -> Client {
        Client::new(&self.egress)
    }
}
