//! Fields of asynchronous actions: recording a call, and reading what became of it.

use bytes::Bytes;
use clients::egress::EgressResponse;
use graphql::{ErrorCode, GraphQLError};
use http::HeaderMap;
use http_resolvers::{Inputs, LogAccess, LoggedAction};
use serde_json::{Map, Value, json};
use sources::action_log::{ActionRecord, LoggedAnswer, NewAction};
use sources::{ActionLog, ActionLogError};

use super::Worker;
use crate::resolvers::action::is_admin;
use crate::respond::our_bug;

/// The client of a call.
#[derive(Clone, Copy)]
pub(super) struct LoggingClient<'a> {
    pub(super) session: &'a Map<String, Value>,
    pub(super) headers: Option<&'a HeaderMap>,
}

impl Worker {
    /// The value of a field of an asynchronous action, as the answer of a server.
    pub(super) async fn logged_value(
        &self,
        logged: &LoggedAction,
        inputs: &Inputs,
        client: LoggingClient<'_>,
    ) -> Result<EgressResponse, GraphQLError> {
        let calls = self.engine.action_calls.as_ref();
        let Some(calls) = calls else { return Err(our_bug("the log of actions is missing")) };
        let value = match logged.access {
            LogAccess::Record => {
                let id = self.record_call(&calls.log, logged, inputs, client).await?;
                calls.wake.notify_one();
                Value::String(id)
            }
            LogAccess::Read => read_call(&calls.log, logged, inputs, client).await?,
        };
        let body = Bytes::from(value.to_string());
        Ok(EgressResponse { status: 200, headers: HeaderMap::new(), body })
    }

    async fn record_call(
        &self,
        log: &ActionLog,
        logged: &LoggedAction,
        inputs: &Inputs,
        client: LoggingClient<'_>,
    ) -> Result<String, GraphQLError> {
        let mut actions = self.engine.api.async_actions.iter();
        let action = actions.find(|action| action.delivery.field == logged.action);
        let webhook = action.and_then(|action| action.delivery.webhook());
        // Other headers of the client are nobody's business later.
        let forwards = webhook.is_some_and(|webhook| webhook.webhook.client_headers.is_some());
        let headers = client.headers.filter(|_| forwards).into_iter().flatten();
        let headers: Map<String, Value> = headers
            .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.into())))
            .collect();
        let (headers, session) =
            (Value::Object(headers).to_string(), Value::Object(client.session.clone()).to_string());
        let input = inputs.to_json().to_string();
        let (name, input, headers, session) = (&*logged.action, &*input, &*headers, &*session);
        let recorded = log.record(&NewAction { name, input, headers, session }).await;
        recorded.map_err(|error| unusable(&error))
    }
}

/// A call as its type has it; null if there is none that the session may see.
async fn read_call(
    log: &ActionLog,
    logged: &LoggedAction,
    inputs: &Inputs,
    client: LoggingClient<'_>,
) -> Result<Value, GraphQLError> {
    let id = inputs.find("id").and_then(Value::as_str).unwrap_or_default();
    if !is_uuid(id) {
        let message = format!("invalid input syntax for type uuid: {id:?}");
        let error = GraphQLError::new(ErrorCode::InvalidValue, message);
        return Err(error.logged_as("The id of a call is no UUID."));
    }
    let is_admin = is_admin(client.session);
    let session = (!is_admin).then(|| Value::Object(client.session.clone()).to_string());
    let record = ActionRecord { id, name: &logged.action, session: session.as_deref() };
    let found = log.read(&record).await.map_err(|error| unusable(&error))?;
    let Some(LoggedAnswer { created_at, output, errors }) = found else { return Ok(Value::Null) };
    // The database has written all of them.
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let mut errors = errors.as_deref().map_or(Value::Null, value);
    if let Some(errors) = errors.as_object_mut().filter(|_| !is_admin) {
        errors.remove("internal");
    }
    Ok(json!({
        "id": id.to_ascii_lowercase(),
        "created_at": value(&created_at),
        "output": output.as_deref().map_or(Value::Null, value),
        "errors": errors,
    }))
}

fn is_uuid(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
    let is_split = |idx: usize| matches!(idx, 8 | 13 | 18 | 23);
    digits.len() == 32
        && digits.iter().all(u8::is_ascii_hexdigit)
        && (text.len() == 32
            || text.bytes().enumerate().all(|(idx, byte)| (byte == b'-') == is_split(idx)))
}

fn unusable(error: &ActionLogError) -> GraphQLError {
    tracing::error!(%error, "the log of asynchronous actions cannot be used");
    let message = "the log of asynchronous actions cannot be used";
    GraphQLError::new(ErrorCode::Unavailable, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_uuids() {
        assert!(is_uuid("8f530cd7-e9d1-4a5e-8ab4-405913d3a1c9"));
        assert!(is_uuid("8F530CD7E9D14A5E8AB4405913D3A1C9"));
        for text in [
            "",
            "8",
            "8f530cd7-e9d1-4a5e-8ab4-405913d3a1cg",
            "8f530cd-7e9d1-4a5e-8ab4-405913d3a1c9",
        ] {
            assert!(!is_uuid(text), "{text}");
        }
    }
}
