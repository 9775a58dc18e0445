//! Subscriptions whose responses webhooks receive: their check, and the response to a recorded event.

use std::sync::Arc;
use std::time::Duration;

use dialects::Listened;
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, Request};
use http_resolvers::WebhookSubscription;
use response::MemoryBudget;
use serde_json_bytes::Value;
use source::{EventRecorder, EventRecorders, Session};
use tokio::sync::Semaphore;

use super::{Worker, coerced};
use crate::caller::Caller;
use crate::engine::{Engine, OpenError};
use crate::events::{none, set_recorded};
use crate::repeated_errors::KnownErrors;
use crate::webhook_subscriptions::{CheckedSubscription, RecordedResponse, WebhookSubscriptions};

/// Responses that are made at the same time.
const MOST_AT_ONCE: usize = 8;

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
                let (recorders, slots) = (Arc::new(recorders), Semaphore::new(MOST_AT_ONCE));
                Ok(Some(WebhookSubscriptions { recorders, subscriptions, slots }))
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
    /// A worker for the responses to recorded events, each within this time. All of them together have
    /// the memory of two of the largest responses: others are made later.
    #[must_use]
    pub fn of_recorded(engine: Arc<Engine>, time_limit: Duration) -> Self {
        let most = engine.limits.response_bytes.saturating_mul(2);
        Self::sharing(engine, MemoryBudget::new(most)).within(time_limit)
    }

    /// The response of a subscription to an event, as the log has it. Dropping the future cancels its
    /// statements.
    pub async fn respond_to_recorded(&self, name: &str, event: &str) -> RecordedResponse {
        let webhooks = self.engine.webhooks.as_ref();
        let found = webhooks.and_then(|own| {
            let mut subscriptions = own.subscriptions.iter();
            Some((subscriptions.find(|subscription| *subscription.name == *name)?, &own.slots))
        });
        let Some((subscription, slots)) = found else {
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
        // The semaphore is never closed.
        let _slot = slots.acquire().await;
        let response = self.response_now(&request, &caller, false, &mut known);
        let (response, codes) = Box::pin(response).await;
        let text = || String::from_utf8_lossy(&response).into_owned();
        if codes.iter().copied().any(is_lasting) {
            return RecordedResponse::Failed(text());
        }
        if !codes.is_empty() {
            return RecordedResponse::Later(text());
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

/// Returns true if a repetition has the same error: the document, its values or a limit of the server are
/// its reason, and not the state of the source or of other servers.
fn is_lasting(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::ParseFailed
            | ErrorCode::ValidationFailed
            | ErrorCode::OperationResolutionFailure
            | ErrorCode::BadUserInput
            | ErrorCode::QueryTooDeep
            | ErrorCode::QueryTooLarge
            | ErrorCode::QueryTooComplex
            | ErrorCode::IntrospectionDisabled
            | ErrorCode::TooManyAliases
            | ErrorCode::TooManyRootFields
            | ErrorCode::TooManyDirectives
            | ErrorCode::TooManyFragments
            | ErrorCode::TooManyVariables
            | ErrorCode::CostTooHigh
            | ErrorCode::PatternTooComplex
            | ErrorCode::ResponseTooLarge
            | ErrorCode::NotSupported
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_documents_values_and_limits_are_lasting() {
        for code in [ErrorCode::BadUserInput, ErrorCode::ResponseTooLarge] {
            assert!(is_lasting(code), "{code:?}");
        }
        let later = [
            ErrorCode::InternalServerError,
            ErrorCode::SourceError,
            ErrorCode::Unavailable,
            ErrorCode::Timeout,
            ErrorCode::PermissionDenied,
            ErrorCode::ResolverError,
            ErrorCode::ResponseMemoryExhausted,
        ];
        for code in later {
            assert!(!is_lasting(code), "{code:?}");
        }
    }
}
