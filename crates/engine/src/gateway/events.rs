//! Event-driven subgraphs: their root fields are subscriptions, publications and requests of brokers.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use ::gateway::events::call::Response as EventResponse;
use ::gateway::events::{Action, Call, EventFetch, EventSubgraph, Provider};
use ::gateway::execute::{EventError, FetchError, FetchRequest};
use ::gateway::plan::{FetchId, Plan};
use bytes::Bytes;
use clients::broker::{Broker, DurableConsumer, EventTopics};
use clients::subgraph::{EventBudget, Listener, Shared, SubgraphError, SubscriptionCounts};
use futures_util::future::join_all;
use graphql::operation::{Operation, OperationKind};
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError};
use supergraph::Supergraph;
use tokio::time::Instant;

use super::local::kind;
use super::transport::without_details;
use super::{Gateway, Prepared, SubgraphTransport};

/// A subgraph whose root fields are events of brokers.
#[derive(Clone, Debug)]
pub struct Events {
    pub subgraph: Arc<EventSubgraph>,
    /// The brokers of its fields.
    pub brokers: Vec<(Provider, Arc<Broker>)>,
    /// Timeout of a request or publication.
    pub timeout: Duration,
    /// Maximum size of an event.
    pub most_bytes: u64,
    /// State shared by all threads.
    pub shared: Arc<Shared>,
}

/// A subscription to events.
#[derive(Debug)]
pub(super) struct EventSubscription {
    events: Events,
    fetch: FetchId,
    /// Variables of the fetch.
    variables: Variables,
    broker: Arc<Broker>,
    topics: EventTopics,
}

/// A result whose error has details for the log.
type Detailed<T> = Result<T, (FetchError, Box<str>)>;

/// The execution of a fetch.
#[derive(Clone, Copy)]
pub(super) struct EventInputs<'a> {
    pub(super) supergraph: &'a Supergraph,
    pub(super) prepared: &'a Prepared,
    pub(super) operation: &'a Operation,
    pub(super) variables: &'a Variables,
}

impl Gateway {
    /// Resolves the documents of fetches from event-driven subgraphs, by fetch.
    pub(super) fn event_fetches(
        &self,
        plan: &Plan,
    ) -> Result<Vec<Option<EventFetch>>, Vec<GraphQLError>> {
        let Some(validator) = &self.event_validator else { return Ok(Vec::new()) };
        let fetches = plan.fetches.iter().map(|fetch| {
            let transport = self.transports.get(usize::from(fetch.subgraph.0));
            match transport.and_then(SubgraphTransport::events) {
                Some(_) => EventFetch::new(validator, &self.supergraph, fetch).map(Some),
                None => Ok(None),
            }
        });
        fetches.collect()
    }

    /// Checks that the values of arguments can be parts of topics.
    pub(super) fn check_topics(
        &self,
        prepared: &Prepared,
        operation: &Operation,
        variables: &Variables,
    ) -> Result<(), Vec<GraphQLError>> {
        for (fetch, planned) in prepared.events.iter().zip(&prepared.plan.fetches) {
            let transport = self.transports.get(usize::from(planned.subgraph.0));
            let events = transport.and_then(SubgraphTransport::events);
            let (Some(fetch), Some(events)) = (fetch, events) else { continue };
            let variables = fetch.variables(operation, variables);
            let calls = fetch.calls(&events.subgraph, &self.supergraph, &variables);
            for call in calls.map_err(|error| vec![error.into()])? {
                call.topics().map_err(|error| {
                    vec![GraphQLError::new(ErrorCode::BadUserInput, error.to_string())]
                })?;
            }
        }
        Ok(())
    }
}

impl Events {
    /// Counters of subscriptions to its brokers.
    #[must_use]
    pub fn subscriptions(&self) -> SubscriptionCounts {
        let counts = self.brokers.iter().map(|(_, broker)| broker.counts());
        counts.fold(SubscriptionCounts::default(), SubscriptionCounts::plus)
    }

    /// Returns the subscription of a fetch; `None` if it has no event directive.
    pub(super) fn subscription(
        &self,
        fetch: FetchId,
        inputs: EventInputs<'_>,
    ) -> Option<EventSubscription> {
        let EventInputs { supergraph, prepared, operation, variables } = inputs;
        let planned = prepared.events.get(fetch.index())?.as_ref()?;
        let variables = planned.variables(operation, variables);
        let calls = planned.calls(&self.subgraph, supergraph, &variables).ok()?;
        let call = calls.first()?;
        let Action::Subscribe { consumer, .. } = &call.field.action else { return None };
        let consumer = consumer.as_ref().map(|consumer| DurableConsumer {
            stream: consumer.stream.to_string(),
            name: consumer.name.to_string(),
            inactive_threshold: Duration::from_secs(consumer.inactive_threshold.into()),
        });
        let topics = call.topics().ok()?;
        let topics = EventTopics { topics, consumer, most_bytes: self.most_bytes };
        let broker = Arc::clone(self.broker(&call.field.provider)?);
        Some(EventSubscription { events: self.clone(), fetch, variables, broker, topics })
    }

    /// Executes a query or a mutation.
    pub(super) async fn execute(
        &self,
        request: &FetchRequest<'_>,
        inputs: EventInputs<'_>,
    ) -> Result<Bytes, FetchError> {
        let began = Instant::now();
        self.shared.begin();
        let result = self.execute_with_bulkhead(request, inputs, began + self.timeout).await;
        let error = result.as_ref().err().map(|(error, _)| kind(error));
        self.shared.end(began.elapsed(), error);
        result.map_err(|(error, reason)| {
            drop(request.reason.set(reason));
            error
        })
    }

    async fn execute_with_bulkhead(
        &self,
        request: &FetchRequest<'_>,
        inputs: EventInputs<'_>,
        deadline: Instant,
    ) -> Detailed<Bytes> {
        let EventInputs { supergraph, prepared, operation, variables } = inputs;
        let permit = self.shared.acquire(deadline).await.map_err(|error| detailed(&error))?;
        let planned = prepared.events.get(request.fetch.index()).and_then(Option::as_ref);
        let planned = planned.ok_or_else(|| invalid("the fetch has no events".to_owned()))?;
        let variables = planned.variables(operation, variables);
        let calls = planned.calls(&self.subgraph, supergraph, &variables);
        let calls = calls.map_err(|error| invalid(error.to_string()))?;
        let context = CallContext { events: self, planned, supergraph, variables: &variables };
        let mut response = EventResponse::default();
        match request.kind {
            OperationKind::Mutation => {
                for call in &calls {
                    context.publish(call, &mut response).await?;
                }
            }
            OperationKind::Query | OperationKind::Subscription => {
                let replies = join_all(calls.iter().map(|call| context.request(call))).await;
                let is_only = calls.len() == 1;
                for (call, reply) in calls.iter().zip(replies) {
                    match reply {
                        Ok(reply) => context.add(call, &reply, &mut response)?,
                        Err(error) if is_only => return Err(detailed(&error)),
                        Err(error) => response.add_error(call, &error.to_string()),
                    }
                }
            }
        }
        if let Some(permit) = &permit {
            permit.record_response();
        }
        Ok(response.finish())
    }

    fn broker(&self, provider: &Provider) -> Option<&Arc<Broker>> {
        self.brokers.iter().find(|(known, _)| known == provider).map(|(_, broker)| broker)
    }
}

/// Parts that all calls of a request share.
struct CallContext<'c> {
    events: &'c Events,
    planned: &'c EventFetch,
    supergraph: &'c Supergraph,
    variables: &'c Variables,
}

impl CallContext<'_> {
    /// Publishes an event. A broker that does not receive it is no error, but the result of the field.
    async fn publish(&self, call: &Call<'_>, response: &mut EventResponse) -> Detailed<()> {
        let (broker, topic) = self.topic(call)?;
        let published = broker.publish(topic, call.payload(), self.events.timeout).await;
        let success = published.is_ok();
        if let Err(error) = published {
            let broker = &*broker.settings().name;
            tracing::warn!(broker, %error, "an event is not published");
        }
        let (planned, supergraph) = (self.planned, self.supergraph);
        response
            .add_publication(planned, supergraph, self.variables, call, success)
            .map_err(|error| invalid(error.to_string()))
    }

    async fn request(&self, call: &Call<'_>) -> Result<Bytes, SubgraphError> {
        let (broker, topic) = match self.topic(call) {
            Ok(found) => found,
            Err((_, reason)) => return ready(Err(SubgraphError::NotGraphQl(reason.into()))).await,
        };
        broker.request(topic, call.payload(), self.events.timeout).await
    }

    fn add(&self, call: &Call<'_>, event: &[u8], response: &mut EventResponse) -> Detailed<()> {
        response
            .add_event(self.planned, self.supergraph, self.variables, call, event)
            .map_err(|error| invalid(error.to_string()))
    }

    fn topic(&self, call: &Call<'_>) -> Detailed<(&Arc<Broker>, String)> {
        let topics = call.topics().map_err(|error| invalid(error.to_string()))?;
        let broker = self.events.broker(&call.field.provider);
        let broker = broker.ok_or_else(|| invalid("the field has no broker".to_owned()))?;
        let topic = topics.into_iter().next();
        Ok((broker, topic.ok_or_else(|| invalid("the field has no topic".to_owned()))?))
    }
}

impl EventSubscription {
    /// Begins the subscription, or joins an equal one. A listener of the same events keeps its place.
    pub(super) fn listen(
        &self,
        kept: Option<Listener>,
        budget: &Arc<dyn EventBudget>,
    ) -> (Listener, bool) {
        match kept {
            Some(listener) if self.broker.is_kept(&listener, &self.topics) => (listener, true),
            // The former listener, if there is one, leaves after the new one has begun.
            Some(_) | None => (self.broker.subscribe(self.topics.clone(), budget), false),
        }
    }

    /// Whether an event passes the filter of the field.
    pub(super) fn accepts(
        &self,
        supergraph: &Supergraph,
        prepared: &Prepared,
        event: &[u8],
    ) -> bool {
        self.with_call(supergraph, prepared, |_, call| call.accepts(event)).unwrap_or(true)
    }

    /// Returns the response of the subgraph for an event.
    pub(super) fn response(
        &self,
        supergraph: &Supergraph,
        prepared: &Prepared,
        event: &[u8],
    ) -> Detailed<Bytes> {
        let response = self.with_call(supergraph, prepared, |planned, call| {
            planned.response(supergraph, &self.variables, call, event)
        });
        let response = response.unwrap_or(Err(EventError::TooManyFields));
        response.map_err(|error| invalid(error.to_string()))
    }

    fn with_call<T>(
        &self,
        supergraph: &Supergraph,
        prepared: &Prepared,
        run: impl FnOnce(&EventFetch, &Call<'_>) -> T,
    ) -> Option<T> {
        let planned = prepared.events.get(self.fetch.index())?.as_ref()?;
        let calls = planned.calls(&self.events.subgraph, supergraph, &self.variables).ok()?;
        Some(run(planned, calls.first()?))
    }
}

fn invalid(reason: String) -> (FetchError, Box<str>) {
    (FetchError::NotGraphQl, reason.into())
}

fn detailed(error: &SubgraphError) -> (FetchError, Box<str>) {
    (without_details(error), error.to_string().into())
}
