//! Connections for what takes long: each is used on a thread of its own, and stops when nobody
//! waits for its answer any more.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::STEPS;
use super::connection::OpenFile;
use super::planning::Planning;
use crate::error::{SourceError, SourceErrorKind};
use crate::statistics::{Counter, Gauge};

/// Connections that nobody uses, of all threads.
#[derive(Clone, Debug)]
pub(super) struct IdleFiles {
    files: Arc<Mutex<Vec<OpenFile>>>,
    /// How long a statement waits for a writer.
    busy: Duration,
}

/// The right of one thread to so many connections.
#[derive(Debug)]
pub(super) struct Apart {
    path: PathBuf,
    idle: IdleFiles,
    permits: Arc<Semaphore>,
    /// For waiting until a connection is free.
    acquire_timeout: Duration,
    counter: Counter,
}

/// Tells the other thread that the request went away.
struct Abandoned(Arc<AtomicBool>);

impl IdleFiles {
    pub(super) fn new(file: OpenFile, busy: Duration) -> Self {
        Self { files: Arc::new(Mutex::new(vec![file])), busy }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OpenFile>> {
        // A list of connections is whole at any time, even if a thread died while it held it.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection to the file that is at the path now.
    fn take(&self, path: &Path) -> Result<OpenFile, SourceError> {
        loop {
            let Some(file) = self.lock().pop() else { return Ok(OpenFile::open(path, self.busy)?) };
            if file.is_at(path) {
                return Ok(file);
            }
        }
    }
}

impl Apart {
    pub(super) fn new(
        path: &Path,
        idle: &IdleFiles,
        most: usize,
        acquire_timeout: Duration,
    ) -> Self {
        let permits = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        Self {
            path: path.into(),
            idle: idle.clone(),
            permits,
            acquire_timeout,
            counter: Counter::default(),
        }
    }

    pub(super) fn count(&mut self, counter: Counter) {
        self.counter = counter;
    }

    /// Runs `work` on another thread. If the future is dropped, its statements are interrupted.
    pub(super) async fn run<T, E>(
        &self,
        planning: Planning,
        work: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<SourceError> + Send + 'static,
    {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let (started, waiting) = (Instant::now(), self.counter.hold(Gauge::Waiting));
        let permit = timeout(self.acquire_timeout, permit).await;
        drop(waiting);
        self.counter.acquired(matches!(permit, Ok(Ok(_))), started.elapsed());
        // The semaphore is never closed; if it were, no connection would become free.
        let Ok(Ok(permit)) = permit else { return Err(self.none_free().into()) };
        // Given back when the work is done and its end was noticed: then its thread is free for the
        // next, where otherwise another thread would be made.
        let permit = Arc::new(permit);
        let _noticed = Arc::clone(&permit);
        let abandoned = Abandoned(Arc::default());
        let (path, idle) = (self.path.clone(), self.idle.clone());
        let stop = Arc::clone(&abandoned.0);
        let held = [self.counter.hold(Gauge::Open), self.counter.hold(Gauge::Used)];
        let task = spawn_blocking(move || {
            let (_permit, _held) = (permit, held);
            let mut file = idle.take(&path)?;
            file.plan(planning).map_err(SourceError::from)?;
            // A flag of this run only: an interrupt could hit whoever uses the connection next.
            let is_abandoned = move || stop.load(Ordering::Relaxed);
            file.connection
                .progress_handler(STEPS, Some(is_abandoned))
                .map_err(SourceError::from)?;
            let done = work(&file.connection);
            idle.lock().push(file);
            done
        });
        let failed = |error: tokio::task::JoinError| {
            SourceError::new(SourceErrorKind::Internal, error.to_string()).into()
        };
        task.await.unwrap_or_else(|error| Err(failed(error)))
    }

    fn none_free(&self) -> SourceError {
        let milliseconds = self.acquire_timeout.as_millis();
        let message = format!("no connection became free within {milliseconds} ms");
        SourceError::new(SourceErrorKind::Busy, message)
    }
}

/// Too late for a run that has ended.
impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
