//! A thread that executes requests, with connections of its own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use engine::{Allowed, Caller, Delivery, MemoryBudget, Report};
use graphql::Request;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinSet, LocalSet, spawn_local};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::answer::Answer;
use crate::current::Current;
use crate::generation::{Closing, Generation};
use crate::subscription::{self, Responses};

/// Interval of housekeeping: precise enough for limits of seconds.
const HOUSEKEEPING: Duration = Duration::from_secs(1);

/// Handle of a thread: sends it jobs.
#[derive(Debug)]
pub(crate) struct Thread {
    jobs: mpsc::UnboundedSender<(Job, Running)>,
    /// The number of its jobs.
    pub(crate) running: Arc<AtomicUsize>,
}

/// A job; dropping its receiver cancels it.
pub(crate) enum Job {
    Execute {
        request: Request,
        caller: Caller,
        allowed: Allowed,
        reply: oneshot::Sender<Answer>,
    },
    Subscribe {
        request: Request,
        caller: Caller,
        reply: oneshot::Sender<Result<Responses, Answer>>,
    },
}

/// Counts a job until it is dropped.
#[derive(Debug)]
pub(crate) struct Running(Arc<AtomicUsize>);

/// Fails when a thread has ended.
pub(crate) type Ended = oneshot::Receiver<()>;

/// The newest generation, the end of the API, and the closing of the source.
type Lifetime = (watch::Receiver<Generation>, watch::Receiver<Option<Duration>>, Arc<Closing>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Thread {
    pub(crate) fn start(
        number: usize,
        (generations, end, closing): Lifetime,
        (memory, time_limit): (Arc<MemoryBudget>, Duration),
    ) -> io::Result<(Self, Ended)> {
        let (jobs, received) = mpsc::unbounded_channel();
        let (alive, ended) = oneshot::channel::<()>();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let body = move || {
            let work = async {
                let current = Current::new(generations, memory, time_limit);
                work(received, current, end, number == 0).await;
            };
            run(runtime, work);
            drop(closing);
            drop(alive);
        };
        thread::Builder::new().name(format!("thalweg-{number}")).spawn(body)?;
        Ok((Self { jobs, running: Arc::default() }, ended))
    }

    /// Gives it a job; a thread that has ended drops it.
    pub(crate) fn give(&self, job: Job) {
        self.running.fetch_add(1, Ordering::Relaxed);
        let _ = self.jobs.send((job, Running(Arc::clone(&self.running))));
    }
}

fn run(runtime: Runtime, work: impl Future<Output = ()>) {
    let local = LocalSet::new();
    local.block_on(&runtime, work);
    // Drops the tasks that follow changes, before their connections.
    drop(local);
    runtime.shutdown_background();
}

/// Takes jobs until the API ends, and waits for those that are executed then.
async fn work(
    mut jobs: mpsc::UnboundedReceiver<(Job, Running)>,
    current: Current,
    mut end: watch::Receiver<Option<Duration>>,
    logs_suppressed: bool,
) {
    let mut generations = current.following();
    let mut housekeeping = interval(HOUSEKEEPING);
    housekeeping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut requests, mut subscriptions) = (JoinSet::new(), JoinSet::new());
    // Without handles, running requests get their time limit.
    let patience = loop {
        tokio::select! {
            job = jobs.recv() => match job {
                Some((Job::Execute { request, caller, allowed, reply }, running)) => {
                    let current = current.clone();
                    requests.spawn_local(async move {
                        execute(&current, (request, caller, allowed), reply).await;
                        drop(running);
                    });
                }
                Some((Job::Subscribe { request, caller, reply }, running)) => {
                    let current = current.clone();
                    subscriptions.spawn_local(async move {
                        subscription::run(current, request, caller, reply).await;
                        drop(running);
                    });
                }
                None => break current.time_limit,
            },
            // A failure is the end of the last handle, which the jobs tell, too.
            Ok(()) = generations.changed() => {
                current.get();
            }
            Ok(ending) = end.wait_for(Option::is_some) => break (*ending).unwrap_or_default(),
            Some(_) = requests.join_next() => {}
            Some(_) = subscriptions.join_next() => {}
            _ = housekeeping.tick() => {
                let worker = current.get();
                worker.close_old_connections();
                worker.sweep_cache();
                if logs_suppressed {
                    engine::log_suppressed();
                }
            }
        }
    };
    jobs.close();
    subscriptions.abort_all();
    let rest = async { while requests.join_next().await.is_some() {} };
    if timeout(patience, rest).await.is_err() {
        tracing::warn!(
            "requests took longer than the API waits for at its end; they are cancelled"
        );
    }
}

/// Answers a request, unless nobody waits for the answer any more: that drops its future, which cancels
/// its statements.
async fn execute(
    current: &Current,
    (request, caller, allowed): (Request, Caller, Allowed),
    mut reply: oneshot::Sender<Answer>,
) {
    let worker = current.get();
    let mut report = Report::default();
    let delivered =
        worker.deliver_reported(&request, &caller, allowed, Delivery::Whole, &mut report);
    let delivered = tokio::select! {
        biased;
        () = reply.closed() => return,
        delivered = timeout(current.time_limit, delivered) => delivered,
    };
    for feed in worker.cache_feeds() {
        spawn_local(feed.run());
    }
    let answer = match delivered {
        Ok(response) => Answer::new(response, report.codes),
        Err(_) => Answer::timed_out(current.time_limit),
    };
    let _ = reply.send(answer);
}
