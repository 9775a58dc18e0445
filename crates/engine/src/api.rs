//! A served API: over one source, or over several subgraphs.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use dialects::ErrorForm;
use graphql::operation::OperationKind;
use graphql::schema::Schema;
use graphql::{GraphQLError, Request, View};
use response::MemoryBudget;
use source::statistics::Counter;
use source::{Session, SourceError};

use crate::answer_cache::CacheFeed;
use crate::caller::Caller;
use crate::documents::{Cached, Document};
use crate::engine::Engine;
use crate::explain::Explained;
use crate::gateway::{
    Gateway, GatewaySubscription, GatewayWorker, IncrementalFormat, SubgraphDriver,
};
use crate::headers::ReadHeaders;
use crate::limits::Limits;
use crate::live::{Begun, Driver, Responses};
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
    Gateway(Rc<GatewayWorker>),
}

/// A subscription that has begun.
#[derive(Debug)]
pub struct ApiBegun {
    pub responses: ApiResponses,
    /// The work for it that a task has to do, by [`ApiWorker::drive`]; `None` if another task does it
    /// already.
    pub driver: Option<ApiDriver>,
}

/// The responses of a subscription.
#[derive(Debug)]
pub enum ApiResponses {
    Source(Responses),
    Gateway(Box<GatewaySubscription>),
}

/// The work of a subscription.
#[derive(Debug)]
pub enum ApiDriver {
    Source(Driver),
    Subgraph(SubgraphDriver),
}

impl ApiResponses {
    /// Waits for the next response; `None`: the subscription has ended. Cancel safe.
    pub async fn next(&mut self) -> Option<Bytes> {
        match self {
            Self::Source(responses) => responses.next().await,
            Self::Gateway(subscription) => subscription.next().await,
        }
    }

    /// Whether the first response in another generation may equal the last one, since it is that of a
    /// live query. Events may be equal as well, and are all sent.
    #[must_use]
    pub fn are_states(&self) -> bool {
        match self {
            Self::Source(Responses::Live(_)) => true,
            Self::Source(Responses::Events(_) | Responses::Rows(_)) => false,
            Self::Gateway(subscription) => subscription.is_live(),
        }
    }
}

impl Api {
    /// Whether both are the same object, and not equal ones.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Source(one), Self::Source(other)) => Arc::ptr_eq(one, other),
            (Self::Gateway(one), Self::Gateway(other)) => Arc::ptr_eq(one, other),
            (Self::Source(_), Self::Gateway(_)) | (Self::Gateway(_), Self::Source(_)) => false,
        }
    }

    /// Takes over the state of the API before a reload that subscriptions need, before this one is
    /// shared.
    pub fn inherit(&mut self, before: &Self) {
        if let (Self::Source(engine), Self::Source(before)) = (self, before)
            && let Some(engine) = Arc::get_mut(engine)
        {
            engine.inherit(before);
        }
    }

    /// Closes the sources after the last request. Each takes no longer than `patience`.
    pub fn close(&self, patience: Duration) {
        match self {
            Self::Source(engine) => engine.close(patience),
            Self::Gateway(gateway) => {
                let locals = gateway.subgraphs().filter_map(|(_, way)| way.local());
                locals.for_each(|local| local.engine.close(patience));
            }
        }
    }

    /// Whether policies restrict access.
    #[must_use]
    pub fn has_policies(&self) -> bool {
        match self {
            Self::Source(engine) => engine.has_policies(),
            Self::Gateway(_) => false,
        }
    }

    /// Returns true if rules of type definitions restrict access.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        match self {
            Self::Source(engine) => engine.has_rules(),
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

    /// Limits of one request.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        match self {
            Self::Source(engine) => engine.limits(),
            Self::Gateway(gateway) => gateway.limits(),
        }
    }

    /// Contents of the document cache.
    #[must_use]
    pub fn cached(&self) -> Cached {
        match self {
            Self::Source(engine) => engine.cached(),
            Self::Gateway(gateway) => gateway.cached(),
        }
    }

    /// Validates a document; returns its errors, if there are any.
    pub fn check_document(&self, text: &str) -> Result<(), Vec<GraphQLError>> {
        match self {
            Self::Source(engine) => engine.check_document(text),
            Self::Gateway(gateway) => gateway.check_document(text),
        }
    }

    /// A worker whose answers share the memory budget of all workers, and whose requests have the
    /// timeout `time_limit`.
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
                ApiWorker::Gateway(Rc::new(worker.within(time_limit)))
            }
        }
    }

    /// A worker for probes of readiness only.
    #[must_use]
    pub fn probing(&self) -> ApiWorker {
        match self {
            Self::Source(engine) => ApiWorker::Source(Box::new(Worker::new(Arc::clone(engine)))),
            Self::Gateway(gateway) => {
                let worker =
                    GatewayWorker::sharing(Arc::clone(gateway), MemoryBudget::new(u64::MAX));
                ApiWorker::Gateway(Rc::new(worker))
            }
        }
    }
}

impl ApiWorker {
    /// Request headers that the answer depends on; none without other servers to pass them to.
    #[must_use]
    pub fn read_headers(&self) -> Option<&ReadHeaders> {
        match self {
            Self::Source(worker) => worker.engine().read_headers(),
            Self::Gateway(worker) => Some(worker.gateway().read_headers()),
        }
    }

    /// Whether the API is a subgraph, so that routers may request traces of its fields.
    #[must_use]
    pub fn is_of_subgraph(&self) -> bool {
        match self {
            Self::Source(worker) => worker.engine().subgraph_sdl().is_some(),
            Self::Gateway(_) => false,
        }
    }

    /// The form of errors in responses.
    #[must_use]
    pub fn error_form(&self) -> ErrorForm {
        match self {
            Self::Source(worker) => worker.engine().error_form(),
            Self::Gateway(_) => ErrorForm::GraphQL,
        }
    }

    /// An error of a request in the form of the API.
    #[must_use]
    pub fn form_error(
        &self,
        error: GraphQLError,
        request: &Request,
        session: &Session,
    ) -> GraphQLError {
        match self {
            Self::Source(worker) => worker.engine().form_error(error, request, session),
            Self::Gateway(_) => error,
        }
    }

    #[must_use]
    pub fn schema(&self) -> &Schema {
        match self {
            Self::Source(worker) => worker.engine().schema(),
            Self::Gateway(worker) => worker.gateway().schema(),
        }
    }

    /// Limits of one request.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        match self {
            Self::Source(worker) => worker.engine().limits(),
            Self::Gateway(worker) => worker.gateway().limits(),
        }
    }

    /// Closes idle connections of long standing; to be called periodically.
    pub fn close_old_connections(&self) {
        match self {
            Self::Source(worker) => worker.close_old_connections(),
            Self::Gateway(worker) => worker.close_old_connections(),
        }
    }

    /// Whether requests can be answered now. A gateway is ready whatever state its subgraphs are
    /// in.
    pub async fn probe(&self) -> Result<(), SourceError> {
        match self {
            Self::Source(worker) => worker.probe().await,
            Self::Gateway(_) => Ok(()),
        }
    }

    /// Answers one request of a caller and fills the report.
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
                worker.deliver_for(request, caller, allowed, delivery, report).await
            }
            Self::Gateway(worker) => {
                worker.deliver_reported(request, caller, allowed, report).await
            }
        }
    }

    /// Answers one request of a caller who accepts several payloads, and fills the report.
    pub async fn deliver_incrementally(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        (delivery, format): (Delivery, IncrementalFormat),
        report: &mut Report,
    ) -> Response {
        match self {
            Self::Source(worker) => {
                let form = (delivery, format);
                worker.deliver_incrementally(request, caller, allowed, form, report).await
            }
            Self::Gateway(worker) => {
                worker.deliver_incrementally(request, caller, allowed, format, report).await
            }
        }
    }

    /// The document of a request, validated. The error is a finished response.
    pub fn document(&self, request: &Request, caller: &Caller) -> Result<Arc<Document>, Response> {
        match self {
            Self::Source(worker) => worker.document(request, &caller.session),
            Self::Gateway(worker) => worker.document(request),
        }
    }

    /// The schema as a caller sees it.
    pub fn view(&self, caller: &Caller) -> Result<View<'_>, Vec<GraphQLError>> {
        match self {
            Self::Source(worker) => Ok(worker.engine().view(&caller.session)?.schema),
            Self::Gateway(worker) => Ok(worker.gateway().schema().into()),
        }
    }

    /// Returns true if permissions refuse a part of an operation to a caller, whatever the rows are. A
    /// gateway knows that only when the operation is executed.
    #[must_use]
    pub fn refuses(&self, request: &Request, caller: &Caller) -> bool {
        match self {
            Self::Source(worker) => worker.refuses(request, &caller.session),
            Self::Gateway(_) => false,
        }
    }

    /// Returns true if an operation has a stream of responses: a subscription, and a live query.
    #[must_use]
    pub fn has_response_stream(&self, document: &Document, request: &Request) -> bool {
        match self {
            Self::Source(worker) => worker.has_response_stream(document, request),
            Self::Gateway(_) => document.operation.kind == OperationKind::Subscription,
        }
    }

    /// Begins a subscription or a live query. The error is a finished response.
    pub fn subscribe(&self, request: &Request, caller: &Caller) -> Result<ApiBegun, Response> {
        match self {
            Self::Source(worker) => {
                let Begun { responses, driver } = worker.subscribe(request, caller)?;
                let responses = ApiResponses::Source(responses);
                Ok(ApiBegun { responses, driver: driver.map(ApiDriver::Source) })
            }
            Self::Gateway(worker) => {
                let (subscription, driver) = worker.subscribe(request, caller)?;
                let responses = ApiResponses::Gateway(Box::new(subscription));
                Ok(ApiBegun { responses, driver: driver.map(ApiDriver::Subgraph) })
            }
        }
    }

    /// Continues a subscription of another generation of the API. The error is a finished response.
    pub fn resume(
        &self,
        responses: &mut ApiResponses,
        request: &Request,
        caller: &Caller,
    ) -> Result<Option<ApiDriver>, Response> {
        if let (Self::Gateway(worker), ApiResponses::Gateway(subscription)) =
            (self, &mut *responses)
        {
            let driver = worker.resume(subscription, request, caller)?;
            return Ok(driver.map(ApiDriver::Subgraph));
        }
        if let (Self::Source(worker), ApiResponses::Source(responses)) = (self, &mut *responses) {
            return Ok(worker.resume(responses, request, caller)?.map(ApiDriver::Source));
        }
        let begun = self.subscribe(request, caller)?;
        *responses = begun.responses;
        Ok(begun.driver)
    }

    /// Executes a subscription until it has no subscribers.
    pub async fn drive(&self, driver: ApiDriver) {
        match (self, driver) {
            (Self::Source(worker), ApiDriver::Source(driver)) => worker.drive(driver).await,
            (Self::Gateway(worker), ApiDriver::Subgraph(driver)) => worker.drive(driver).await,
            // A worker drives what it has begun.
            (Self::Source(_), ApiDriver::Subgraph(_))
            | (Self::Gateway(_), ApiDriver::Source(_)) => {}
        }
    }

    /// Checks the limits of a batch: requests of one caller that are executed together may cost no
    /// more than one.
    pub fn check_batch(&self, requests: &[Request], caller: &Caller) -> Result<(), GraphQLError> {
        match self {
            Self::Source(worker) => worker.check_batch(requests, &caller.session),
            Self::Gateway(worker) => worker.gateway().check_batch(requests, caller),
        }
    }

    /// The estimated cost of a request, at least one. A request that is invalid has no other: it is
    /// refused.
    #[must_use]
    pub fn estimate(&self, request: &Request, caller: &Caller) -> u64 {
        let cost = match self {
            Self::Source(worker) => worker.cost(request, &caller.session).ok(),
            Self::Gateway(worker) => worker.gateway().estimate(request, caller),
        };
        cost.unwrap_or_default().max(1)
    }

    /// Frees the memory of cached answers that changes have invalidated; to be called periodically.
    pub fn sweep_cache(&self) {
        match self {
            Self::Source(worker) => worker.engine().sweep_cache(),
            Self::Gateway(_) => {}
        }
    }

    /// The work for the cache of answers that a task has to do, if nobody does it yet.
    pub fn cache_feeds(&self) -> impl Iterator<Item = CacheFeed> {
        let engine = match self {
            Self::Source(worker) => Some(worker.engine()),
            Self::Gateway(_) => None,
        };
        engine.into_iter().flat_map(crate::Engine::cache_feeds)
    }

    /// Whether the schema has no fields: the source is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Source(worker) => worker.engine().is_empty(),
            Self::Gateway(_) => false,
        }
    }

    /// The API that it answers requests of.
    #[must_use]
    pub fn api(&self) -> Api {
        match self {
            Self::Source(worker) => Api::Source(Arc::clone(&worker.engine)),
            Self::Gateway(worker) => Api::Gateway(worker.shared_gateway()),
        }
    }

    /// The plan of a request, before it runs.
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

    /// The database's own plans of the statements, where there is a database, without figures that
    /// reveal hidden rows to the session.
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
