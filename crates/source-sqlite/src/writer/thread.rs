//! The thread that changes a file.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use source::statistics::Counter;
use source::streamed::{Abandoned, Abandoner, died};
use source::{SourceError, SourceErrorKind};
use tokio::time::timeout;

use super::group::{JOIN, Writing};
use super::task::{Job, Manner, Task};
use crate::connection::OpenFile;
use crate::durability::Durability;
use crate::error::map_error;

/// Idle time after which the thread ends.
const REST: Duration = Duration::from_secs(2);

/// The way to the thread of a file. It ends when this is dropped and it has nothing to do.
#[derive(Debug)]
pub(crate) struct FileWriter(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    /// Busy timeout of a transaction, and timeout of a queued request.
    patience: Duration,
    durability: Durability,
    join: Duration,
    queue: Mutex<Queue>,
    woken: Condvar,
    /// Notified when the thread has ended.
    ended: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(u64, Box<dyn Task>)>,
    /// The number of the next request.
    next: u64,
    has_thread: bool,
    is_closed: bool,
    /// Whether the write-ahead log may contain frames.
    has_log: bool,
}

/// A queued or running request. Dropping it removes it from the queue, or interrupts its statement
/// and rolls its transaction back.
struct Turn {
    shared: Arc<Shared>,
    number: u64,
    _abandoner: Abandoner,
}

/// Marks the thread as ended when dropped, also after a panic.
struct Present(Arc<Shared>);

impl FileWriter {
    pub(crate) fn new(path: &Path, patience: Duration, durability: Durability) -> Self {
        Self::joining(path, patience, durability, JOIN)
    }

    /// With a time of its own for which requests may join others.
    pub(super) fn joining(
        path: &Path,
        patience: Duration,
        durability: Durability,
        join: Duration,
    ) -> Self {
        let queue = Mutex::default();
        let (woken, ended) = (Condvar::new(), Condvar::new());
        let path = path.into();
        Self(Arc::new(Shared { path, patience, durability, join, queue, woken, ended }))
    }

    /// Ends the thread after its queued tasks, and waits for that, with this timeout. To be called
    /// where no other request has to be answered.
    pub(crate) fn close(&self, patience: Duration) {
        let shared = &self.0;
        let mut queue = shared.lock();
        queue.is_closed = true;
        shared.woken.notify_all();
        let is_there = |queue: &mut Queue| queue.has_thread;
        let waited = shared.ended.wait_timeout_while(queue, patience, is_there);
        let (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let stays = queue.has_log && !queue.has_thread;
        drop(queue);
        // Readers that blocked a checkpoint when the thread ended may be gone.
        if stays && let Ok(writing) = open(&mut None, shared) {
            writing.empty_log();
        }
    }

    /// Runs `work` in its turn. If the future is dropped before that, it does not run at all. If it
    /// `joins`, it may run together with other requests, and again if their transaction was rolled
    /// back.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        counter: &Counter,
        joins: bool,
        work: impl FnMut(&OpenFile, &Abandoned, Manner<'_>) -> T + Send + 'static,
    ) -> Result<T, SourceError> {
        let shared = &self.0;
        let abandoner = Abandoner::default();
        let (job, mut ended) = Job::new(work, joins, abandoner.flag(), counter);
        let number = shared.push(Box::new(job))?;
        let _turn = Turn { shared: Arc::clone(shared), number, _abandoner: abandoner };
        let ended = match timeout(shared.patience, &mut ended).await {
            Ok(ended) => ended,
            Err(_) if shared.leave(number) => {
                counter.acquired(false, shared.patience);
                return Err(shared.not_in_time());
            }
            Err(_) => ended.await,
        };
        ended.unwrap_or_else(|_| Err(died()))
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.woken.notify_all();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.shared.leave(self.number);
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.has_thread = false;
        if !queue.waiting.is_empty() {
            self.0.start(&mut queue);
        }
        self.0.ended.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing that may panic is done under the lock.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues work, and returns its number.
    fn push(self: &Arc<Self>, work: Box<dyn Task>) -> Result<u64, SourceError> {
        let mut queue = self.lock();
        let number = queue.next;
        queue.next += 1;
        queue.waiting.push_back((number, work));
        self.start(&mut queue);
        if queue.has_thread {
            // The thread would wake only to wait for the lock.
            drop(queue);
            self.woken.notify_one();
            return Ok(number);
        }
        // It is dropped after the lock.
        let unrun = queue.waiting.pop_back();
        drop(queue);
        drop(unrun);
        Err(SourceError::new(SourceErrorKind::Overloaded, "no thread could be started"))
    }

    /// Removes work from the queue. `false` if it is not queued.
    fn leave(&self, number: u64) -> bool {
        let work = {
            let mut queue = self.lock();
            let place = queue.waiting.iter().position(|(waiting, _)| *waiting == number);
            place.and_then(|place| queue.waiting.remove(place))
        };
        work.is_some()
    }

    /// Starts the thread unless it runs.
    fn start(self: &Arc<Self>, queue: &mut Queue) {
        if queue.has_thread {
            return;
        }
        let shared = Arc::clone(self);
        let start = move || {
            let present = Present(shared);
            work(&present.0);
        };
        match Builder::new().name("sqlite-writer".into()).spawn(start) {
            Ok(_) => queue.has_thread = true,
            Err(error) => tracing::error!(%error, "no thread could be started"),
        }
    }

    /// The next one; none if there is nothing to do for a while.
    fn next(&self) -> Option<Box<dyn Task>> {
        let queue = self.lock();
        let is_idle = |queue: &mut Queue| queue.waiting.is_empty() && !queue.is_closed;
        let waited = self.woken.wait_timeout_while(queue, REST, is_idle);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        queue.waiting.pop_front().map(|(_, task)| task)
    }

    /// The next one, if it waits already and may run together with others.
    fn joining(&self) -> Option<Box<dyn Task>> {
        let joins = |(_, task): &mut (u64, Box<dyn Task>)| task.joins();
        self.lock().waiting.pop_front_if(joins).map(|(_, task)| task)
    }

    /// Whether one joins.
    fn has_joining(&self) -> bool {
        self.lock().waiting.front().is_some_and(|(_, task)| task.joins())
    }

    fn not_in_time(&self) -> SourceError {
        let milliseconds = self.patience.as_millis();
        let message = format!("the changes of others took longer than {milliseconds} ms");
        SourceError::new(SourceErrorKind::Busy, message)
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Queue")
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}

/// Works until there is nothing to do.
fn work(shared: &Shared) {
    let mut writing: Option<Writing> = None;
    while let Some(first) = shared.next() {
        let alone = match open(&mut writing, shared) {
            Ok(writing) if first.joins() && shared.has_joining() => {
                writing.together(first, || shared.joining())
            }
            Ok(_) => vec![first],
            Err(error) => {
                first.refuse(error);
                Vec::new()
            }
        };
        writing = writing.filter(Writing::is_free);
        for task in alone {
            match open(&mut writing, shared) {
                Ok(writing) => writing.alone(task),
                Err(error) => task.refuse(error),
            }
            // A connection whose transaction could not be ended is closed, which ends it.
            writing = writing.filter(Writing::is_free);
        }
    }
    // The thread is idle for a while, or for good: a log that grew would keep its size.
    if let Some(writing) = writing.filter(|writing| writing.file.is_at(&shared.path)) {
        let is_empty = writing.empty_log();
        shared.lock().has_log = !is_empty;
    }
}

/// The file that is at the path now.
fn open<'w>(writing: &'w mut Option<Writing>, shared: &Shared) -> Result<&'w Writing, SourceError> {
    if writing.as_ref().is_some_and(|writing| !writing.file.is_at(&shared.path)) {
        *writing = None;
    }
    match writing {
        Some(writing) => Ok(writing),
        None => {
            let file = OpenFile::open_for_changes(&shared.path, shared.patience, shared.durability)
                .map_err(map_error)?;
            Ok(writing.insert(Writing::new(file, shared.join)))
        }
    }
}
