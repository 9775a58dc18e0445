//! A request as the thread sees it that changes a file.

use std::sync::Arc;
use std::time::Instant;

use source::SourceError;
use source::statistics::{Counted, Counter, Gauge};
use source::streamed::{Abandoned, died};
use tokio::sync::oneshot;

use crate::connection::OpenFile;

/// How a request runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner<'e> {
    /// With transactions of its own.
    Alone,
    /// Within a transaction of several requests. It may run once more: nothing of this is there
    /// until all of it is.
    Together,
    /// Not at all: the transaction of several could not begin, or it is not known what became of it.
    Lost(&'e SourceError),
}

/// What runs on the thread.
pub(super) trait Task: Send {
    fn run(&mut self, file: &OpenFile, manner: Manner<'_>);

    /// Tells what came of it.
    fn tell(self: Box<Self>);

    /// Tells why there is no file.
    fn refuse(self: Box<Self>, error: SourceError);

    /// Whether it may run together with others.
    fn joins(&self) -> bool;

    /// What says that nobody waits for it any more.
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

    fn tell(self: Box<Self>) {
        let Self { done, sender, .. } = *self;
        // Nobody may wait for it any more.
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
