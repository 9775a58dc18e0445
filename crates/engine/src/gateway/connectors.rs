//! Subgraphs of REST connectors: each fetch is one or several HTTP requests.
//!
//! They are sent as those of custom fields are (`clients::egress`): to allowed hosts and public
//! addresses only, within limits.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::gateway::connectors::{
    Call, CallError, ClientValues, ConnectorFetch, FetchCalls, HttpResponse, response_headers,
};
use ::gateway::execute::{FetchError, FetchRequest, FetchResponse, ResponseBody};
use ::gateway::plan::Plan;
use bytes::Bytes;
use clients::egress::{
    Client, Counts, Egress, EgressError, EgressRequest, EgressResponse, Outcome,
};
use clients::subgraph::Shared;
use connectors::connector::HeaderValueSource;
use connectors::{HttpRequest, Limits, Variable};
use futures_util::{StreamExt, stream};
use graphql::GraphQLError;
use graphql::operation::OperationKind;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use response::{MemoryBudget, MemoryReservation};
use serde_json::Value;
use supergraph::{Connector, ConnectorId};
use tokio::sync::OnceCell;

use super::local::kind;
use super::transport::without_details;
use super::{Caller, Gateway, Prepared, SubgraphTransport};
use crate::resolvers::statistics::FieldStatistics;

/// A subgraph of connectors.
#[derive(Clone)]
pub struct Connectors {
    pub egress: Arc<Egress>,
    pub settings: Arc<ConnectorSettings>,
    /// State shared by all threads.
    pub shared: Arc<Shared>,
    pub statistics: ConnectorStatistics,
}

/// Settings of a subgraph of connectors.
#[derive(Clone, Default)]
pub struct ConnectorSettings {
    /// Timeout of a request with its retries.
    pub timeout: Duration,
    pub retries: u32,
    /// Maximum number of requests of one operation at the same time.
    pub most_concurrent: usize,
    /// Maximum number of requests for one operation.
    pub most_calls: usize,
    /// Whether equal GET requests of one operation are one.
    pub deduplicate: bool,
    pub connectors: BTreeMap<ConnectorId, ConnectorSetting>,
    /// `$env`
    pub environment: Value,
}

/// Settings of one connector.
#[derive(Clone)]
pub struct ConnectorSetting {
    /// The connector of the schema, with the address that the settings have for its source.
    pub definition: Arc<connectors::Connector>,
    /// `$config`
    pub config: Arc<Value>,
    /// Headers of its requests, instead of those of the schema.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

/// Counters by connector and host. They are kept by reloads.
#[derive(Clone, Debug, Default)]
pub struct ConnectorStatistics(Arc<Mutex<BTreeMap<Labels, Arc<Counts>>>>);

/// A field or type with a connector, and the host of its requests.
type Labels = (Box<str>, Box<str>);

/// State of the connectors of all subgraphs for one request.
#[derive(Default)]
pub(super) struct ConnectorState {
    /// Number of HTTP requests by subgraph.
    calls: RefCell<HashMap<u16, usize>>,
    /// Responses to GET requests.
    responses: RefCell<HashMap<GetKey, Rc<OnceCell<Sent>>>>,
    /// Client headers as `$request`.
    request: std::cell::OnceCell<Value>,
    held: RefCell<(MemoryReservation, u64)>,
}

/// The address and the headers of a GET request.
type GetKey = (u16, String, Vec<(String, Vec<u8>)>);

type Sent = Result<EgressResponse, EgressError>;

/// Client of the connectors of a subgraph on one thread.
pub(super) struct ConnectorClient {
    connectors: Connectors,
    client: Client,
}

/// The request of a client that a fetch belongs to.
#[derive(Clone, Copy)]
pub(super) struct ConnectorInputs<'a> {
    pub(super) gateway: &'a Gateway,
    pub(super) prepared: &'a Prepared,
    pub(super) caller: &'a Caller,
    pub(super) deadline: Option<Instant>,
    pub(super) memory: &'a Arc<MemoryBudget>,
    pub(super) state: &'a ConnectorState,
}

/// A result whose error has details for the log.
type Detailed<T> = Result<T, (FetchError, Box<str>)>;

/// Wait before the first retry; it doubles with each.
const INITIAL_BACKOFF: Duration = Duration::from_millis(25);

const MAX_BACKOFF: Duration = Duration::from_secs(1);

impl Gateway {
    /// Resolves the documents of fetches from connectors, by fetch.
    pub(super) fn connector_fetches(
        &self,
        plan: &Plan,
    ) -> Result<Vec<Option<ConnectorFetch>>, Vec<GraphQLError>> {
        let Some(schema) = &self.connector_schema else { return Ok(Vec::new()) };
        let fetches =
            plan.fetches.iter().map(|fetch| match self.supergraph.connector(fetch.subgraph) {
                Some(_) => schema.fetch(&fetch.document.text).map(Some),
                None => Ok(None),
            });
        fetches.collect()
    }

    /// The figures of the connectors of all subgraphs.
    #[must_use]
    pub fn connector_statistics(&self) -> Vec<(&str, Vec<FieldStatistics>)> {
        let subgraphs = self.subgraphs();
        let connectors = subgraphs.filter_map(|(subgraph, transport)| match transport {
            SubgraphTransport::Connectors(connectors) => {
                Some((&*subgraph.name, connectors.statistics.read()))
            }
            _ => None,
        });
        connectors.collect()
    }
}

impl Connectors {
    /// Returns the names of the client headers that its requests depend on.
    pub(super) fn read_headers(&self) -> Vec<HeaderName> {
        let settings = self.settings.connectors.values();
        let mut names: Vec<HeaderName> =
            settings.flat_map(|setting| client_headers(&setting.definition)).collect();
        names.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
        names.dedup();
        names
    }
}

impl ConnectorStatistics {
    fn counts(&self, connector: &Connector, host: &str) -> Arc<Counts> {
        let place = connector.place().into();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry((place, host.into())).or_default())
    }

    fn read(&self) -> Vec<FieldStatistics> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = known.iter().map(|((field, host), counts)| FieldStatistics {
            field: field.as_ref().to_owned(),
            host: host.clone(),
            statistics: counts.read(),
        });
        all.collect()
    }
}

impl ConnectorState {
    /// Takes so many requests; the error is the limit.
    fn take(&self, subgraph: u16, calls: usize, most: usize) -> Result<(), usize> {
        let mut taken = self.calls.borrow_mut();
        let taken = taken.entry(subgraph).or_default();
        *taken = taken.saturating_add(calls);
        if *taken > most { Err(most) } else { Ok(()) }
    }

    /// Reserves memory for bytes of a response, until the end of the request.
    fn reserve(&self, memory: &Arc<MemoryBudget>, bytes: usize) -> bool {
        let (held, all) = &mut *self.held.borrow_mut();
        if *all == 0 {
            *held = MemoryReservation::of(memory);
        }
        *all = all.saturating_add(bytes as u64);
        held.grow_to(*all).is_ok()
    }
}

impl ConnectorClient {
    pub(super) fn new(connectors: &Connectors) -> Self {
        Self { connectors: connectors.clone(), client: Client::new(&connectors.egress) }
    }

    /// Executes a fetch.
    pub(super) async fn execute(
        &self,
        request: &FetchRequest<'_>,
        inputs: ConnectorInputs<'_>,
    ) -> Result<FetchResponse, FetchError> {
        let Connectors { shared, settings, .. } = &self.connectors;
        let began = tokio::time::Instant::now();
        shared.begin();
        let own = began + settings.timeout;
        let deadline = inputs.deadline.map_or(own, |deadline| own.min(deadline.into()));
        let result = self.execute_with_bulkhead(request, inputs, deadline).await;
        shared.end(began.elapsed(), result.as_ref().err().map(|(error, _)| kind(error)));
        result.map_err(|(error, reason)| {
            drop(request.reason.set(reason));
            error
        })
    }

    async fn execute_with_bulkhead(
        &self,
        request: &FetchRequest<'_>,
        inputs: ConnectorInputs<'_>,
        deadline: tokio::time::Instant,
    ) -> Detailed<FetchResponse> {
        let permit = self.connectors.shared.acquire(deadline).await;
        let permit = permit.map_err(|error| (without_details(&error), error.to_string().into()))?;
        let ConnectorInputs { gateway, prepared, memory, .. } = inputs;
        let invalid = |reason: String| (FetchError::NotGraphQl, Box::<str>::from(reason));
        let part = gateway.supergraph.subgraph(request.subgraph).part;
        let found = gateway.supergraph.connector(request.subgraph);
        let setting =
            part.and_then(|part| self.connectors.settings.connectors.get(&part.connector));
        let schema = gateway.connector_schema.as_ref();
        let (Some(schema), Some((connector, entry)), Some(setting)) = (schema, found, setting)
        else {
            return Err(invalid("the fetch has no connector".to_owned()));
        };
        let planned = prepared.plan.fetches.get(request.fetch.index());
        let is_planned =
            planned.is_some_and(|planned| planned.document.text == request.document.text);
        let known = prepared.connectors.get(request.fetch.index()).and_then(Option::as_ref);
        let resolved;
        let fetch = match known.filter(|_| is_planned) {
            Some(fetch) => fetch,
            // A document without the fields whose inputs failed.
            None => {
                let read = schema.fetch(&request.document.text).map_err(|errors| {
                    let first = errors.into_iter().next().map(|error| error.message);
                    invalid(first.unwrap_or_default())
                })?;
                resolved = read;
                &resolved
            }
        };
        let calls = FetchCalls::new(schema, fetch, (connector, entry), &request.body);
        let calls = calls.map_err(|error| invalid(error.to_string()))?;
        let kind = request.kind;
        let sending = Sending { client: self, connector, setting, inputs, deadline, kind };
        let results = sending.send_all(&calls.calls).await;
        if let Some(permit) = &permit {
            permit.record_response();
        }
        let body = calls.response(&gateway.supergraph, connector, &results);
        let mut held = MemoryReservation::of(memory);
        match held.grow_to(body.len() as u64) {
            Ok(()) => Ok(FetchResponse::new(ResponseBody::Json(body), held)),
            Err(_) => Err((FetchError::MemoryExhausted, "the response is too large".into())),
        }
    }
}

/// The calls of a fetch.
#[derive(Clone, Copy)]
struct Sending<'s> {
    client: &'s ConnectorClient,
    connector: &'s Connector,
    setting: &'s ConnectorSetting,
    inputs: ConnectorInputs<'s>,
    deadline: tokio::time::Instant,
    kind: OperationKind,
}

impl Sending<'_> {
    /// Sends all requests: those of a mutation one after the other, others at the same time.
    async fn send_all(self, calls: &[Call]) -> Vec<Result<Value, CallError>> {
        let settings = &self.client.connectors.settings;
        let taken =
            self.inputs.state.take(self.connector.subgraph.0, calls.len(), settings.most_calls);
        if let Err(most) = taken {
            let error = CallError::too_many(most);
            return calls.iter().map(|_| Err(error.clone())).collect();
        }
        let at_once = match self.kind {
            OperationKind::Query => settings.most_concurrent.max(1),
            OperationKind::Mutation | OperationKind::Subscription => 1,
        };
        stream::iter(calls).map(|call| self.send(call)).buffered(at_once).collect().await
    }

    /// Sends the request of a call, and maps its response.
    async fn send(self, call: &Call) -> Result<Value, CallError> {
        let ConnectorInputs { caller, state, .. } = self.inputs;
        let settings = &self.client.connectors.settings;
        let definition = &self.setting.definition;
        let nothing = HeaderMap::new();
        let headers = caller.forwarded.as_deref().map_or(&nothing, |sent| sent.headers());
        let values = ClientValues {
            headers,
            request: state.request.get_or_init(|| response_headers(headers)),
            config: &self.setting.config,
            environment: &settings.environment,
            limits: &Limits::default(),
        };
        let mut request = call.request(definition, values)?;
        for (name, value) in &self.setting.headers {
            request.headers.insert(name.clone(), value.clone());
        }
        let response = match self.key(&request) {
            Some(key) => {
                let cell = Rc::clone(state.responses.borrow_mut().entry(key).or_default());
                cell.get_or_init(|| self.send_with_retries(&request)).await.clone()
            }
            None => self.send_with_retries(&request).await,
        };
        let response = response.map_err(|error| match error {
            EgressError::Timeout => CallError::timeout(),
            error => CallError::unanswered(format!("The request failed: {error}")),
        })?;
        let response = HttpResponse {
            status: response.status,
            headers: &response.headers,
            body: &response.body,
        };
        let (result, problems) = call.result(definition, values, response);
        for problem in request.problems.iter().chain(&problems) {
            let connector = &*self.connector.coordinate;
            tracing::debug!(connector, "a mapping lacked a value: {problem}");
        }
        result
    }

    /// Returns the key of a GET request of a query.
    fn key(&self, request: &HttpRequest) -> Option<GetKey> {
        let is_get = request.method == Method::GET && self.kind == OperationKind::Query;
        if !is_get || !self.client.connectors.settings.deduplicate {
            return None;
        }
        let headers = request.headers.iter();
        let headers =
            headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
        Some((self.connector.subgraph.0, request.uri.to_string(), headers.collect()))
    }

    async fn send_with_retries(self, request: &HttpRequest) -> Sent {
        let Connectors { settings, shared, statistics, .. } = &self.client.connectors;
        let host = request.uri.host().unwrap_or_default();
        let counts = statistics.counts(self.connector, host);
        let mut retries = 0;
        loop {
            let sent = self.attempt(request, &counts).await;
            if !may_help(request, &sent) || retries >= settings.retries {
                return sent;
            }
            let backoff = INITIAL_BACKOFF.saturating_mul(1 << retries.min(10)).min(MAX_BACKOFF);
            if tokio::time::Instant::now() + backoff >= self.deadline || !shared.may_retry() {
                return sent;
            }
            retries += 1;
            shared.count_retry();
            tokio::time::sleep(backoff).await;
        }
    }

    async fn attempt(self, request: &HttpRequest, counts: &Counts) -> Sent {
        let ConnectorInputs { memory, state, .. } = self.inputs;
        let began = Running {
            counts,
            began: Instant::now(),
            sent: request.body.as_ref().map_or(0, Vec::len),
            end: Cell::new(None),
        };
        let all = Cell::new(0_usize);
        let reserve = |capacity: usize| {
            // The capacity of one response grows.
            let more = capacity.saturating_sub(all.replace(capacity));
            state.reserve(memory, more)
        };
        let sent = self.client.client.send(EgressRequest {
            method: request.method.clone(),
            url: request.uri.clone(),
            headers: request.headers.clone(),
            body: request.body.clone().map(Bytes::from).unwrap_or_default(),
            deadline: Some(self.deadline.into_std()),
            timeout: None,
            reserve: &reserve,
        });
        let sent = sent.await;
        let received = sent.as_ref().map_or(0, |response| response.body.len());
        began.end.set(Some((Outcome::of(&sent), received)));
        sent
    }
}

/// A request in progress; it is counted when it is dropped.
struct Running<'r> {
    counts: &'r Counts,
    began: Instant,
    sent: usize,
    end: Cell<Option<(Outcome, usize)>>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let (outcome, received) = self.end.get().unwrap_or((Outcome::Abandoned, 0));
        self.counts.record(outcome, self.began.elapsed(), (self.sent, received));
    }
}

/// Whether another attempt may help: the method is safe, and nothing or a temporary failure came back.
fn may_help(request: &HttpRequest, sent: &Sent) -> bool {
    let is_safe = request.method == Method::GET;
    let is_temporary = match sent {
        Ok(response) => matches!(response.status, 502..=504),
        Err(EgressError::Unavailable(_) | EgressError::Truncated(_)) => true,
        Err(
            EgressError::HostRefused
            | EgressError::AddressRefused
            | EgressError::Timeout
            | EgressError::TooLarge { .. }
            | EgressError::Redirect(_)
            | EgressError::MemoryExhausted,
        ) => false,
    };
    is_safe && is_temporary
}

/// Returns the names of the client headers that a connector reads.
fn client_headers(definition: &connectors::Connector) -> Vec<HeaderName> {
    let inputs = definition.inputs();
    let request = inputs.of(Variable::Request).and_then(|request| request.find("headers"));
    let read = request.into_iter().flat_map(|headers| &headers.members);
    let mut names: Vec<HeaderName> =
        read.filter_map(|(name, _)| name.to_ascii_lowercase().parse().ok()).collect();
    let source = definition.source.iter().flat_map(|source| &source.http.headers);
    for header in source.chain(&definition.http.headers) {
        if let HeaderValueSource::From(name) = &header.value {
            names.push(name.clone());
        }
    }
    names
}

impl fmt::Debug for Connectors {
    /// Without values of the configuration, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connectors")
            .field("timeout", &self.settings.timeout)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ConnectorSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectorSettings").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl fmt::Debug for ConnectorSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coordinate = &self.definition.coordinate;
        f.debug_struct("ConnectorSetting").field("coordinate", coordinate).finish_non_exhaustive()
    }
}

impl fmt::Debug for ConnectorClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.connectors.fmt(f)
    }
}
