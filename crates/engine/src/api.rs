//! What is served: an API over one source, or over several subgraphs.

use std::sync::Arc;
use std::time::Duration;

use graphql::schema::Schema;
use graphql::{GraphQLError, Request};
use response::MemoryBudget;
use source::statistics::Counter;
use source::{Session, SourceError};

use crate::documents::Cached;
use crate::engine::{Engine, Limits};
use crate::explain::Explained;
use crate::gateway::headers::ReadHeaders;
use crate::gateway::{Caller, Gateway, GatewayWorker};
use crate::report::Report;
use crate::respond::Response;
use crate::worker::{Allowed, Delivery, Worker};

/// One API, shared by all threads.
#[derive(Clone, Debug)]
pub enum Api {
    Source(Arc<Engine>),
    Gateway(Arc<Gateway>),
}

/// Answers requests of an API on one thread.
#[derive(Debug)]
pub enum ApiWorker {
    Source(Box<Worker>),
    Gateway(Box<GatewayWorker>),
}

impl Api {
    /// Whether it is the very same, and not one that is alike.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Source(one), Self::Source(other)) => Arc::ptr_eq(one, other),
            (Self::Gateway(one), Self::Gateway(other)) => Arc::ptr_eq(one, other),
            (Self::Source(_), Self::Gateway(_)) | (Self::Gateway(_), Self::Source(_)) => false,
        }
    }

    /// Leaves the sources in order, when no request comes any more. Each takes no longer than so.
    pub fn close(&self, patience: Duration) {
        match self {
            Self::Source(engine) => engine.close(patience),
            Self::Gateway(gateway) => {
                let locals = gateway.subgraphs().filter_map(|(_, way)| way.local());
                locals.for_each(|local| local.engine.close(patience));
            }
        }
    }

    /// Whether policies decide what is let to whom.
    #[must_use]
    pub fn has_policies(&self) -> bool {
        match self {
            Self::Source(engine) => engine.has_policies(),
            Self::Gateway(_) => false,
        }
    }

    #[must_use]
    pub fn schema(&self) -> &Schema {
        match self {
            Self::Source(engine) => engine.schema(),
            Self::Gateway(gateway) => gateway.schema(),
        }
    }

    /// What one request may ask for at most.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        match self {
            Self::Source(engine) => engine.limits(),
            Self::Gateway(gateway) => gateway.limits(),
        }
    }

    /// What the cache of documents holds.
    #[must_use]
    pub fn cached(&self) -> Cached {
        match self {
            Self::Source(engine) => engine.cached(),
            Self::Gateway(gateway) => gateway.cached(),
        }
    }

    /// What is wrong with a document, if something is.
    pub fn check_document(&self, text: &str) -> Result<(), Vec<GraphQLError>> {
        match self {
            Self::Source(engine) => engine.check_document(text),
            Self::Gateway(gateway) => gateway.check_document(text),
        }
    }

    /// A worker whose answers take their memory from what all of them may take together, and whose
    /// requests are waited for no longer than `time_limit`.
    #[must_use]
    pub fn worker(
        &self,
        memory: Arc<MemoryBudget>,
        counter: Counter,
        time_limit: Duration,
    ) -> ApiWorker {
        match self {
            Self::Source(engine) => {
                let worker = Worker::sharing(Arc::clone(engine), memory);
                ApiWorker::Source(Box::new(worker.counted(counter).within(time_limit)))
            }
            Self::Gateway(gateway) => {
                let worker = GatewayWorker::sharing(Arc::clone(gateway), memory);
                ApiWorker::Gateway(Box::new(worker.within(time_limit)))
            }
        }
    }

    /// A worker that is only asked whether the API can be served.
    #[must_use]
    pub fn probing(&self) -> ApiWorker {
        match self {
            Self::Source(engine) => ApiWorker::Source(Box::new(Worker::new(Arc::clone(engine)))),
            Self::Gateway(gateway) => {
                let worker =
                    GatewayWorker::sharing(Arc::clone(gateway), MemoryBudget::new(u64::MAX));
                ApiWorker::Gateway(Box::new(worker))
            }
        }
    }
}

impl ApiWorker {
    /// What of a client's head the answer depends on; none where there are no subgraphs to tell.
    #[must_use]
    pub fn read_headers(&self) -> Option<&ReadHeaders> {
        match self {
            Self::Source(_) => None,
            Self::Gateway(worker) => Some(worker.gateway().read_headers()),
        }
    }

    /// Whether routers may be told which fields they asked for: it is a subgraph.
    #[must_use]
    pub fn is_of_subgraph(&self) -> bool {
        match self {
            Self::Source(worker) => worker.engine().subgraph_sdl().is_some(),
            Self::Gateway(_) => false,
        }
    }

    #[must_use]
    pub fn schema(&self) -> &Schema {
        match self {
            Self::Source(worker) => worker.engine().schema(),
            Self::Gateway(worker) => worker.gateway().schema(),
        }
    }

    /// What one request may ask for at most.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        match self {
            Self::Source(worker) => worker.engine().limits(),
            Self::Gateway(worker) => worker.gateway().limits(),
        }
    }

    /// Lets connections go that nobody needed for a while; to be called now and then.
    pub fn close_old_connections(&self) {
        match self {
            Self::Source(worker) => worker.close_old_connections(),
            Self::Gateway(worker) => worker.close_old_connections(),
        }
    }

    /// Whether requests can be answered now. A gateway answers whatever some of its subgraphs do.
    pub async fn probe(&self) -> Result<(), SourceError> {
        match self {
            Self::Source(worker) => worker.probe().await,
            Self::Gateway(_) => Ok(()),
        }
    }

    /// Answers one request of whoever asks and tells what happened to it.
    pub async fn deliver_reported(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        delivery: Delivery,
        report: &mut Report,
    ) -> Response {
        match self {
            Self::Source(worker) => {
                let session = &caller.session;
                worker.deliver_reported(request, session, allowed, delivery, report).await
            }
            Self::Gateway(worker) => {
                worker.deliver_reported(request, caller, allowed, report).await
            }
        }
    }

    /// Whether requests of one caller that are executed together ask for no more than one may.
    pub fn check_batch(&self, requests: &[Request], caller: &Caller) -> Result<(), GraphQLError> {
        match self {
            Self::Source(worker) => worker.check_batch(requests, &caller.session),
            Self::Gateway(worker) => worker.gateway().check_batch(requests, caller),
        }
    }

    /// Whether there is nothing to ask for: the source has nothing yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Source(worker) => worker.engine().is_empty(),
            Self::Gateway(_) => false,
        }
    }

    /// What becomes of a request before it runs.
    pub fn prepare_for(
        &self,
        request: &Request,
        caller: &Caller,
        report: &mut Report,
    ) -> Result<Explained, Vec<GraphQLError>> {
        match self {
            Self::Source(worker) => worker.prepare_for(request, &caller.session, report),
            Self::Gateway(worker) => worker.prepare_reported(request, caller, report),
        }
    }

    /// The database's own plans of the statements, where there is one, with no figure that tells
    /// whoever asks of rows that they may not see.
    pub async fn plans(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<Vec<String>, Vec<GraphQLError>> {
        match self {
            Self::Source(worker) => {
                worker.plans(request, session, worker.figures_for(session)?).await
            }
            Self::Gateway(_) => Ok(Vec::new()),
        }
    }
}
