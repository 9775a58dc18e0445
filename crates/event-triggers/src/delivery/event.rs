//! The delivery of one event.

use std::time::Instant;

use sources::event_log::{CronEvent, Invocation, OneOffEvent, Outcome, Queue, RowEvent};
use tokio::time::sleep;

use super::{PAUSE, Shared};
use crate::attempt::attempt;
use crate::bodies::Body;
use crate::definition::{Definitions, Retries};
use crate::one_off::OneOff;
use crate::payload;
use crate::subscription::without_request;
use crate::webhook::Webhook;

/// A claimed event.
#[derive(Debug)]
pub(super) enum Event {
    Row(RowEvent),
    Cron(CronEvent),
    OneOff(OneOffEvent),
}

impl Event {
    pub(super) fn queue(&self) -> Queue {
        match self {
            Self::Row(_) => Queue::Rows,
            Self::Cron(_) => Queue::Cron,
            Self::OneOff(_) => Queue::OneOff,
        }
    }

    pub(super) fn id(&self) -> &str {
        match self {
            Self::Row(event) => &event.id,
            Self::Cron(event) => &event.id,
            Self::OneOff(event) => &event.id,
        }
    }

    /// The name of the trigger; single events have none.
    pub(super) fn trigger(&self) -> &str {
        match self {
            Self::Row(event) => &event.trigger,
            Self::Cron(event) => &event.trigger,
            Self::OneOff(_) => "",
        }
    }

    fn tries(&self) -> u32 {
        match self {
            Self::Row(event) => event.tries,
            Self::Cron(event) => event.tries,
            Self::OneOff(event) => event.tries,
        }
    }

    /// Where the event is sent, and what. The error is a sentence.
    fn request(&self, definitions: &Definitions) -> Result<(Webhook, Retries, String), String> {
        let no_trigger = || "metadata has no such trigger any more".to_owned();
        let (webhook, retries, body) = match self {
            Self::Row(event) => {
                let found = definitions.rows.get(&*event.trigger).ok_or_else(no_trigger)?;
                let body = payload::of_row(event, found.retries.most);
                (found.webhook.clone(), found.retries, body)
            }
            Self::Cron(event) => {
                let found = definitions.cron.get(&*event.trigger).ok_or_else(no_trigger)?;
                (found.webhook.clone(), found.retries, payload::of_cron(event, found))
            }
            Self::OneOff(event) => {
                let settings = OneOff::read(event)?;
                if settings.is_late {
                    return Err("its time was longer ago than its tolerance".into());
                }
                (settings.webhook, settings.retries, payload::of_one_off(event))
            }
        };
        let body = body.map_err(|error| format!("its payload is no JSON: {error}"))?;
        Ok((webhook, retries, body))
    }

    /// Its body if it is an event of a subscription.
    async fn subscribed(&self, definitions: &Definitions) -> Option<Body> {
        let Self::Row(event) = self else { return None };
        let bodies = definitions.rows.get(&*event.trigger)?.bodies.as_ref()?;
        Some(bodies.body(&event.trigger, &event.payload).await)
    }
}

/// Delivers an event, and records what became of it: until that is done, or its claim is another
/// server's, whose attempt is one more.
pub(super) async fn deliver(shared: &Shared, definitions: &Definitions, event: &Event) {
    let started = Instant::now();
    let subscribed = event.subscribed(definitions).await;
    let (outcome, invocation) = match (event.request(definitions), subscribed) {
        (Ok((webhook, retries, _)), Some(Body::Ready(body))) => {
            let webhook = webhook.with_event(event.id());
            attempt(&shared.client, &webhook, body, event.tries(), retries).await
        }
        (_, Some(body)) => without_request(&body, event.tries()),
        (Ok((webhook, retries, body)), None) => {
            attempt(&shared.client, &webhook, body, event.tries(), retries).await
        }
        (Err(message), None) => {
            let response = payload::log_error(&message);
            (Outcome::Failed, Invocation { status: None, request: "{}".into(), response })
        }
    };
    let (queue, id, trigger) = (event.queue(), event.id(), event.trigger());
    let status = invocation.status;
    match outcome {
        Outcome::Delivered => tracing::debug!(trigger, id, status, "delivered an event"),
        Outcome::Retry(delay) => {
            tracing::info!(trigger, id, status, ?delay, "an event is delivered again later");
        }
        Outcome::Failed => tracing::warn!(trigger, id, status, "an event was not delivered"),
    }
    let time = started.elapsed();
    while let Err(error) = shared.log.finish(queue, id, outcome, &invocation).await {
        tracing::warn!(trigger, id, %error, "an attempt cannot be recorded; trying again");
        sleep(PAUSE).await;
    }
    shared.statistics.end(queue, outcome, time);
}
