//! The operations that run over a connection.
//!
//! Queries and mutations always go on, since they occupy connections to the database. Their results, and
//! the next responses of subscriptions, are taken only when everything that was sent is written: for a
//! slow client nothing piles up but the results of its own requests.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use engine::gateway::Payloads;
use futures_util::future::{AbortHandle, Abortable, LocalBoxFuture};
use futures_util::stream::{FuturesUnordered, Stream};

use super::begin::Work;
use crate::http::subscription::{Event, Subscription};

#[derive(Debug, Default)]
pub(in crate::http) struct Operations {
    once: Running,
    subscriptions: Running,
    by_id: HashMap<Rc<str>, Entry>,
    /// Results of queries and mutations that are still to be taken.
    results: VecDeque<Outcome>,
}

type Running = FuturesUnordered<Abortable<LocalBoxFuture<'static, Outcome>>>;

#[derive(Debug)]
struct Entry {
    abort: AbortHandle,
    is_subscription: bool,
}

/// An event of an operation.
#[derive(Debug)]
pub(in crate::http) struct Outcome {
    pub(in crate::http) id: Rc<str>,
    pub(in crate::http) event: Event,
    /// The rest of the operation; none after the last event.
    pub(in crate::http) rest: Option<Rest>,
}

/// The events of an operation after its first one.
#[derive(Debug)]
pub(in crate::http) enum Rest {
    Subscription(Box<Subscription>),
    /// Of a query or a mutation with deferred fragments.
    Payloads(Payloads),
}

impl Rest {
    async fn next(&mut self) -> Event {
        match self {
            Self::Subscription(subscription) => subscription.next().await,
            Self::Payloads(payloads) => match payloads.next().await {
                Some(payload) => Event::Result(payload),
                None => Event::End,
            },
        }
    }
}

/// A panic in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) struct Panicked;

impl Operations {
    pub(in crate::http) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(in crate::http) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(in crate::http) fn contains(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Runs an operation.
    pub(in crate::http) fn run(&mut self, id: Rc<str>, work: Work) {
        match work {
            Work::Once(work) => {
                let abort = push(&self.once, {
                    let id = Rc::clone(&id);
                    async move {
                        let (event, payloads) = work.await;
                        Outcome { id, event, rest: payloads.map(Rest::Payloads) }
                    }
                });
                self.by_id.insert(id, Entry { abort, is_subscription: false });
            }
            Work::Subscription(subscription) => self.go_on(id, Rest::Subscription(subscription)),
            Work::Counting(counted, subscription) => {
                let rest = Rest::Subscription(subscription);
                let abort = push(&self.subscriptions, {
                    let id = Rc::clone(&id);
                    async move {
                        match counted.await {
                            Ok(()) => next(id, rest).await,
                            Err(event) => Outcome { id, event, rest: None },
                        }
                    }
                });
                self.by_id.insert(id, Entry { abort, is_subscription: true });
            }
        }
    }

    /// Waits for the next event of an operation.
    pub(in crate::http) fn go_on(&mut self, id: Rc<str>, operation: Rest) {
        let is_subscription = matches!(operation, Rest::Subscription(_));
        let abort = push(&self.subscriptions, next(Rc::clone(&id), operation));
        self.by_id.insert(id, Entry { abort, is_subscription });
    }

    /// Ends an operation; false if there is none with this id.
    pub(in crate::http) fn end(&mut self, id: &str) -> bool {
        let ended = self.by_id.remove(id);
        if let Some(Entry { abort, .. }) = &ended {
            abort.abort();
            self.results.retain(|outcome| *outcome.id != *id);
        }
        ended.is_some()
    }

    /// Ends all subscriptions, and returns their ids.
    pub(in crate::http) fn end_subscriptions(&mut self) -> Vec<Rc<str>> {
        let subscriptions = self.by_id.extract_if(|_, entry| entry.is_subscription);
        let ended = subscriptions.map(|(id, entry)| {
            entry.abort.abort();
            id
        });
        ended.collect()
    }

    /// Runs queries and mutations, and waits for the next event of any operation if it may be taken.
    /// Cancel safe.
    pub(in crate::http) async fn next(&mut self, may_take: bool) -> Result<Outcome, Panicked> {
        poll_fn(|context| self.poll_next(context, may_take)).await
    }

    fn poll_next(
        &mut self,
        context: &mut Context<'_>,
        may_take: bool,
    ) -> Poll<Result<Outcome, Panicked>> {
        while let Poll::Ready(outcome) = poll(&mut self.once, context) {
            self.results.push_back(outcome?);
        }
        if !may_take {
            return Poll::Pending;
        }
        let outcome = match self.results.pop_front() {
            Some(result) => Poll::Ready(Ok(result)),
            None => poll(&mut self.subscriptions, context),
        };
        if let Poll::Ready(Ok(outcome)) = &outcome {
            self.by_id.remove(&outcome.id);
        }
        outcome
    }
}

/// The next event of an operation, with the rest of it.
async fn next(id: Rc<str>, mut operation: Rest) -> Outcome {
    let event = operation.next().await;
    let rest = match event {
        Event::Result(_) => Some(operation),
        Event::Errors(_) | Event::End => None,
    };
    Outcome { id, event, rest }
}

fn push(running: &Running, work: impl Future<Output = Outcome> + 'static) -> AbortHandle {
    let (abort, registration) = AbortHandle::new_pair();
    running.push(Abortable::new(Box::pin(work), registration));
    abort
}

/// The next outcome of running operations; those that were aborted have none.
fn poll(running: &mut Running, context: &mut Context<'_>) -> Poll<Result<Outcome, Panicked>> {
    loop {
        let next = || Pin::new(&mut *running).poll_next(context);
        match catch_unwind(AssertUnwindSafe(next)) {
            Ok(Poll::Ready(Some(Ok(outcome)))) => return Poll::Ready(Ok(outcome)),
            // Its id may belong to another operation by now.
            Ok(Poll::Ready(Some(Err(_aborted)))) => {}
            Ok(Poll::Ready(None) | Poll::Pending) => return Poll::Pending,
            // The log has the panic already.
            Err(_) => return Poll::Ready(Err(Panicked)),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn once(id: &str) -> Work {
        let result = Event::Result(id.to_owned().into());
        Work::Once(Box::pin(async { (result, None) }))
    }

    /// The id and the result of an outcome that is ready.
    fn ready(operations: &mut Operations) -> Option<(String, String)> {
        let outcome = operations.next(true).now_or_never()?.unwrap();
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
        assert_eq!(operations.next(false).now_or_never().unwrap().unwrap_err(), Panicked);
    }

    #[test]
    fn queries_run_while_nothing_may_be_taken() {
        let mut operations = Operations::default();
        for id in ["1", "2", "3"] {
            operations.run(id.into(), once(id));
        }
        assert!(operations.next(false).now_or_never().is_none());
        assert_eq!(operations.results.len(), 3);
        assert!(operations.end("1"));
        let mut results = [(); 2].map(|()| ready(&mut operations).unwrap().1);
        results.sort();
        assert_eq!(results, ["2", "3"]);
        assert_eq!(ready(&mut operations), None);
    }
}
