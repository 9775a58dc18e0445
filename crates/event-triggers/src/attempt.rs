//! One request, and what becomes of its event.

use std::time::{Duration, Instant};

use bytes::Bytes;
use clients::egress::{Client, EgressError, EgressRequest, EgressResponse};
use http::Method;
use http::header::RETRY_AFTER;
use http_resolvers::HttpCall;
use http_resolvers::webhook::{TransformError, WebhookCall, WebhookClient};
use serde_json::{Map, Value};
use sources::event_log::{Invocation, Outcome};

use crate::definition::Retries;
use crate::payload;
use crate::webhook::Webhook;

/// The longest delay that a webhook may ask for.
const LONGEST_DELAY: u64 = 7 * 24 * 3600;

/// Sends a body, and decides about the event by the response. `tries` is the number of earlier attempts.
pub(crate) async fn attempt(
    client: &Client,
    webhook: &Webhook,
    body: String,
    tries: u32,
    retries: Retries,
) -> (Outcome, Invocation) {
    let Transformed { call, of_template } = match transformed(webhook, &body) {
        Ok(made) => made,
        // Another attempt would fail, too.
        Err(error) => {
            let (request, response) =
                (payload::log_request(webhook, &body), payload::log_error(&error.to_string()));
            return (Outcome::Failed, Invocation { status: None, request, response });
        }
    };
    let request = match &of_template {
        Some(_) => payload::log_changed_request(webhook, &call.body),
        None => payload::log_request(webhook, &body),
    };
    let HttpCall { method, url, headers, body } = call;
    let response = client.send(EgressRequest {
        method,
        url,
        headers,
        body,
        deadline: Some(Instant::now() + retries.timeout),
        timeout: None,
        reserve: &|_| true,
    });
    let response = response.await;
    let (status, response) = (status(&response), changed(webhook, of_template.as_ref(), response));
    let logged = match &response {
        Ok(response) => payload::log_response(response),
        Err(error) => payload::log_error(&error.to_string()),
    };
    let invocation = Invocation { status, request, response: logged };
    (outcome(response.as_ref().ok(), tries, retries), invocation)
}

/// A request, with what the template of its answer uses.
struct Transformed {
    call: HttpCall,
    of_template: Option<(WebhookCall, Map<String, Value>)>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum AttemptError {
    #[error(transparent)]
    Egress(#[from] EgressError),
    #[error("the answer cannot be transformed: {0}")]
    Transform(TransformError),
}

/// The request of an event.
fn transformed(webhook: &Webhook, body: &str) -> Result<Transformed, TransformError> {
    let Some(transforms) = &webhook.transforms else {
        let (url, headers) = (webhook.url.clone(), webhook.headers.clone());
        let body = Bytes::from(body.to_owned());
        let call = HttpCall { method: Method::POST, url, headers, body };
        return Ok(Transformed { call, of_template: None });
    };
    // A body is JSON.
    let payload: Value = serde_json::from_str(body).unwrap_or_default();
    let session = payload.pointer("/event/session_variables").and_then(Value::as_object);
    let session = session.cloned().unwrap_or_default();
    let client = WebhookClient { session: &session, headers: None };
    let made = transforms.call(&webhook.url, &payload, client)?;
    let call = made.call.clone();
    Ok(Transformed { call, of_template: Some((made, session)) })
}

/// The answer of a success, changed by its template.
fn changed(
    webhook: &Webhook,
    of_template: Option<&(WebhookCall, Map<String, Value>)>,
    response: Result<EgressResponse, EgressError>,
) -> Result<EgressResponse, AttemptError> {
    let response = response?;
    match (&webhook.transforms, of_template) {
        (Some(transforms), Some((call, session))) if (200..300).contains(&response.status) => {
            let EgressResponse { status, body, .. } = &response;
            let body = transforms.answer(call, session, *status, body.clone());
            Ok(EgressResponse { body: body.map_err(AttemptError::Transform)?, ..response })
        }
        _ => Ok(response),
    }
}

fn status(response: &Result<EgressResponse, EgressError>) -> Option<u16> {
    match response {
        Ok(response) => Some(response.status),
        Err(EgressError::Redirect(status)) => Some(*status),
        Err(
            EgressError::HostRefused
            | EgressError::AddressRefused
            | EgressError::Unavailable(_)
            | EgressError::Timeout
            | EgressError::TooLarge { .. }
            | EgressError::Truncated(_)
            | EgressError::MemoryExhausted,
        ) => None,
    }
}

/// An event is delivered by a status of success. A webhook that asks for a later attempt gets it, as
/// often as it asks.
fn outcome(response: Option<&EgressResponse>, tries: u32, retries: Retries) -> Outcome {
    let asked = match response {
        Some(response) if (200..300).contains(&response.status) => return Outcome::Delivered,
        Some(response) => retry_after(response),
        None => None,
    };
    match asked {
        Some(delay) => Outcome::Retry(delay),
        None if tries < retries.most => Outcome::Retry(retries.interval),
        None => Outcome::Failed,
    }
}

/// The delay of a `Retry-After` in seconds; dates are not read.
fn retry_after(response: &EgressResponse) -> Option<Duration> {
    let seconds: u64 = response.headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    (seconds > 0).then(|| Duration::from_secs(seconds.min(LONGEST_DELAY)))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::*;

    const RETRIES: Retries =
        Retries { most: 2, interval: Duration::from_secs(7), timeout: Duration::from_secs(1) };

    fn answer(status: u16, retry_after: Option<&'static str>) -> EgressResponse {
        let mut headers = HeaderMap::new();
        if let Some(value) = retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
        }
        EgressResponse { status, headers, body: Bytes::new() }
    }

    #[test]
    fn failures_are_repeated_as_often_as_metadata_says() {
        let again = Outcome::Retry(RETRIES.interval);
        assert_eq!(outcome(Some(&answer(204, None)), 0, RETRIES), Outcome::Delivered);
        assert_eq!(outcome(Some(&answer(500, None)), 0, RETRIES), again);
        assert_eq!(outcome(Some(&answer(500, None)), 1, RETRIES), again);
        assert_eq!(outcome(Some(&answer(404, None)), 2, RETRIES), Outcome::Failed);
        assert_eq!(outcome(None, 1, RETRIES), again);
        assert_eq!(outcome(None, 2, RETRIES), Outcome::Failed);
    }

    #[test]
    fn a_webhook_may_ask_for_another_attempt() {
        let later = |seconds| Outcome::Retry(Duration::from_secs(seconds));
        assert_eq!(outcome(Some(&answer(503, Some("3"))), 2, RETRIES), later(3));
        assert_eq!(
            outcome(Some(&answer(503, Some("99999999999"))), 2, RETRIES),
            later(LONGEST_DELAY)
        );
        assert_eq!(outcome(Some(&answer(503, Some("0"))), 2, RETRIES), Outcome::Failed);
        assert_eq!(outcome(Some(&answer(503, Some("soon"))), 2, RETRIES), Outcome::Failed);
        assert_eq!(outcome(Some(&answer(200, Some("3"))), 0, RETRIES), Outcome::Delivered);
    }
}
