//! Task of an upstream subscription: opens its source stream, and opens it again after a loss, with
//! exponential back-off and jitter.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::request::SubgraphError;
use super::mailbox::Event;
use super::opener::SourceOpener;
use super::source::Source;
use super::source_event::{OpenError, SourceEvent};
use super::upstreams::{EndGuard, Upstream, Upstreams};

/// Back-off before the first attempt; it doubles with each.
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// Runs an upstream subscription until it ends, or has no listeners.
pub(super) async fn run(upstream: Arc<Upstream>, upstreams: Arc<Upstreams>, opener: SourceOpener) {
    let guard = EndGuard::new(Arc::clone(&upstream), upstreams);
    tokio::select! {
        event = follow(&upstream, &guard.upstreams, &opener) => guard.end(&event),
        () = upstream.left() => {}
    }
}

/// Publishes events until the last one, which is returned.
async fn follow(upstream: &Upstream, upstreams: &Upstreams, opener: &SourceOpener) -> Event {
    let settings = &opener.settings;
    let (mut has_begun, mut failures) = (false, 0);
    loop {
        let error = match Source::open(opener).await {
            Err(OpenError::Refused(response)) => {
                upstream.publish(&response);
                return Event::Complete;
            }
            Err(OpenError::Failed(error)) => error,
            Ok(mut source) => {
                has_begun = true;
                let (error, has_events) = match publish(upstream, &mut source).await {
                    Ok(()) => return Event::Complete,
                    Err(lost) => lost,
                };
                if has_events {
                    failures = 0;
                }
                upstream.interrupt();
                error
            }
        };
        failures += 1;
        let most = if has_begun { settings.reconnects } else { settings.connection.retries };
        let is_hopeless = !has_begun && matches!(error, SubgraphError::BreakerOpen { .. });
        let subgraph = &*settings.connection.name;
        if failures > most || is_hopeless {
            tracing::debug!(subgraph, %error, "a subscription to a subgraph has failed");
            return Event::Failed(error);
        }
        let pause = backoff(failures, &error);
        match has_begun {
            true => {
                upstreams.counts().reconnects.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(subgraph, %error, ?pause, "a subscription to a subgraph is interrupted");
            }
            false => tracing::debug!(subgraph, %error, ?pause, "a subscription is tried again"),
        }
        sleep(pause).await;
    }
}

/// Publishes the events of a source stream. The error tells whether there were any.
async fn publish(upstream: &Upstream, source: &mut Source) -> Result<(), (SubgraphError, bool)> {
    let mut has_events = false;
    loop {
        match source.next().await {
            Ok(SourceEvent::Response(response)) => upstream.publish(&response),
            Ok(SourceEvent::Errors(response)) => {
                upstream.publish(&response);
                return Ok(());
            }
            Ok(SourceEvent::Complete) => return Ok(()),
            Err(error) => return Err((error, has_events)),
        }
        has_events = true;
    }
}

/// Returns a pause between half of the back-off and all of it; no attempt is made while the circuit
/// breaker is open.
fn backoff(failures: u32, error: &SubgraphError) -> Duration {
    let doublings = failures.saturating_sub(1).min(10);
    let most = INITIAL_BACKOFF.saturating_mul(1 << doublings).min(MAX_BACKOFF);
    let random = RandomState::new().hash_one(failures) % 512;
    let backoff = most.mul_f64((512 + random) as f64 / 1024.0);
    match error {
        SubgraphError::BreakerOpen { until } => {
            let closed = until.saturating_duration_since(Instant::now().into_std());
            closed + backoff
        }
        SubgraphError::Unavailable(_)
        | SubgraphError::Timeout
        | SubgraphError::TooLarge { .. }
        | SubgraphError::Status(_)
        | SubgraphError::Broken(_)
        | SubgraphError::Closed(_)
        | SubgraphError::NotGraphQl(_)
        | SubgraphError::MemoryExhausted
        | SubgraphError::Overloaded => backoff,
    }
}
