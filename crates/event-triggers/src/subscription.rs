//! Subscriptions of a server itself: the body of a request is the response to an event, which an engine
//! makes when the event is delivered.

use http::{HeaderMap, HeaderName, HeaderValue};
use sources::event_log::{Invocation, Outcome};
use tokio::sync::{mpsc, oneshot};

use crate::definition::Retries;
use crate::payload;
use crate::webhook::Webhook;

/// A subscription with its webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionWebhook {
    pub name: Box<str>,
    pub url: String,
    /// Names and values, which may be secrets: no log has them.
    pub headers: Vec<(String, String)>,
}

/// The way to the engine that makes bodies.
#[derive(Clone, Debug)]
pub struct Bodies(mpsc::UnboundedSender<BodyRequest>);

/// An event whose response is wanted. Dropping the answer's sender makes it wanted again later.
#[derive(Debug)]
pub struct BodyRequest {
    pub subscription: Box<str>,
    /// The event as the log has it, JSON.
    pub event: String,
    pub answer: oneshot::Sender<Body>,
}

/// The body of an event's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Ready(String),
    /// The subscription does not want the event.
    NotWanted,
    /// The source does not answer.
    Later(String),
    Failed(String),
}

/// How often and for how long requests are repeated: an hour and a half.
pub(crate) const RETRIES: Retries = Retries {
    most: 540,
    interval: std::time::Duration::from_secs(10),
    timeout: std::time::Duration::from_secs(60),
};

/// Message of an event without a request.
const NOT_WANTED: &str = "the subscription does not want the event";
const NO_ENGINE: &str = "the server has stopped";

impl Bodies {
    /// The way to an engine, and its other end.
    #[must_use]
    pub fn new() -> (Self, mpsc::UnboundedReceiver<BodyRequest>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    pub(crate) async fn body(&self, subscription: &str, event: &str) -> Body {
        let (answer, answered) = oneshot::channel();
        let request =
            BodyRequest { subscription: subscription.into(), event: event.into(), answer };
        match self.0.send(request) {
            Ok(()) => answered.await.unwrap_or_else(|_| Body::Later(NO_ENGINE.into())),
            Err(_) => Body::Later(NO_ENGINE.into()),
        }
    }
}

impl PartialEq for Bodies {
    fn eq(&self, other: &Self) -> bool {
        self.0.same_channel(&other.0)
    }
}

impl SubscriptionWebhook {
    /// The webhook of the subscription. The error is a sentence.
    pub(crate) fn resolve(&self) -> Result<Webhook, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let known = HeaderName::try_from(name)
                .map_err(|_| format!("{name:?} is no name of a header"))?;
            let value = HeaderValue::try_from(value)
                .map_err(|_| format!("the value of the header {name} has invalid characters"))?;
            headers.insert(known, value);
        }
        Webhook::of_headers(&self.url, headers)
    }
}

/// What becomes of an event without a request.
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
        let subscription = SubscriptionWebhook { name, url, headers };
        let webhook = subscription.resolve().unwrap();
        assert_eq!(webhook.headers["authorization"], "secret");
        assert_eq!(webhook.headers["content-type"], "application/json");
        assert!(webhook.shown.iter().all(|(_, shown)| **shown != *"secret"));
        let wrong = SubscriptionWebhook { url: "ftp://hooks".into(), ..subscription };
        assert!(wrong.resolve().unwrap_err().contains("no address of HTTP"));
    }

    #[tokio::test]
    async fn a_body_is_wanted_later_if_no_engine_answers() {
        let (bodies, mut wanted) = Bodies::new();
        let later = Body::Later(NO_ENGINE.into());
        let (body, ()) = tokio::join!(bodies.body("a", "{}"), async {
            let request = wanted.recv().await.unwrap();
            assert_eq!((&*request.subscription, &*request.event), ("a", "{}"));
        });
        assert_eq!(body, later);
        drop(wanted);
        assert_eq!(bodies.body("a", "{}").await, later);
    }
}
