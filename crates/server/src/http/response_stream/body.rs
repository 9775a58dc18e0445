//! The responses of a subscription as the bytes of a body.

use std::future::pending;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{Stream, unfold};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::format::Format;
use crate::http::connection_context::ConnectionContext;
use crate::http::drain::drained;
use crate::http::framed::framed;
use crate::http::subscription::{Event, Subscription};

/// The state between two frames.
struct State {
    format: Format,
    subscription: Subscription,
    stage: Stage,
    /// The end of the caller's session.
    expired: Option<Pin<Box<Sleep>>>,
    /// The errors that tell of it.
    expiry: Vec<u8>,
    /// The end of the server's time to drain.
    drained: LocalBoxFuture<'static, ()>,
    keep_alive: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Beginning,
    Running,
    Ended,
}

/// The stream of a subscription, whose token expires at a time, if it does.
pub(super) fn stream(
    context: &Rc<ConnectionContext>,
    format: Format,
    subscription: Subscription,
    until: Option<Instant>,
) -> impl Stream<Item = Bytes> + 'static {
    let settings = Arc::clone(&context.current.get().settings);
    let connection = Rc::clone(&context.state);
    let drain_timeout = settings.drain_timeout;
    let state = State {
        format,
        subscription,
        stage: Stage::Beginning,
        expired: until.map(|until| Box::pin(sleep_until(until))),
        expiry: until.map(|_| settings.credentials.expired().body()).unwrap_or_default(),
        drained: Box::pin(async move { drained(&connection, drain_timeout).await }),
        keep_alive: settings.subscriptions.ping_interval,
    };
    unfold(state, |mut state| async {
        let frame = state.next().await?;
        Some((frame, state))
    })
}

impl State {
    /// The next bytes of the body; none after the last.
    async fn next(&mut self) -> Option<Bytes> {
        let format = self.format;
        match self.stage {
            Stage::Ended => return None,
            Stage::Beginning => {
                self.stage = Stage::Running;
                return Some(format.beginning());
            }
            Stage::Running => {}
        }
        tokio::select! {
            biased;
            // A last event or boundary would tell the client that the operation has ended by itself:
            // without it, the client subscribes again, at another server.
            () = &mut self.drained => {
                self.stage = Stage::Ended;
                None
            }
            () = passed(&mut self.expired) => {
                self.stage = Stage::Ended;
                Some(format.end_with(&self.expiry))
            }
            event = self.subscription.next() => Some(match event {
                Event::Result(result) => {
                    framed(format.next(&result), result)
                }
                Event::Errors(body) => {
                    self.stage = Stage::Ended;
                    format.end_with(&body)
                }
                Event::End => {
                    self.stage = Stage::Ended;
                    Bytes::from_static(format.complete())
                }
            }),
            () = sleep(self.keep_alive) => Some(format.keep_alive()),
        }
    }
}

/// Waits for a timer, for ever if there is none.
async fn passed(timer: &mut Option<Pin<Box<Sleep>>>) {
    match timer {
        Some(timer) => timer.as_mut().await,
        None => pending().await,
    }
}
