//! The operations that run over a socket.
//!
//! They are polled only when everything that was sent is written, so that nothing piles up for a slow
//! client.

use std::collections::HashMap;
use std::future::{pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, ready};

use futures_util::future::{AbortHandle, Abortable, LocalBoxFuture};
use futures_util::stream::{FuturesUnordered, Stream};

use super::begin::Work;
use crate::http::subscription::{Event, Subscription};

#[derive(Debug, Default)]
pub(super) struct Operations {
    running: FuturesUnordered<Abortable<LocalBoxFuture<'static, Outcome>>>,
    by_id: HashMap<Rc<str>, Entry>,
}

#[derive(Debug)]
struct Entry {
    abort: AbortHandle,
    is_subscription: bool,
}

/// An event of an operation.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) id: Rc<str>,
    pub(super) event: Event,
    /// The subscription that goes on; none after the last event.
    pub(super) rest: Option<Box<Subscription>>,
}

/// A panic in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Panicked;

impl Operations {
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Runs an operation.
    pub(super) fn run(&mut self, id: Rc<str>, work: Work) {
        match work {
            Work::Once(work) => {
                let outcome = {
                    let id = Rc::clone(&id);
                    async move { Outcome { id, event: work.await, rest: None } }
                };
                self.push(id, false, Box::pin(outcome));
            }
            Work::Subscription(subscription) => self.go_on(id, subscription),
        }
    }

    /// Waits for the next event of a subscription.
    pub(super) fn go_on(&mut self, id: Rc<str>, mut subscription: Box<Subscription>) {
        let outcome = {
            let id = Rc::clone(&id);
            async move {
                let event = subscription.next().await;
                let rest = match event {
                    Event::Result(_) => Some(subscription),
                    Event::Errors(_) | Event::End => None,
                };
                Outcome { id, event, rest }
            }
        };
        self.push(id, true, Box::pin(outcome));
    }

    fn push(&mut self, id: Rc<str>, is_subscription: bool, work: LocalBoxFuture<'static, Outcome>) {
        let (abort, registration) = AbortHandle::new_pair();
        self.running.push(Abortable::new(work, registration));
        self.by_id.insert(id, Entry { abort, is_subscription });
    }

    /// Ends an operation; false if there is none with this id.
    pub(super) fn end(&mut self, id: &str) -> bool {
        let ended = self.by_id.remove(id);
        if let Some(Entry { abort, .. }) = &ended {
            abort.abort();
        }
        ended.is_some()
    }

    /// Ends all subscriptions, and returns their ids.
    pub(super) fn end_subscriptions(&mut self) -> Vec<Rc<str>> {
        let subscriptions = self.by_id.extract_if(|_, entry| entry.is_subscription);
        let ended = subscriptions.map(|(id, entry)| {
            entry.abort.abort();
            id
        });
        ended.collect()
    }

    /// Waits for the next event of any operation. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<Outcome, Panicked> {
        loop {
            let polled = poll_fn(|context| {
                let running = Pin::new(&mut self.running);
                let polled = catch_unwind(AssertUnwindSafe(|| running.poll_next(context)));
                Poll::Ready(match polled {
                    Ok(polled) => Ok(ready!(polled)),
                    // The log has the panic already.
                    Err(_) => Err(Panicked),
                })
            });
            match polled.await? {
                Some(Ok(outcome)) => {
                    self.by_id.remove(&outcome.id);
                    return Ok(outcome);
                }
                // Its id may belong to another operation by now.
                Some(Err(_aborted)) => {}
                None => pending().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn once(id: &str) -> Work {
        let result = Event::Result(id.to_owned().into());
        Work::Once(Box::pin(async { result }))
    }

    /// The id and the result of an outcome that is ready.
    fn ready(operations: &mut Operations) -> Option<(String, String)> {
        let outcome = operations.next().now_or_never()?.unwrap();
        let Event::Result(result) = outcome.event else { panic!("no result") };
        Some((outcome.id.to_string(), String::from_utf8(result.into()).unwrap()))
    }

    #[test]
    fn an_ended_operation_says_nothing_even_if_its_id_is_used_again() {
        let mut operations = Operations::default();
        operations.run("1".into(), once("first"));
        assert!(operations.end("1"));
        assert!(!operations.end("1"));
        assert_eq!(ready(&mut operations), None);
        operations.run("1".into(), once("second"));
        assert!(operations.contains("1"));
        assert_eq!(ready(&mut operations), Some(("1".into(), "second".into())));
        assert!(operations.is_empty());
        assert_eq!(ready(&mut operations), None);
    }

    #[test]
    fn a_panic_is_an_outcome() {
        let mut operations = Operations::default();
        operations.run("1".into(), Work::Once(Box::pin(async { panic!("of this test") })));
        assert_eq!(operations.next().now_or_never().unwrap().unwrap_err(), Panicked);
    }
}
