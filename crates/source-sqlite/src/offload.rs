//! Offloading of long requests from the serving threads: they run on threads of their own, in the
//! order of the scheduler, and stop when their answers are not waited for any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use response::{Outlet, Refused, SentPiece};
use source::statistics::{Counter, Gauge};
use source::streamed::{Abandoner, died};
use source::{SourceError, SourceErrorKind};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::connection::OpenFile;
use super::execute::meter::Meter;
use super::planning::Planning;
use super::runtime_estimate::{RuntimeClass, RuntimeEstimate};
use super::scheduler::Run;
use super::threads::Threads;
use crate::error::map_error;

/// The access of one serving thread to the threads for long requests.
#[derive(Debug)]
pub(super) struct Offload {
    threads: Arc<Threads>,
    /// Number of concurrent runs that it adds to the limit of all.
    most: usize,
    /// For waiting until a request may run.
    acquire_timeout: Duration,
    counter: Counter,
}

/// Parameters of running a request.
#[derive(Clone, Debug)]
pub(super) struct Manner {
    pub(super) planning: Planning,
    pub(super) estimate: Arc<RuntimeEstimate>,
    /// The shortest class in which it is queued.
    pub(super) class: RuntimeClass,
}

/// A queued or running request. Dropping it removes it from the queue, or interrupts its
/// statements.
#[derive(Debug)]
pub(super) struct Ticket {
    threads: Arc<Threads>,
    number: u64,
    acquire_timeout: Duration,
    counter: Counter,
    abandoned: Abandoner,
    pub(super) is_over: bool,
}

/// An outlet whose first piece marks the run as one that waits for its reader.
#[derive(Debug)]
struct ReportingOutlet {
    outlet: Box<dyn Outlet>,
    threads: Arc<Threads>,
    number: u64,
    has_sent: bool,
}

impl Offload {
    pub(super) fn new(threads: &Arc<Threads>, most: usize, acquire_timeout: Duration) -> Self {
        threads.add(most);
        let threads = Arc::clone(threads);
        Self { threads, most, acquire_timeout, counter: Counter::default() }
    }

    pub(super) fn count(&mut self, counter: Counter) {
        self.counter = counter;
    }

    pub(super) fn counter(&self) -> &Counter {
        &self.counter
    }

    /// Runs `work` on another thread. If the future is dropped, its statements are interrupted.
    pub(super) async fn run<T, E>(
        &self,
        manner: &Manner,
        work: impl FnOnce(&OpenFile) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<SourceError> + Send + 'static,
    {
        let mut ticket = self.ticket();
        let ended = ticket.start(manner, work);
        let ended = ticket.in_time(ended).await.ok_or_else(|| ticket.none_free())?;
        ticket.is_over = true;
        ended.unwrap_or_else(|_| Err(died().into()))
    }

    /// For a request that will be started.
    pub(super) fn ticket(&self) -> Ticket {
        Ticket {
            threads: Arc::clone(&self.threads),
            number: self.threads.number(),
            acquire_timeout: self.acquire_timeout,
            counter: self.counter.clone(),
            abandoned: Abandoner::default(),
            is_over: false,
        }
    }
}

impl Drop for Offload {
    fn drop(&mut self) {
        self.threads.remove(self.most);
    }
}

impl Manner {
    /// For short runs only.
    pub(super) fn short() -> Self {
        Self { planning: Planning::default(), estimate: Arc::default(), class: RuntimeClass::Short }
    }
}

impl Ticket {
    /// The same outlet, which reports that the run waits for its reader.
    pub(super) fn reporting(&self, outlet: Box<dyn Outlet>) -> Box<dyn Outlet> {
        let (threads, number) = (Arc::clone(&self.threads), self.number);
        Box::new(ReportingOutlet { outlet, threads, number, has_sent: false })
    }

    /// Its place is for another run from now on, since it also waits for its request.
    pub(super) fn mark_long(&self) {
        self.threads.mark_long(self.number);
    }

    /// Queues `work` for another thread.
    pub(super) fn start<T, E>(
        &self,
        manner: &Manner,
        work: impl FnOnce(&OpenFile) -> Result<T, E> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, E>>
    where
        T: Send + 'static,
        E: From<SourceError> + Send + 'static,
    {
        let (sender, ended) = oneshot::channel();
        let (stop, planning) = (self.abandoned.flag(), manner.planning);
        let (counter, since) = (self.counter.clone(), Instant::now());
        let waiting = counter.hold(Gauge::Waiting);
        let meter = Arc::new(Meter::default());
        let run = Run {
            number: self.number,
            estimate: Arc::clone(&manner.estimate),
            meter: Arc::clone(&meter),
        };
        let work = move |file: Result<&mut OpenFile, SourceError>| {
            drop(waiting);
            meter.begin();
            counter.acquired(file.is_ok(), since.elapsed());
            let _held = [counter.hold(Gauge::Open), counter.hold(Gauge::Used)];
            let done = file.map_err(E::from).and_then(|file| {
                file.plan(planning).map_err(map_error)?;
                // A flag of this run only: an interrupt could hit the next statement of the
                // connection.
                file.interrupt.when(move || stop.is_set());
                work(file)
            });
            // The request may be gone.
            Box::new(move || drop(sender.send(done))) as Box<dyn FnOnce() + Send>
        };
        self.threads.push(run, manner.class, Box::new(work));
        ended
    }

    /// The result of a future that ends when the request has a part of its answer. None if it was
    /// queued for longer than its timeout.
    pub(super) async fn in_time<F: Future>(&self, future: F) -> Option<F::Output> {
        let mut future = std::pin::pin!(future);
        match timeout(self.acquire_timeout, &mut future).await {
            Ok(output) => Some(output),
            Err(_) if self.threads.leave(self.number) => {
                self.counter.acquired(false, self.acquire_timeout);
                None
            }
            Err(_) => Some(future.await),
        }
    }

    pub(super) fn none_free(&self) -> SourceError {
        let milliseconds = self.acquire_timeout.as_millis();
        let message = format!("no connection became free within {milliseconds} ms");
        SourceError::new(SourceErrorKind::Busy, message)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.is_over {
            self.threads.leave(self.number);
        }
    }
}

impl Outlet for ReportingOutlet {
    fn send(&mut self, piece: SentPiece) -> Result<(), Refused> {
        if !std::mem::replace(&mut self.has_sent, true) {
            self.threads.mark_long(self.number);
        }
        self.outlet.send(piece)
    }
}
