//! Source stream of the protocol `callback/1.0`: the subgraph confirms the subscription, and sends its
//! events to the callback URL.

use std::time::Duration;

use hyper::header::HeaderValue;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::{Instant, timeout_at};

use super::super::request::SubgraphError;
use super::callback_message::{Action, with_callback};
use super::callbacks::Registration;
use super::http_response::HttpResponse;
use super::opener::SourceOpener;
use super::source_event::{OpenError, SourceEvent};

/// Accepted media type.
const CALLBACK: HeaderValue = HeaderValue::from_static("application/json;callbackSpec=1.0");

/// Number of heartbeats after whose time without a message the subgraph is lost: one may be late.
const MISSED: u32 = 2;

/// A subscription whose events arrive at the callback URL. The subgraph is informed of its end by the
/// response to its next message.
#[derive(Debug)]
pub(super) struct CallbackStream {
    registration: Registration,
    /// Interval of heartbeats; `None` without heartbeats.
    heartbeat: Option<Duration>,
    last_message: Instant,
}

/// The part of a response that refuses a subscription.
#[derive(Deserialize)]
struct Refused {
    errors: Option<Vec<IgnoredAny>>,
}

impl CallbackStream {
    /// Registers a subscription, and sends it to the subgraph, which confirms it before it responds.
    pub(super) async fn open(opener: &SourceOpener) -> Result<Self, OpenError> {
        let settings = &opener.settings;
        let Some(url) = &settings.callback_url else {
            return Err(OpenError::refused("there is no callback URL"));
        };
        let registration = opener.callbacks.register(settings.connection.most_bytes)?;
        let callback = (&**url, registration.id(), registration.verifier());
        let body = with_callback(&opener.body, callback, settings.heartbeat);
        let response = HttpResponse::request(opener, body, CALLBACK).await?;
        if !response.status().is_success() {
            return Err(response.refusal(opener).await);
        }
        let body = response.read(opener).await?;
        let refused: Option<Refused> = serde_json::from_slice(&body).ok();
        let errors = refused.and_then(|refused| refused.errors);
        if errors.is_some_and(|errors| !errors.is_empty()) {
            return Err(OpenError::Refused(body));
        }
        if !registration.is_confirmed() {
            let reason = "it did not confirm the subscription at the callback URL";
            return Err(OpenError::refused(reason));
        }
        let heartbeat = Some(settings.heartbeat).filter(|heartbeat| !heartbeat.is_zero());
        Ok(Self { registration, heartbeat, last_message: Instant::now() })
    }

    /// Waits for the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<SourceEvent, SubgraphError> {
        loop {
            let next = self.registration.next();
            let action = match self.heartbeat.map(|heartbeat| heartbeat * MISSED) {
                None => next.await?,
                Some(patience) => {
                    let deadline = self.last_message + patience;
                    timeout_at(deadline, next).await.map_err(|_| silent(patience))??
                }
            };
            self.last_message = Instant::now();
            match action {
                Action::Check => {}
                Action::Next(response) => return Ok(SourceEvent::Response(response)),
                Action::Complete(None) => return Ok(SourceEvent::Complete),
                Action::Complete(Some(errors)) => return Ok(SourceEvent::Errors(errors)),
            }
        }
    }
}

fn silent(patience: Duration) -> SubgraphError {
    SubgraphError::Closed(format!("it sent no heartbeat for {patience:?}").into())
}
