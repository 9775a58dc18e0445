//! Channel from the delivery to the engine that makes the bodies of subscriptions: the response to
//! an event is made when the event is delivered.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Channel to the engine that makes bodies.
#[derive(Clone, Debug)]
pub struct Bodies(mpsc::UnboundedSender<BodyRequest>);

/// An event that needs a response. If `answer` is dropped, the delivery retries.
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
    /// The conditions of the subscription exclude the event.
    NotWanted,
    /// The source does not answer, or it fails.
    Later(String),
    /// No repetition would change it.
    Failed(String),
}

/// The time for a body: less than a claim has beside the timeout of its request. Afterwards the answer's
/// receiver is gone.
pub const MOST_TIME: Duration = Duration::from_secs(20);

const NO_ENGINE: &str = "the server has stopped";
const NO_BODY: &str = "the subscription was not executed in time";

impl Bodies {
    /// The channel to an engine: its sender and its receiver.
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
            Ok(()) => match timeout(MOST_TIME, answered).await {
                Ok(answer) => answer.unwrap_or_else(|_| Body::Later(NO_ENGINE.into())),
                Err(_) => Body::Later(NO_BODY.into()),
            },
            Err(_) => Body::Later(NO_ENGINE.into()),
        }
    }
}

impl PartialEq for Bodies {
    fn eq(&self, other: &Self) -> bool {
        self.0.same_channel(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

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

    #[tokio::test(start_paused = true)]
    async fn a_body_is_wanted_later_if_its_engine_takes_more_than_the_most_time() {
        let (bodies, mut wanted) = Bodies::new();
        let asked = Instant::now();
        let (body, ()) = tokio::join!(bodies.body("a", "{}"), async {
            let mut request = wanted.recv().await.unwrap();
            // So the engine learns that nobody waits any more.
            request.answer.closed().await;
            assert_eq!(asked.elapsed(), Duration::from_secs(20));
            assert_eq!(
                request.answer.send(Body::Ready("{}".into())),
                Err(Body::Ready("{}".into()))
            );
        });
        assert_eq!(body, Body::Later(NO_BODY.into()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_comes_shortly_before_the_most_time_is_over() {
        let (bodies, mut wanted) = Bodies::new();
        let (body, ()) = tokio::join!(bodies.body("a", "{}"), async {
            let request = wanted.recv().await.unwrap();
            sleep(Duration::from_millis(19_999)).await;
            request.answer.send(Body::NotWanted).unwrap();
        });
        assert_eq!(body, Body::NotWanted);
    }
}
