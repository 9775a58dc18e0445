//! The thread that changes a file.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use source::changes::NoStream;
use source::statistics::Counter;
use source::streamed::{Abandoned, Abandoner, died};
use source::{SourceError, SourceErrorKind};
use tokio::time::timeout;

use super::group::{JOIN, Writing};
use super::task::{Job, Manner, Task};
use crate::connection::OpenFile;
use crate::durability::Durability;
use crate::error::map_error;
use crate::recording::{INTERVAL, Recorder, Recording};

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
    /// The recording of changes; none while they have no reader.
    recording: Option<Arc<Recording>>,
    /// True if the thread has still to begin the recording.
    has_new_recording: bool,
    /// Whether the write-ahead log may contain frames.
    has_log: bool,
}

/// The next work of the thread.
enum Next {
    Task(Box<dyn Task>),
    /// Changes of other programs have to be detected.
    Look,
    /// There is nothing to do for a while.
    End,
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

    /// Records changes from now on, until the recording is closed. It replaces an earlier one.
    pub(crate) fn record(&self, recording: &Arc<Recording>) -> Result<(), SourceError> {
        let shared = &self.0;
        let mut queue = shared.lock();
        queue.recording = Some(Arc::clone(recording));
        queue.has_new_recording = true;
        shared.start(&mut queue);
        let is_begun = queue.has_thread;
        drop(queue);
        shared.woken.notify_one();
        match is_begun {
            true => Ok(()),
            false => Err(no_thread()),
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
        if !queue.waiting.is_empty() || queue.has_new_recording {
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
        Err(no_thread())
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

    /// Waits for the next work.
    fn next(&self) -> Next {
        let mut queue = self.lock();
        if queue.recording.as_ref().is_some_and(|recording| recording.is_over()) {
            queue.recording = None;
        }
        let pause = if queue.recording.is_some() { INTERVAL } else { REST };
        let is_idle = |queue: &mut Queue| {
            queue.waiting.is_empty() && !queue.is_closed && !queue.has_new_recording
        };
        let waited = self.woken.wait_timeout_while(queue, pause, is_idle);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        queue.has_new_recording = false;
        match queue.waiting.pop_front() {
            Some((_, task)) => Next::Task(task),
            None if queue.is_closed || queue.recording.is_none() => Next::End,
            None => Next::Look,
        }
    }

    /// The recording of changes, unless it is over.
    fn recording(&self) -> Option<Arc<Recording>> {
        self.lock().recording.clone().filter(|recording| !recording.is_over())
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

    /// Ends the recording if there will be no thread any more.
    fn close_recording(&self) {
        let mut queue = self.lock();
        if queue.is_closed
            && let Some(recording) = queue.recording.take()
        {
            recording.fail(NoStream::Failed(died()));
        }
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
    loop {
        match shared.next() {
            Next::Task(first) => run(first, &mut writing, shared),
            Next::Look => {}
            Next::End => break,
        }
        report_changes(&mut writing, shared);
    }
    shared.close_recording();
    // The thread is idle for a while, or for good: a log that grew would keep its size. While changes
    // are recorded it does: after it is truncated, commits of other programs cannot be told apart.
    if let Some(writing) = writing.filter(|writing| writing.file.is_at(&shared.path)) {
        let is_empty = writing.empty_log();
        shared.lock().has_log = !is_empty;
    }
}

/// Runs a request, and others that may run together with it.
fn run(first: Box<dyn Task>, writing: &mut Option<Writing>, shared: &Shared) {
    let alone = match open(writing, shared) {
        Ok(writing) if first.joins() && shared.has_joining() => {
            writing.together(first, || shared.joining())
        }
        Ok(_) => vec![first],
        Err(error) => {
            first.refuse(error);
            Vec::new()
        }
    };
    keep_free(writing);
    for task in alone {
        match open(writing, shared) {
            Ok(writing) => writing.alone(task),
            Err(error) => task.refuse(error),
        }
        keep_free(writing);
    }
}

/// A connection whose transaction could not be ended is closed, which ends it.
fn keep_free(writing: &mut Option<Writing>) {
    if writing.as_ref().is_some_and(|writing| !writing.is_free()) {
        *writing = None;
    }
}

/// Passes recorded changes on.
fn report_changes(writing: &mut Option<Writing>, shared: &Shared) {
    let Some(recording) = shared.recording() else { return };
    let reported = open(writing, shared).and_then(Writing::report_changes);
    if let Err(error) = reported {
        recording.fail(NoStream::Failed(error));
    }
}

/// The connection to the file that is at the path now. It records changes if they have a reader.
fn open<'w>(writing: &'w mut Option<Writing>, shared: &Shared) -> Result<&'w Writing, SourceError> {
    let recording = shared.recording();
    let is_usable = |own: &Writing| {
        own.file.is_at(&shared.path)
            && own.recording().map(Arc::as_ptr) == recording.as_ref().map(Arc::as_ptr)
            && own.is_current()
    };
    if !writing.as_ref().is_some_and(is_usable) {
        *writing = None;
    }
    match writing {
        Some(writing) => Ok(writing),
        None => Ok(writing.insert(connect(shared, recording.as_ref())?)),
    }
}

/// A new connection. If changes cannot be recorded, their reader receives the reason.
fn connect(shared: &Shared, recording: Option<&Arc<Recording>>) -> Result<Writing, SourceError> {
    let open = || {
        let opened = OpenFile::open_for_changes(&shared.path, shared.patience, shared.durability);
        opened.map_err(map_error)
    };
    let file = open()?;
    let Some(recording) = recording else { return Ok(Writing::new(file, shared.join)) };
    let begun = match recording.is_waiting() {
        true => Recorder::begin(&file.connection, recording),
        false => Err(NoStream::Failed(SourceError::new(
            SourceErrorKind::Internal,
            "the file or its definitions have changed, or its connection was lost",
        ))),
    };
    match begun {
        Ok(recorder) => Ok(Writing::new(file, shared.join).recorded_by(recorder)),
        Err(error) => {
            recording.fail(error);
            // The connection may have some of the triggers.
            drop(file);
            Ok(Writing::new(open()?, shared.join))
        }
    }
}

fn no_thread() -> SourceError {
    SourceError::new(SourceErrorKind::Overloaded, "no thread could be started")
}
