//! A request as the thread sees it that changes a file.

use std::sync::Arc;
use std::time::Instant;

use source::SourceError;
use source::statistics::{Counted, Counter, Gauge};
use source::streamed::{Abandoned, died};
use tokio::sync::oneshot;

use crate::connection::OpenFile;

/// The manner of running a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner<'e> {
    /// With transactions of its own.
    Alone,
    /// Within a transaction of several requests. It may run once more: nothing is committed before
    /// all of them are.
    Together,
    /// Not at all: the group's transaction could not begin, or its outcome is unknown.
    Lost(&'e SourceError),
}

/// A task of the writing thread.
pub(super) trait Task: Send {
    fn run(&mut self, file: &OpenFile, manner: Manner<'_>);

    /// Sends the result.
    fn respond(self: Box<Self>);

    /// Sends the error of opening the file.
    fn refuse(self: Box<Self>, error: SourceError);

    /// Whether it may run together with others.
    fn joins(&self) -> bool;

    /// The flag of an abandoned request.
    fn stop(&self) -> &Arc<Abandoned>;
}

/// A request with the way back to it.
pub(super) struct Job<T, W> {
    work: W,
    joins: bool,
    stop: Arc<Abandoned>,
    counter: Counter,
    since: Instant,
    /// Until it runs.
    waiting: Option<Counted>,
    done: Option<T>,
    sender: oneshot::Sender<Result<T, SourceError>>,
}

impl<T, W> Job<T, W> {
    /// A request that waits from now on, and where its answer comes from.
    pub(super) fn new(
        work: W,
        joins: bool,
        stop: Arc<Abandoned>,
        counter: &Counter,
    ) -> (Self, oneshot::Receiver<Result<T, SourceError>>) {
        let (sender, ended) = oneshot::channel();
        let waiting = Some(counter.hold(Gauge::Waiting));
        let (counter, since) = (counter.clone(), Instant::now());
        (Self { work, joins, stop, counter, since, waiting, done: None, sender }, ended)
    }

    fn stop_waiting(&mut self, has_file: bool) {
        if self.waiting.take().is_some() {
            self.counter.acquired(has_file, self.since.elapsed());
        }
    }
}

impl<T, W> Task for Job<T, W>
where
    T: Send,
    W: FnMut(&OpenFile, &Abandoned, Manner<'_>) -> T + Send,
{
    fn run(&mut self, file: &OpenFile, manner: Manner<'_>) {
        self.stop_waiting(true);
        let _held = [self.counter.hold(Gauge::Open), self.counter.hold(Gauge::Used)];
        self.done = Some((self.work)(file, &self.stop, manner));
    }

    fn respond(self: Box<Self>) {
        let Self { done, sender, .. } = *self;
        // The request may be gone.
        drop(sender.send(done.ok_or_else(died)));
    }

    fn refuse(mut self: Box<Self>, error: SourceError) {
        self.stop_waiting(false);
        drop(self.sender.send(Err(error)));
    }

    fn joins(&self) -> bool {
        self.joins
    }

    fn stop(&self) -> &Arc<Abandoned> {
        &self.stop
    }
}
