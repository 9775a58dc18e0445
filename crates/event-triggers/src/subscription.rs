//! Subscriptions of a server itself: their webhooks, and what becomes of events without a request.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use http_resolvers::WebhookSubscription;
use sources::event_log::{Invocation, Outcome};

use crate::bodies::{Bodies, Body};
use crate::definition::{Definitions, EventDefinition, Retries};
use crate::payload;
use crate::webhook::Webhook;

/// How often and for how long requests are repeated: an hour and a half.
pub(crate) const RETRIES: Retries =
    Retries { most: 540, interval: Duration::from_secs(10), timeout: Duration::from_secs(60) };

/// Message of an event without a request.
const NOT_WANTED: &str = "the conditions of the subscription exclude the event";

impl Definitions {
    /// The webhooks of subscriptions. All problems are found in one run, each a sentence.
    pub fn of_subscriptions(
        subscriptions: &[WebhookSubscription],
        bodies: &Bodies,
    ) -> Result<Self, Vec<String>> {
        let (mut definitions, mut problems) = (Self::default(), Vec::new());
        for subscription in subscriptions {
            match webhook(subscription) {
                Ok(webhook) => {
                    let (retries, bodies) = (RETRIES, Some(bodies.clone()));
                    let definition = EventDefinition { webhook, retries, cleanup: None, bodies };
                    definitions.rows.insert(subscription.name.clone(), definition);
                }
                Err(problem) => {
                    problems.push(format!("the subscription {}: {problem}", subscription.name));
                }
            }
        }
        match problems.is_empty() {
            true => Ok(definitions),
            false => Err(problems),
        }
    }
}

/// The webhook of a subscription. The error is a sentence.
fn webhook(subscription: &WebhookSubscription) -> Result<Webhook, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &subscription.headers {
        let known =
            HeaderName::try_from(name).map_err(|_| format!("{name:?} is no name of a header"))?;
        let value = HeaderValue::try_from(value)
            .map_err(|_| format!("the value of the header {name} has invalid characters"))?;
        headers.insert(known, value);
    }
    Webhook::of_headers(&subscription.url, headers)
}

/// Outcome of an event without a request.
pub(crate) fn without_request(body: &Body, tries: u32) -> (Outcome, Invocation) {
    let (outcome, message) = match body {
        Body::Ready(_) | Body::NotWanted => (Outcome::Delivered, NOT_WANTED),
        Body::Later(message) if tries < RETRIES.most => {
            (Outcome::Retry(RETRIES.interval), message.as_str())
        }
        Body::Later(message) | Body::Failed(message) => (Outcome::Failed, message.as_str()),
    };
    let response = payload::log_error(message);
    (outcome, Invocation { status: None, request: "{}".into(), response })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_without_a_request_is_repeated_while_the_source_does_not_answer() {
        let check = |body: Body, tries, expected| {
            assert_eq!(without_request(&body, tries).0, expected, "{body:?}");
        };
        check(Body::NotWanted, 0, Outcome::Delivered);
        check(Body::Later("a".into()), 0, Outcome::Retry(RETRIES.interval));
        check(Body::Later("a".into()), RETRIES.most, Outcome::Failed);
        check(Body::Failed("a".into()), 0, Outcome::Failed);
    }

    #[test]
    fn values_of_headers_are_sent_and_not_logged() {
        let headers = vec![("Authorization".into(), "secret".into())];
        let (name, url) = ("a".into(), "http://hooks/a".into());
        let subscription = WebhookSubscription { name, query: "".into(), url, headers };
        let webhook = webhook(&subscription).unwrap();
        assert_eq!(webhook.headers["authorization"], "secret");
        assert_eq!(webhook.headers["content-type"], "application/json");
        assert!(webhook.shown.iter().all(|(_, shown)| **shown != *"secret"));
        let wrong = WebhookSubscription { url: "ftp://hooks".into(), ..subscription };
        assert!(super::webhook(&wrong).unwrap_err().contains("no address of HTTP"));
    }
}
