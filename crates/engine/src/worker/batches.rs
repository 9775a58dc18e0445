//! Batches of cohorts: cohorts of one plan and one session are executed by the same statements.
//!
//! 1. A cohort that is to be executed joins a queue: that of its plan, its settings, and the sizes of
//!    its pages.
//! 2. The tasks of the same change join as well, before the first one continues. Each waits for a slot,
//!    or for its response. A task with a slot executes the oldest cohorts of its queue, up to a batch.
//!    So batches grow while all slots are taken, and nothing waits while one is free.
//! 3. After an error each cohort of a batch is executed by itself, so that the error is its own.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use graphql::{ErrorCode, Request};
use response::MemoryReservation;
use source::{Freshness, Session, Settings};
use tokio::select;
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::{Allowed, Ready, Worker};
use crate::caller::Caller;
use crate::prepare::Prepared;
use crate::report::Report;
use crate::respond::{DATA, Response};

/// Most cohorts of a batch.
const MOST: usize = 100;

/// Most bytes of the answers of a batch, as far as the last answer shows: they are written one after
/// the other, while other requests wait.
const MOST_BYTES: usize = 1 << 20;

/// The cohorts of one thread that wait for their execution.
#[derive(Debug, Default)]
pub(super) struct Batches {
    queues: RefCell<HashMap<Key, VecDeque<Waiting>>>,
}

/// The properties that the cohorts of a batch have in common.
#[derive(Clone)]
struct Key {
    prepared: Arc<Prepared>,
    settings: Option<Arc<Settings>>,
    page_sizes: Box<[Option<u64>]>,
}

/// A cohort that waits for its execution. Dropping it tells its task that the batch has failed.
struct Waiting {
    ready: Ready,
    operation_name: Option<Box<str>>,
    session: Session,
    /// True if it is in no queue any more.
    is_taken: Rc<Cell<bool>>,
    /// `None`: there is no other cohort for a batch.
    response: oneshot::Sender<Option<Batched>>,
}

/// A response, with the codes of its errors.
pub(super) type Batched = (Response, Vec<ErrorCode>);

/// The result of a cohort's execution in a batch.
pub(super) enum Execution {
    Done(Batched),
    /// The cohort is executed by itself: its plan has no batches, or there is no other cohort.
    Alone,
    /// The cohort is executed by itself: the batch has failed.
    Failed,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.prepared, &other.prepared)
            && self.settings == other.settings
            && self.page_sizes == other.page_sizes
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Settings are compared only: those of most cohorts of a plan are equal.
        (Arc::as_ptr(&self.prepared), &self.page_sizes).hash(state);
    }
}

/// Settings and variables must not reach a log.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("page_sizes", &self.page_sizes).finish_non_exhaustive()
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("is_taken", &self.is_taken).finish_non_exhaustive()
    }
}

impl Key {
    /// `None` if the request is executed by itself.
    fn of(ready: &Ready, session: &Session) -> Option<Self> {
        if ready.prepared.batch_obstacle().is_some() {
            return None;
        }
        let page_sizes = ready.prepared.plan.page_sizes(ready.variables(session))?;
        let prepared = Arc::clone(&ready.prepared);
        Some(Self { prepared, settings: session.settings.clone(), page_sizes })
    }

    /// Most cohorts of a batch.
    fn most(&self) -> usize {
        (MOST_BYTES / self.prepared.last_answer().max(1)).clamp(1, MOST)
    }
}

impl Batches {
    /// Adds a cohort to its queue. Returns true if the queue has a whole batch.
    fn push(&self, key: &Key, waiting: Waiting) -> bool {
        let mut queues = self.queues.borrow_mut();
        let queue = queues.entry(key.clone()).or_default();
        queue.push_back(waiting);
        queue.len() >= key.most()
    }

    /// Takes the oldest cohorts of a queue whose tasks still wait.
    fn take(&self, key: &Key) -> Vec<Waiting> {
        let mut queues = self.queues.borrow_mut();
        let Some(queue) = queues.get_mut(key) else { return Vec::new() };
        let most = key.most();
        let mut taken = Vec::with_capacity(queue.len().min(most));
        while taken.len() < most
            && let Some(waiting) = queue.pop_front()
        {
            waiting.is_taken.set(true);
            if !waiting.response.is_closed() {
                taken.push(waiting);
            }
        }
        if queue.is_empty() {
            queues.remove(key);
        }
        taken
    }
}

impl Worker {
    /// Executes the request of a cohort in a batch. Boxed: the task of a subscription is small while
    /// it waits.
    pub(super) fn batched<'e>(
        &'e self,
        request: &'e Request,
        caller: &'e Caller,
    ) -> Pin<Box<dyn Future<Output = Execution> + 'e>> {
        Box::pin(async move {
            let Some((key, waiting, mut response)) = self.waiting(request, caller) else {
                return Execution::Alone;
            };
            let is_taken = Rc::clone(&waiting.is_taken);
            if !self.batches.push(&key, waiting) {
                // Other cohorts of the same change join the batch.
                yield_now().await;
            }
            while !is_taken.get() {
                select! {
                    biased;
                    response = &mut response => return done(response),
                    // The semaphore is never closed.
                    _slot = self.engine.live.slots.acquire() => self.execute_oldest(&key).await,
                }
            }
            done(response.await)
        })
    }

    /// Prepares a request for a batch; `None` if it is executed by itself.
    fn waiting(
        &self,
        request: &Request,
        caller: &Caller,
    ) -> Option<(Key, Waiting, oneshot::Receiver<Option<Batched>>)> {
        let (session, allowed) = (caller.session.clone(), Allowed::Subscriptions);
        // An error is reported by the execution by itself.
        let ready = self.ready(request, &session, allowed, &mut Report::default()).ok()??;
        let key = Key::of(&ready, &session)?;
        let (response, received) = oneshot::channel();
        let operation_name = request.operation_name.as_deref().map(Box::from);
        let waiting = Waiting { ready, operation_name, session, is_taken: Rc::default(), response };
        Some((key, waiting, received))
    }

    /// Executes the oldest cohorts of a queue.
    async fn execute_oldest(&self, key: &Key) {
        let mut members = self.batches.take(key);
        if members.len() <= 1 {
            if let Some(Waiting { response, .. }) = members.pop() {
                // The subscription may have ended.
                drop(response.send(None));
            }
            return;
        }
        let limit = self.time_limit.unwrap_or(Duration::MAX);
        // After the limit the future is dropped, which cancels its statements and fails the batch.
        let _ = timeout(limit, self.execute_batch(key, members)).await;
    }

    async fn execute_batch(&self, key: &Key, members: Vec<Waiting>) {
        let (engine, prepared) = (&*self.engine, &key.prepared);
        let echoes =
            members.iter().map(|member| prepared.echoes(member.ready.variables(&member.session)));
        let Ok(echoes) = echoes.collect::<Result<Vec<_>, _>>() else { return };
        let requests = members.iter().zip(&echoes).map(|(member, echoes)| {
            let held = MemoryReservation::of(&self.memory);
            let sink = prepared.begin(DATA, engine.limits.response_bytes, held);
            let freshness = Freshness::Newest;
            (self.params(&member.ready, &member.session, freshness, (echoes, &[])), sink)
        });
        let session = Session { settings: key.settings.clone(), claims: None };
        let requests = requests.collect();
        let answers = self.connections.answer_batch(&prepared.plan, &session, requests).await;
        if let Some(Waiting { ready, operation_name, .. }) = members.first() {
            engine.reweigh(&ready.known, operation_name.as_deref(), prepared);
        }
        let answers = match answers {
            Ok(answers) => answers,
            Err(error) => {
                tracing::debug!(%error, "the subscriptions of a batch are executed one by one");
                return;
            }
        };
        for (member, answer) in members.into_iter().zip(answers) {
            let mut codes = Vec::new();
            let response = match answer {
                Ok(written) => {
                    prepared.end(&written.data);
                    Response::executed(engine, written, &mut codes)
                }
                Err(error) => Response::failed(engine, error, &mut codes),
            };
            // The subscription may have ended.
            drop(member.response.send(Some((response, codes))));
        }
    }
}

fn done(response: Result<Option<Batched>, oneshot::error::RecvError>) -> Execution {
    match response {
        Ok(Some(batched)) => Execution::Done(batched),
        Ok(None) => Execution::Alone,
        Err(_) => Execution::Failed,
    }
}
