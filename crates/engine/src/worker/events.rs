//! Subscriptions to notifications, on one thread.

use std::sync::Arc;

use ::live::{CohortKey, Event, Listener, ListenerEnd, Listening, Notice, follow_channels};
use bytes::Bytes;
use dialects::{Listened, ListenedPart};
use futures_util::future::{OptionFuture, join};
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError, Request};
use ir::Operand;
use serde_json_bytes::Value;
use source::Session;
use sources::Channels;
use tokio::sync::mpsc::{self, Sender};

use super::Worker;
use crate::caller::Caller;
use crate::events::{EventExecution, channel, ended, node_id, set_event, shown_members};
use crate::live::{Begun, Driver, Responses, Work};
use crate::respond::Response;

/// The end of a subscription.
enum End {
    /// The subscriber has left, or a notification has ended the subscription.
    Complete,
    Failed(GraphQLError),
}

impl Worker {
    /// Begins a subscription to notifications.
    pub(super) fn listen(
        &self,
        listened: &Listened,
        variables: &Variables,
        (request, caller): (&Request, &Caller),
    ) -> Result<Begun, GraphQLError> {
        let engine = &*self.engine;
        let Some(channels) = engine.source.channels() else {
            return Err(GraphQLError::new(
                ErrorCode::NotSupported,
                "The data source has no notifications.",
            ));
        };
        let claims = caller.session.claims.as_deref();
        let values = source::Variables { claims, ..source::Variables::of(&variables.values) };
        let channel = channel(listened, &self.topic(listened, values)?)?;
        let Listening { listener, needs_task } = engine.live.listeners.listen(&channel);
        // The next event is executed when the response to the last one is taken.
        let (responses, receiver) = mpsc::channel(1);
        let name = request.operation_name.as_deref();
        let key = || CohortKey::new(&request.query, name, &request.variables, &caller.session);
        let work = EventExecution {
            channel: channel.into(),
            listener,
            responses,
            request: request.clone(),
            caller: caller.clone(),
            // Other servers receive headers of this client.
            key: caller.forwarded.is_none().then(key),
            node: listened.binding.node.clone(),
            members: Arc::clone(&listened.binding.members),
            begins: listened.begins,
            channels,
            needs_task,
        };
        let driver = Some(Driver(Work::Events(Box::new(work))));
        Ok(Begun { responses: Responses::Events(receiver), driver })
    }

    fn topic(
        &self,
        listened: &Listened,
        values: source::Variables<'_>,
    ) -> Result<String, GraphQLError> {
        let mut topic = String::new();
        for part in &listened.topic {
            match part {
                ListenedPart::Text(text) => topic.push_str(text),
                ListenedPart::Value(name, operand) => {
                    let value = source::operand::resolve(operand, values);
                    let value = value.map_err(|error| self.engine.map_error(&error))?;
                    let text = value.text().ok_or_else(|| absent(name, operand))?;
                    topic.push_str(&text);
                }
            }
        }
        Ok(topic)
    }

    pub(super) async fn drive_events(&self, work: EventExecution) {
        let channels = work.channels.clone();
        let task = work.needs_task.then(|| self.follow_channels(&channels));
        join(self.execute_events(work), OptionFuture::from(task)).await;
    }

    async fn follow_channels(&self, channels: &Channels) {
        follow_channels(&self.engine.live.listeners, channels).await;
    }

    /// Executes a subscription for each event, until the subscriber leaves, may not listen, or events
    /// may be missing.
    async fn execute_events(&self, work: EventExecution) {
        let responses = work.responses.clone();
        if let End::Failed(error) = self.execute_until_end(work).await {
            let response = Response::request_error(&[error]);
            // The subscriber may have left.
            let _ = responses.send(response.body.into()).await;
        }
    }

    async fn execute_until_end(&self, mut work: EventExecution) -> End {
        let ending = match self.ending(&work).await {
            Ok(ending) => ending,
            Err(error) => return End::Failed(error),
        };
        match ending {
            None => self.execute_each(&mut work, None).await,
            Some(Listening { mut listener, needs_task }) => {
                // The session of the listener that began before may be lost meanwhile.
                let channels = work.channels.clone();
                let task = async {
                    if needs_task {
                        self.follow_channels(&channels).await;
                    }
                };
                let (end, ()) = join(self.execute_each(&mut work, Some(&mut listener)), task).await;
                end
            }
        }
    }

    /// The listener to the channel whose notification ends the subscription, if a function authorizes
    /// subscriptions.
    async fn ending(&self, work: &EventExecution) -> Result<Option<Listening>, GraphQLError> {
        let Some(authorization) = &self.engine.live.topics else { return Ok(None) };
        let session = &work.caller.session;
        let authorized = self.authorize_topic(authorization, &work.channel, session).await?;
        Ok(Some(self.engine.live.listeners.listen(&authorized)))
    }

    async fn execute_each(
        &self,
        work: &mut EventExecution,
        mut ending: Option<&mut Listener>,
    ) -> End {
        let responses: Sender<Bytes> = work.responses.clone();
        loop {
            let event = tokio::select! {
                biased;
                end = next_end(&mut ending) => match end {
                    // From now on no end is missed: the session may have lost its permission before.
                    Ok(Event::Begun) => match self.still_authorized(work).await {
                        Ok(()) => continue,
                        Err(error) => return End::Failed(error),
                    },
                    Ok(Event::Notified(_)) => return End::Complete,
                    Err(end) => return End::Failed(ended(end)),
                },
                event = work.listener.next() => event,
                () = responses.closed() => return End::Complete,
            };
            let response = match event {
                Ok(Event::Begun) if !work.begins => continue,
                Ok(Event::Begun) => self.event_response(work, Value::Null, Value::Null).await,
                Ok(Event::Notified(notice)) => self.response_to(work, &notice).await,
                Err(end) => return End::Failed(ended(end)),
            };
            if responses.send(response).await.is_err() {
                return End::Complete;
            }
        }
    }

    async fn still_authorized(&self, work: &EventExecution) -> Result<(), GraphQLError> {
        let session: &Session = &work.caller.session;
        match &self.engine.live.topics {
            Some(topics) => self.authorize_topic(topics, &work.channel, session).await.map(drop),
            None => Ok(()),
        }
    }

    /// The response to a notification: one for all equal subscriptions of equal sessions.
    async fn response_to(&self, work: &EventExecution, notice: &Notice) -> Bytes {
        let payload = notice.payload();
        let (id, members) = (node_id(payload, &work.node), shown_members(payload, &work.members));
        let execution = self.event_response(work, id, members);
        match &work.key {
            Some(key) => notice.response(key, execution).await,
            None => execution.await,
        }
    }

    async fn event_response(&self, work: &EventExecution, id: Value, members: Value) -> Bytes {
        self.engine.live.listeners.count_execution();
        let mut request = work.request.clone();
        set_event(&mut request.variables, id, members);
        self.response(&request, &work.caller, false).await.0
    }
}

/// The error of a part of a topic without a value.
fn absent(name: &str, operand: &Operand) -> GraphQLError {
    match operand {
        Operand::Claim(_) => GraphQLError::new(
            ErrorCode::PermissionDenied,
            format!("The topic needs the claim \"{name}\", which the session does not have."),
        ),
        _ => GraphQLError::new(
            ErrorCode::BadUserInput,
            format!("The argument \"{name}\" must have a value: the topic contains it."),
        ),
    }
}

/// Waits for an event of the channel that ends a subscription, for ever if there is none.
async fn next_end(ending: &mut Option<&mut Listener>) -> Result<Event, ListenerEnd> {
    match ending {
        Some(ending) => ending.next().await,
        None => std::future::pending().await,
    }
}
