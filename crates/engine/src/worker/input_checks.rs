//! Requests to servers that check the inputs of a mutation: all of them before anything is executed.

use std::time::Instant;

use clients::egress::EgressRequest;
use dialects::hasura::input_checks::{CheckedInputs, Checking};
use graphql::{ErrorCode, GraphQLError};
use http_resolvers::webhook::WebhookClient;
use http_resolvers::{CallError, HttpCall};
use response::MemoryReservation;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Ready, Worker};
use crate::caller::Caller;
use crate::headers::Forwarded;
use crate::report::Report;
use crate::resolvers::map_error::log;
use crate::resolvers::session_variables::session_variables;
use crate::resolvers::statistics::{Calls, RunningCall};
use crate::respond::our_bug;

/// Errors of servers that check inputs, with Hasura's texts.
const UNREACHABLE: &str = "http exception when validating input data";
const INVALID: &str = "received invalid response from input validation webhook";
const FAILED: &str = "internal error when validating input data";

/// The version of the request's form.
const VERSION: u8 = 1;

/// The answer of a server that refuses inputs.
#[derive(Debug, Deserialize)]
struct Refusal {
    message: String,
}

/// The client whose inputs are checked.
#[derive(Clone, Copy)]
struct CheckedClient<'a> {
    caller: &'a Caller,
    session: &'a Map<String, Value>,
    role: &'a str,
    deadline: Option<Instant>,
    calls: &'a Calls,
}

impl Worker {
    /// Has all inputs of a mutation checked; the first refusal ends it.
    pub(super) async fn check_inputs(
        &self,
        ready: &Ready,
        caller: &Caller,
        report: &mut Report,
    ) -> Result<(), GraphQLError> {
        let engine = &*self.engine;
        let session = session_variables(&caller.session);
        let role = session.get("x-hasura-role").and_then(Value::as_str).unwrap_or_default();
        let checking = Checking {
            api: &engine.api,
            catalog: &engine.catalog,
            operation: &ready.known.document.operation,
            variables: &ready.variables,
            most_fields: engine.limits.document.fields,
            role,
        };
        let requests = checking.requests().map_err(GraphQLError::from)?;
        if !requests.is_empty() {
            ready.require_no_files("inputs that another server checks")?;
        }
        let started = report.started.unwrap_or_else(Instant::now);
        let deadline = self.time_limit.map(|limit| started + limit);
        let calls = &report.calls;
        let client = CheckedClient { caller, session: &session, role, deadline, calls };
        for request in requests {
            self.check_input(request, client).await?;
        }
        Ok(())
    }

    async fn check_input(
        &self,
        CheckedInputs { check, inputs }: CheckedInputs,
        client: CheckedClient<'_>,
    ) -> Result<(), GraphQLError> {
        let CheckedClient { caller, session, role, deadline, calls } = client;
        let known = self.engine.resolvers.as_ref();
        let (Some(egress), Some(counts)) =
            (&self.egress, known.and_then(|known| known.counts(&check)))
        else {
            return Err(our_bug("a check of inputs has no client"));
        };
        let payload = json!({
            "version": VERSION,
            "role": role,
            "session_variables": session,
            "data": { "input": inputs },
        });
        let headers = caller.forwarded.as_deref().map(Forwarded::headers);
        let made = check.call_webhook(&payload, WebhookClient { session, headers });
        let unreachable = |code: ErrorCode, reason: &str| {
            log(&check, code, reason);
            unexpected(code, UNREACHABLE)
        };
        let HttpCall { method, url, mut headers, body } = match made {
            Some(Ok(made)) => made.call,
            Some(Err(CallError::Url(error))) => {
                return Err(unreachable(ErrorCode::ResolverError, &error.to_string()));
            }
            Some(Err(CallError::Transform(_) | CallError::Argument(_))) | None => {
                return Err(our_bug("a check of inputs has no request"));
            }
        };
        let number = calls.next_number();
        if let Some(forwarded) = &caller.forwarded {
            forwarded.set_trace_context(&mut headers, number);
        }
        let running = RunningCall::begin(calls, counts, &check, number, (body.len(), 1));
        let held = std::cell::RefCell::new(MemoryReservation::of(&self.memory));
        let reserve = |bytes: usize| held.borrow_mut().grow_to(bytes as u64).is_ok();
        let timeout = check.timeout;
        let request =
            EgressRequest { method, url, headers, body, deadline, timeout, reserve: &reserve };
        let response = egress.send(request).await;
        running.end(&response);
        let response = match response {
            Ok(response) => response,
            Err(error) => {
                return Err(unreachable(ErrorCode::ResolverUnavailable, &error.to_string()));
            }
        };
        match response.status {
            200..300 => Ok(()),
            400 => match serde_json::from_slice::<Refusal>(&response.body) {
                Ok(Refusal { message }) => {
                    let error = GraphQLError::new(ErrorCode::BadUserInput, message);
                    let error = formed(error, "validation-failed");
                    Err(error.logged_as("The server that checks the inputs refuses them."))
                }
                Err(error) => {
                    log(&check, ErrorCode::ResolverResponseInvalid, &error.to_string());
                    Err(unexpected(ErrorCode::ResolverResponseInvalid, INVALID))
                }
            },
            status => {
                let reason = format!("expecting 200 or 400 status code, but found {status}");
                log(&check, ErrorCode::ResolverError, &reason);
                Err(unexpected(ErrorCode::ResolverError, FAILED))
            }
        }
    }
}

fn unexpected(code: ErrorCode, message: &str) -> GraphQLError {
    formed(GraphQLError::new(code, message), "unexpected")
}

/// The error in Hasura's form.
fn formed(mut error: GraphQLError, code: &str) -> GraphQLError {
    for (key, value) in [("path", "$"), ("code", code)] {
        error.extensions.push((key.into(), Value::from(value).to_string().into()));
    }
    error
}
