//! The delivery of calls of asynchronous actions to their handlers, at least once each.

use std::collections::HashSet;
use std::pin::pin;
use std::time::Duration;

use clients::egress::EgressRequest;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http::{HeaderMap, HeaderName, HeaderValue};
use http_resolvers::HttpCall;
use http_resolvers::webhook::WebhookClient;
use serde_json::{Map, Value};
use sources::ActionLog;
use sources::action_log::{ActionResult, ClaimedAction};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::Worker;
use crate::resolvers::action::{ActionError, SentAction, action_output};
use crate::resolvers::statistics::{Calls, RunningCall};

/// The most calls that are delivered at the same time.
const MOST: usize = 100;

/// Time between two looks for calls that other servers have recorded.
const INTERVAL: Duration = Duration::from_secs(1);

/// Time after the timeout of a request in which its result is recorded.
const GRACE: Duration = Duration::from_secs(30);

/// Time between two attempts to reach the log.
const PAUSE: Duration = Duration::from_secs(1);

impl Worker {
    /// Delivers calls until the stop; then those that run may end within `drain`.
    pub async fn deliver_actions(&self, mut stop: watch::Receiver<bool>, drain: Duration) {
        let Some(calls) = &self.engine.action_calls else { return };
        let actions = &self.engine.api.async_actions;
        let names: Vec<&str> = actions.iter().map(|action| &*action.delivery.field).collect();
        let lease = |timeout: Option<Duration>| (timeout.unwrap_or_default() + GRACE).as_secs_f64();
        let leases: Vec<f64> = actions.iter().map(|one| lease(one.delivery.timeout)).collect();
        let mut running = FuturesUnordered::new();
        let mut ids = HashSet::new();
        let mut is_told = false;
        while !*stop.borrow() {
            let free = u32::try_from(MOST.saturating_sub(running.len())).unwrap_or_default();
            if free > 0 {
                let mut claim = pin!(calls.log.claim(free, &names, &leases));
                // A call that records its end may have its turn at the log's connection first: it
                // has to go on, or all others wait for it.
                let claimed = loop {
                    tokio::select! {
                        claimed = &mut claim => break claimed,
                        Some(id) = running.next(), if !running.is_empty() => drop(ids.remove(&id)),
                    }
                };
                match claimed {
                    Ok(claimed) => {
                        is_told = false;
                        for call in claimed {
                            ids.insert(call.id.clone());
                            running.push(self.deliver_action(&calls.log, call));
                        }
                    }
                    Err(error) if !is_told => {
                        tracing::error!(%error, "the log of asynchronous actions cannot be used; trying again");
                        is_told = true;
                    }
                    Err(_) => {}
                }
            }
            tokio::select! {
                Some(id) = running.next(), if !running.is_empty() => drop(ids.remove(&id)),
                () = calls.wake.notified() => {}
                () = sleep(INTERVAL) => {}
                changed = stop.changed() => if changed.is_err() { break },
            }
        }
        let ended = async {
            while let Some(id) = running.next().await {
                ids.remove(&id);
            }
        };
        // Requests that take longer are repeated by the next server.
        if timeout(drain, ended).await.is_err() {
            drop(running);
            let ids: Vec<String> = ids.into_iter().collect();
            let released = timeout(PAUSE, calls.log.release(&ids)).await;
            if !matches!(released, Ok(Ok(()))) {
                tracing::warn!("claims of asynchronous actions end with their leases");
            }
        }
    }

    /// Delivers one call, and records its end. Returns its id.
    async fn deliver_action(&self, log: &ActionLog, call: ClaimedAction) -> String {
        let mut result = match self.call_handler(&call).await {
            Ok(output) => ActionResult::Output(output),
            Err(error) => ActionResult::Failed(error.to_log().to_string()),
        };
        while let Err(error) = log.finish(&call.id, &result).await {
            let (id, action) = (&*call.id, &*call.name);
            tracing::warn!(id, action, %error, "the end of a call cannot be recorded; trying again");
            match &result {
                // A text with a character that the database does not store.
                ActionResult::Output(_) if error.is_refusal() => {
                    let error = ActionError::not_stored().to_log().to_string();
                    result = ActionResult::Failed(error);
                }
                ActionResult::Output(_) | ActionResult::Failed(_) => sleep(PAUSE).await,
            }
        }
        call.id
    }

    /// The answer of a handler, which fits the output type.
    async fn call_handler(&self, call: &ClaimedAction) -> Result<String, ActionError> {
        let mut actions = self.engine.api.async_actions.iter();
        let action = actions.find(|action| *action.delivery.field == *call.name);
        let counts = self.engine.resolvers.as_ref();
        let (Some(action), Some(egress)) = (action, &self.egress) else {
            return Err(ActionError::unknown());
        };
        let definition = &action.delivery;
        let (Some(webhook), Some(counts)) =
            (definition.webhook(), counts.and_then(|known| known.counts(definition)))
        else {
            return Err(ActionError::unknown());
        };
        let object = |text: &str| match serde_json::from_str(text) {
            Ok(Value::Object(members)) => members,
            Ok(_) | Err(_) => Map::new(),
        };
        let session = object(&call.session);
        let headers: HeaderMap = object(&call.headers).iter().filter_map(header).collect();
        let input: Value = serde_json::from_str(&call.input).unwrap_or_default();
        let payload = webhook.payload(&input, None, &session);
        let sent = SentAction {
            resolver: definition,
            action: webhook,
            payload: &payload,
            call: None,
            has_internal: true,
        };
        let client = WebhookClient { session: &session, headers: Some(&headers) };
        let made = match definition.call_webhook(&payload, client) {
            Some(made) => made.map_err(|error| sent.not_made(&error))?,
            None => return Err(ActionError::unknown()),
        };
        let sent = SentAction { call: Some(&made), ..sent };
        let HttpCall { method, url, headers, body } = made.call.clone();
        let calls = Calls::default();
        let running = RunningCall::begin(&calls, counts, definition, 0, (body.len(), 1));
        let (deadline, timeout) = (None, definition.timeout);
        let reserve = &|_: usize| true;
        let request = EgressRequest { method, url, headers, body, deadline, timeout, reserve };
        let response = egress.send(request).await;
        running.end(&response);
        let mut response = response.map_err(|error| sent.not_answered(&error))?;
        let changed =
            webhook.webhook.answer(&made, &session, response.status, response.body.clone());
        response.body = changed.map_err(|error| sent.not_transformed(&error))?;
        let output = action_output(&self.engine.api, action.output);
        sent.check(&output, &response)?;
        Ok(String::from_utf8_lossy(&response.body).into_owned())
    }
}

fn header((name, value): (&String, &Value)) -> Option<(HeaderName, HeaderValue)> {
    Some((name.parse().ok()?, value.as_str()?.parse().ok()?))
}
