//! Subscriptions whose responses webhooks receive: their check, and the response to a recorded event.

use std::sync::Arc;

use dialects::Listened;
use graphql::operation::OperationKind;
use graphql::{GraphQLError, Request};
use serde_json_bytes::Value;
use source::{EventRecorder, EventRecorders, Session};

use super::subscribe::is_transient;
use super::{Worker, coerced};
use crate::caller::Caller;
use crate::engine::{Engine, OpenError};
use crate::events::{none, set_recorded};
use crate::repeated_errors::KnownErrors;
use crate::webhook_subscriptions::{
    CheckedSubscription, RecordedResponse, WebhookSubscription, WebhookSubscriptions,
};

impl Engine {
    /// Checks the subscriptions. All mistakes are found in one run.
    pub(crate) fn check_webhooks(
        &self,
        named: &[WebhookSubscription],
    ) -> Result<Option<WebhookSubscriptions>, OpenError> {
        if named.is_empty() {
            return Ok(None);
        }
        if self.access.is_some() {
            return Err(OpenError::WebhooksAndPolicies);
        }
        let (mut recorders, mut subscriptions) = (EventRecorders::default(), Vec::new());
        let mut mistakes = Vec::new();
        for WebhookSubscription { name, query, .. } in named {
            match self.listened(query) {
                Ok(Listened::RowChanges { entity, response_name }) => {
                    let table = &self.catalog[entity];
                    let schema = table.namespace.as_deref().unwrap_or_default().into();
                    let (trigger, own) = (name.clone(), table.name.clone());
                    recorders.add(entity, EventRecorder { trigger, schema, table: own });
                    let (name, query) = (name.clone(), Arc::clone(query));
                    let none = none(&response_name);
                    subscriptions.push(CheckedSubscription { name, query, none });
                }
                Ok(_) => mistakes.push(format!("{name}: it is no subscription to rows")),
                Err(problem) => mistakes.push(format!("{name}: {problem}")),
            }
        }
        match mistakes.is_empty() {
            true => {
                Ok(Some(WebhookSubscriptions { recorders: Arc::new(recorders), subscriptions }))
            }
            false => Err(OpenError::Webhooks(mistakes.join("\nerror: the subscription "))),
        }
    }

    /// Events that a subscription without variables listens to. The error is a sentence.
    fn listened(&self, query: &str) -> Result<Listened, String> {
        let told = |errors: Vec<GraphQLError>| {
            errors.first().map_or_else(String::new, |error| error.message.to_string())
        };
        let (request, session) = (request(query), Session::default());
        let known = self.document(&request, &session, &mut false).map_err(told)?;
        if known.document.operation.kind != OperationKind::Subscription {
            return Err("it is no subscription".into());
        }
        let schema = self.view(&session).map_err(told)?.schema;
        let variables = coerced(schema, &known.document.operation, &request);
        let variables = variables.map_err(told)?;
        let prepared = self.plan(&known, None, &variables, &session, &mut false).map_err(told)?;
        prepared.listened.as_deref().cloned().ok_or_else(|| "it has no events".into())
    }
}

impl Worker {
    /// The response of a subscription to an event, as the log has it.
    pub async fn respond_to_recorded(&self, name: &str, event: &str) -> RecordedResponse {
        let mut own = self.engine.webhooks.iter().flat_map(|own| &own.subscriptions);
        let Some(subscription) = own.find(|subscription| *subscription.name == *name) else {
            return RecordedResponse::Failed("there is no such subscription any more".into());
        };
        let value = match serde_json::from_str(event) {
            Ok(Value::Object(mut event)) => event.remove("data").unwrap_or_default(),
            Ok(_) | Err(_) => {
                return RecordedResponse::Failed("the event in the log is no JSON object".into());
            }
        };
        let mut request = request(&subscription.query);
        set_recorded(&mut request.variables, value);
        let caller = Caller::default();
        // Each event is executed once.
        let mut known = KnownErrors::default();
        let (response, codes) = self.response(&request, &caller, false, &mut known).await;
        let text = || String::from_utf8_lossy(&response).into_owned();
        if codes.iter().copied().any(is_transient) {
            return RecordedResponse::Later(text());
        }
        if !codes.is_empty() {
            return RecordedResponse::Failed(text());
        }
        match response.strip_prefix(&*subscription.none) == Some(b"}") {
            true => RecordedResponse::NotWanted,
            false => RecordedResponse::Wanted(response),
        }
    }
}

fn request(query: &str) -> Request {
    Request { query: query.to_owned(), ..Request::default() }
}
