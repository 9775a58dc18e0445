//! Subscriptions to events, on one thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::live::{CohortKey, Event, Listener, ListenerEnd, Listening, follow_channels};
use bytes::Bytes;
use dialects::{ListenedChannel, ListenedPart};
use futures_util::future::{OptionFuture, join};
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError, Request};
use ir::Operand;
use source::Session;
use sources::Channels;
use tokio::sync::mpsc::{self, Sender};

use super::Worker;
use crate::caller::Caller;
use crate::events::{
    EventExecution, EventPlace, Events, NextEvent, Notifications, Origin, channel, ended, set_event,
};
use crate::live::{Begun, Driver, EventResponses, Responses, Work};
use crate::operands::operands_of;
use crate::repeated_errors::KnownErrors;
use crate::respond::Response;

/// The end of a subscription.
enum End {
    /// The subscriber has left, or a notification has ended the subscription.
    Complete,
    Failed(GraphQLError),
}

impl Worker {
    /// Begins a subscription to notifications, or continues a former one; `None` if it has ended.
    pub(super) fn listen(
        &self,
        listened: &ListenedChannel,
        variables: &Variables,
        (request, caller): (&Request, &Caller),
        former: Option<&EventPlace>,
    ) -> Result<Option<Begun>, GraphQLError> {
        let engine = &*self.engine;
        let Some(channels) = engine.source.channels() else {
            return Err(GraphQLError::new(
                ErrorCode::NotSupported,
                "The data source has no notifications.",
            ));
        };
        let claims = caller.session.claims.as_deref();
        let values = source::Variables { claims, ..operands_of(variables) };
        let channel = channel(listened, &self.topic(listened, values)?)?;
        let listeners = &engine.live.listeners;
        let listening = match former {
            None => Some(listeners.listen(&channel)),
            Some(place) => place.listening(listeners, &channel)?,
        };
        let Some(Listening { listener, needs_task }) = listening else { return Ok(None) };
        let notifications = Notifications {
            channel: channel.into(),
            listener,
            node: listened.binding.node.clone(),
            members: Arc::clone(&listened.binding.members),
            begins: listened.begins,
            channels,
            needs_task,
        };
        let events = Events::Notifications(Box::new(notifications));
        Ok(Some(self.begun(events, (request, caller))))
    }

    fn topic(
        &self,
        listened: &ListenedChannel,
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
        let channels = match &work.events {
            Events::Notifications(own) if own.needs_task => Some(own.channels.clone()),
            Events::Notifications(_) | Events::Changes(_) => None,
        };
        let task = channels.as_ref().map(|channels| self.follow_channels(channels));
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
            let response = self.engine.formed_alone(response);
            // The subscriber may have left.
            let _ = responses.send(response.body.into()).await;
        }
    }

    async fn execute_until_end(&self, mut work: EventExecution) -> End {
        match &work.events {
            Events::Changes(own) if own.is_refused => {
                let (response, _) = self
                    .response(&work.request, &work.caller, false, &mut KnownErrors::default())
                    .await;
                // The subscriber may have left.
                let _ = work.responses.send(own.refused(response)).await;
                End::Complete
            }
            Events::Changes(_) => self.execute_each(&mut work, None).await,
            Events::Notifications(own) => match self.ending(own, &work.caller.session).await {
                Err(error) => End::Failed(error),
                Ok(None) => self.execute_each(&mut work, None).await,
                Ok(Some(Listening { mut listener, needs_task })) => {
                    // The session of the listener that began before may be lost meanwhile.
                    let channels = own.channels.clone();
                    let task = needs_task.then(|| self.follow_channels(&channels));
                    let execution = self.execute_each(&mut work, Some(&mut listener));
                    join(execution, OptionFuture::from(task)).await.0
                }
            },
        }
    }

    /// The listener to the channel whose notification ends the subscription, if a function authorizes
    /// subscriptions.
    async fn ending(
        &self,
        notifications: &Notifications,
        session: &Session,
    ) -> Result<Option<Listening>, GraphQLError> {
        let Some(authorization) = &self.engine.live.topics else { return Ok(None) };
        let channel = &notifications.channel;
        let authorized = self.authorize_topic(authorization, channel, session).await?;
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
                    Err(end) => return End::Failed(ended(end, Origin::Notifications)),
                },
                event = work.events.next() => event,
                () = responses.closed() => return End::Complete,
            };
            let response = match event {
                Ok(event) => self.response_to(work, &event).await,
                Err(ListenerEnd::Moved) => {
                    work.is_moved.store(true, Ordering::Relaxed);
                    return End::Complete;
                }
                Err(end) => return End::Failed(ended(end, work.events.origin())),
            };
            let Some(response) = work.events.sent(response) else { continue };
            if responses.send(response).await.is_err() {
                return End::Complete;
            }
        }
    }

    async fn still_authorized(&self, work: &EventExecution) -> Result<(), GraphQLError> {
        match (&self.engine.live.topics, &work.events) {
            (Some(topics), Events::Notifications(own)) => {
                self.authorize_topic(topics, &own.channel, &work.caller.session).await.map(drop)
            }
            (None, _) | (_, Events::Changes(_)) => Ok(()),
        }
    }

    /// The response to an event: one for all equal subscriptions of equal sessions.
    async fn response_to(&self, work: &EventExecution, event: &NextEvent) -> Bytes {
        let (key, execution) = (work.key.as_ref(), self.event_response(work, event));
        match event {
            NextEvent::Begun => execution.await,
            NextEvent::Notified(notice) => notice.response(key, execution).await,
            NextEvent::Changed(change) => change.response(key, execution).await,
        }
    }

    async fn event_response(&self, work: &EventExecution, event: &NextEvent) -> Bytes {
        match &work.events {
            Events::Notifications(_) => self.engine.live.listeners.count_execution(),
            Events::Changes(_) => self.engine.live.events.count_execution(),
        }
        let mut request = work.request.clone();
        set_event(&mut request.variables, work.events.values(event));
        // Each event has a response, also where two are equal.
        self.response(&request, &work.caller, false, &mut KnownErrors::default()).await.0
    }

    /// A subscription to events that has begun.
    pub(super) fn begun(&self, events: Events, (request, caller): (&Request, &Caller)) -> Begun {
        // The next event is executed when the response to the last one is taken.
        let (responses, receiver) = mpsc::channel(1);
        let is_moved = Arc::new(AtomicBool::new(false));
        let received = EventResponses::new(receiver, events.place(), Arc::clone(&is_moved));
        let name = request.operation_name.as_deref();
        // Another generation of the engine may have other responses.
        let generation = Arc::as_ptr(&self.engine).addr() as u64;
        let key = || {
            let key = CohortKey::new(&request.query, name, &request.variables, &caller.session)
                .with_numbers(&request.numbers);
            key.alone(generation)
        };
        let work = EventExecution {
            events,
            responses,
            request: request.clone(),
            caller: caller.clone(),
            // Other servers receive headers of this client.
            key: caller.forwarded.is_none().then(key),
            is_moved,
        };
        let driver = Some(Driver(Work::Events(Box::new(work))));
        Begun { responses: Responses::Events(received), driver }
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
