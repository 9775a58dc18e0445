//! One request, and what becomes of its event.

use std::time::{Duration, Instant};

use bytes::Bytes;
use clients::egress::{Client, EgressError, EgressRequest, EgressResponse};
use http::Method;
use http::header::RETRY_AFTER;
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
    let request = payload::log_request(webhook, &body);
    let response = client.send(EgressRequest {
        method: Method::POST,
        url: webhook.url.clone(),
        headers: webhook.headers.clone(),
        body: Bytes::from(body),
        deadline: Some(Instant::now() + retries.timeout),
        timeout: None,
        reserve: &|_| true,
    });
    let response = response.await;
    let invocation = Invocation {
        status: status(&response),
        request,
        response: payload::log_response(&response),
    };
    (outcome(&response, tries, retries), invocation)
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
fn outcome(
    response: &Result<EgressResponse, EgressError>,
    tries: u32,
    retries: Retries,
) -> Outcome {
    let asked = match response {
        Ok(response) if (200..300).contains(&response.status) => return Outcome::Delivered,
        Ok(response) => retry_after(response),
        Err(_) => None,
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

    fn answer(
        status: u16,
        retry_after: Option<&'static str>,
    ) -> Result<EgressResponse, EgressError> {
        let mut headers = HeaderMap::new();
        if let Some(value) = retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
        }
        Ok(EgressResponse { status, headers, body: Bytes::new() })
    }

    #[test]
    fn failures_are_repeated_as_often_as_metadata_says() {
        let again = Outcome::Retry(RETRIES.interval);
        assert_eq!(outcome(&answer(204, None), 0, RETRIES), Outcome::Delivered);
        assert_eq!(outcome(&answer(500, None), 0, RETRIES), again);
        assert_eq!(outcome(&answer(500, None), 1, RETRIES), again);
        assert_eq!(outcome(&answer(404, None), 2, RETRIES), Outcome::Failed);
        assert_eq!(outcome(&Err(EgressError::Timeout), 1, RETRIES), again);
        assert_eq!(outcome(&Err(EgressError::Redirect(302)), 2, RETRIES), Outcome::Failed);
    }

    #[test]
    fn a_webhook_may_ask_for_another_attempt() {
        let later = |seconds| Outcome::Retry(Duration::from_secs(seconds));
        assert_eq!(outcome(&answer(503, Some("3")), 2, RETRIES), later(3));
        assert_eq!(outcome(&answer(503, Some("99999999999")), 2, RETRIES), later(LONGEST_DELAY));
        assert_eq!(outcome(&answer(503, Some("0")), 2, RETRIES), Outcome::Failed);
        assert_eq!(outcome(&answer(503, Some("soon")), 2, RETRIES), Outcome::Failed);
        assert_eq!(outcome(&answer(200, Some("3")), 0, RETRIES), Outcome::Delivered);
    }
}
