//! A thread pool for long runs, each thread with a connection of its own.
//!
//! There are as many threads as the [`Scheduler`] admits runs, and one more that watches while runs
//! are queued. The thread that became idle last works first, so that surplus ones end.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use source::{SourceError, SourceErrorKind};

use super::connection::{Cache, OpenFile};
use super::runtime_estimate::RuntimeClass;
use super::scheduler::{Run, Scheduler};
use crate::error::map_error;

/// Idle time after which a thread ends.
const REST: Duration = Duration::from_secs(2);

/// Interval of checks whether a queued run has waited long enough.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);

/// The work of a thread: with a connection, or with the reason why there is none.
pub(super) type Work = Box<dyn FnOnce(Result<&mut OpenFile, SourceError>) -> Report + Send>;

/// Reports the result, when its place is free again.
pub(super) type Report = Box<dyn FnOnce() + Send>;

/// The threads of a file. They end when this is dropped and they have nothing to do.
#[derive(Debug)]
pub(super) struct Threads(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    /// Busy timeout of a statement.
    busy: Duration,
    state: Mutex<State>,
}

struct State {
    scheduler: Scheduler<Work>,
    /// The number of the next job.
    next: u64,
    /// Threads that rest, the one that came last in the end.
    idle: Vec<(u64, Sender<Task>)>,
    threads: u64,
    /// The number of the next thread.
    next_thread: u64,
    /// Whether a thread watches the queues.
    is_watched: bool,
    is_closed: bool,
    /// A connection that no thread has.
    spare: Option<OpenFile>,
}

/// A message to a thread.
enum Task {
    Run(u64, Work),
    Watch,
    End,
}

/// The state of one thread.
struct Worker {
    shared: Arc<Shared>,
    number: u64,
    tasks: Receiver<Task>,
    sender: Sender<Task>,
    file: Option<OpenFile>,
    /// The job that runs.
    running: Option<u64>,
}

impl Threads {
    /// The first thread takes the file that is open already.
    pub(super) fn new(path: &Path, file: OpenFile, busy: Duration) -> Self {
        let places = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        let state = State {
            scheduler: Scheduler::new(places),
            next: 0,
            idle: Vec::new(),
            threads: 0,
            next_thread: 0,
            is_watched: false,
            is_closed: false,
            spare: Some(file),
        };
        Self(Arc::new(Shared { path: path.into(), busy, state: Mutex::new(state) }))
    }

    /// Raises the number of concurrent jobs.
    pub(super) fn add(&self, most: usize) {
        self.0.lock().scheduler.add(most);
    }

    pub(super) fn remove(&self, most: usize) {
        self.0.lock().scheduler.remove(most);
    }

    /// A number for a job.
    pub(super) fn number(&self) -> u64 {
        let mut state = self.0.lock();
        state.next += 1;
        state.next
    }

    /// Queues a job.
    pub(super) fn push(&self, run: Run, class: RuntimeClass, work: Work) {
        let mut state = self.0.lock();
        state.scheduler.push(run, class, work);
        self.0.share_out(&mut state);
    }

    /// Removes a job from the queue. `false` if it is not queued.
    pub(super) fn leave(&self, number: u64) -> bool {
        let job = self.0.lock().scheduler.leave(number);
        // Its data is dropped after the lock.
        job.is_some()
    }

    /// A job waits for others from now on: its place is for another.
    pub(super) fn mark_long(&self, number: u64) {
        let mut state = self.0.lock();
        state.scheduler.mark_long(number);
        self.0.share_out(&mut state);
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_closed = true;
        for (_, thread) in state.idle.drain(..) {
            // A thread that ends just now needs no message.
            let _ = thread.send(Task::End);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that may panic is done under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Assigns runs to threads, and has one watch if runs are still queued.
    fn share_out(self: &Arc<Self>, state: &mut State) {
        while let Some((number, work)) = state.scheduler.pick(Instant::now()) {
            if let Err((task, error)) = self.give(state, Task::Run(number, work)) {
                state.scheduler.end(number);
                if let Task::Run(_, work) = task {
                    work(Err(without_thread(&error)))();
                }
            }
        }
        if !state.is_watched && state.scheduler.next_check().is_some() {
            // Without a thread for that, those that run will see to it when they end.
            state.is_watched = self.give(state, Task::Watch).is_ok();
        }
    }

    /// Gives a task to a thread that rests, or to a new one.
    fn give(
        self: &Arc<Self>,
        state: &mut State,
        mut task: Task,
    ) -> Result<(), (Task, std::io::Error)> {
        while let Some((_, thread)) = state.idle.pop() {
            match thread.send(task) {
                Ok(()) => return Ok(()),
                Err(unsent) => task = unsent.0,
            }
        }
        let (sender, tasks) = channel();
        let number = state.next_thread;
        let (shared, file) = (Arc::clone(self), state.spare.take());
        let to_worker = sender.clone();
        let start = move || {
            Worker { shared, number, tasks, sender: to_worker, file, running: None }.work();
        };
        if let Err(error) = Builder::new().name("sqlite".into()).spawn(start) {
            return Err((task, error));
        }
        state.next_thread += 1;
        state.threads += 1;
        // The thread is running, so its end of the channel is open.
        sender.send(task).map_err(|unsent| (unsent.0, std::io::ErrorKind::Other.into()))
    }
}

impl Worker {
    fn work(mut self) {
        let mut next = None;
        loop {
            let task = match next.take() {
                Some(task) => task,
                None => match self.tasks.recv_timeout(REST) {
                    Ok(task) => task,
                    Err(RecvTimeoutError::Timeout) if !self.goes() => continue,
                    Err(_) => return,
                },
            };
            next = match task {
                Task::Run(number, work) => self.run(number, work),
                Task::Watch => self.watch(),
                Task::End => return,
            };
        }
    }

    /// Runs a job, and takes the next one.
    fn run(&mut self, number: u64, work: Work) -> Option<Task> {
        self.running = Some(number);
        let told = match open(&mut self.file, &self.shared) {
            Ok(file) => work(Ok(file)),
            Err(error) => work(Err(error)),
        };
        let next = {
            let mut state = self.shared.lock();
            self.running = None;
            state.scheduler.end(number);
            let next = self.next(&mut state);
            self.shared.share_out(&mut state);
            next
        };
        told();
        next
    }

    /// Watches the queues, until they are empty or one of the runs may start here.
    fn watch(&mut self) -> Option<Task> {
        loop {
            let mut state = self.shared.lock();
            let now = Instant::now();
            state.scheduler.check(now);
            let picked = state.scheduler.pick(now);
            if picked.is_some() || state.scheduler.next_check().is_none() {
                state.is_watched = false;
                let next = match picked {
                    Some((number, work)) => Some(Task::Run(number, work)),
                    None => self.rest(&mut state),
                };
                self.shared.share_out(&mut state);
                return next;
            }
            let next = state.scheduler.next_check().unwrap_or(now);
            drop(state);
            // A run that is queued meanwhile may have a shorter limit; one that waits for a
            // processor is checked again a little later.
            let wait = next.saturating_duration_since(now).clamp(SHORTEST_INTERVAL, CHECK_INTERVAL);
            // A watching thread gets no messages.
            let _ = self.tasks.recv_timeout(wait);
        }
    }

    fn next(&self, state: &mut State) -> Option<Task> {
        match state.scheduler.pick(Instant::now()) {
            Some((number, work)) => Some(Task::Run(number, work)),
            None => self.rest(state),
        }
    }

    /// Waits for another task, unless there will be none.
    fn rest(&self, state: &mut State) -> Option<Task> {
        if state.is_closed {
            return Some(Task::End);
        }
        state.idle.push((self.number, self.sender.clone()));
        None
    }

    /// Whether the thread may end: no message is on its way to it.
    fn goes(&mut self) -> bool {
        let mut state = self.shared.lock();
        let before = state.idle.len();
        state.idle.retain(|(number, _)| *number != self.number);
        state.idle.len() < before
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.threads -= 1;
        // Its job has panicked; the request finds the channel closed.
        if let Some(number) = self.running.take() {
            state.scheduler.end(number);
            self.shared.share_out(&mut state);
            return;
        }
        // The last one leaves its connection, which has read the schema, to the next.
        if state.threads == 0 && !state.is_closed {
            state.spare = self.file.take();
        }
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// A connection to the file that is at the path now.
fn open<'f>(
    file: &'f mut Option<OpenFile>,
    shared: &Shared,
) -> Result<&'f mut OpenFile, SourceError> {
    if file.as_ref().is_some_and(|file| !file.is_at(&shared.path)) {
        *file = None;
    }
    match file {
        Some(file) => Ok(file),
        None => Ok(file
            .insert(OpenFile::open(&shared.path, shared.busy, Cache::Little).map_err(map_error)?)),
    }
}

fn without_thread(error: &std::io::Error) -> SourceError {
    SourceError::new(SourceErrorKind::Internal, format!("no thread could be started: {error}"))
}
