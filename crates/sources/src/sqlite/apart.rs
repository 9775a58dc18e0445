//! Connections for what takes long: each is used on a thread of its own, and stops when nobody
//! waits for its answer any more.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use response::Written;
use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use super::STEPS;
use super::connection::OpenFile;
use super::planning::Planning;
use crate::error::{SourceError, SourceErrorKind};
use crate::source::ExecuteError;
use crate::statistics::{Counter, Gauge};
use crate::streamed::{Abandoner, End};

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

/// How much of the file a connection keeps in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cache {
    Usual,
    /// For a run that may take long because its reader is slow.
    Little,
}

/// Work on another thread. If this is dropped, its statements are interrupted.
#[derive(Debug)]
pub(super) struct Started<T> {
    task: JoinHandle<T>,
    abandoned: Abandoner,
    /// Keeps the place of the work until its end was noticed.
    _noticed: Arc<OwnedSemaphorePermit>,
}

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
        let mut started = self.start(planning, Cache::Usual, work).await?;
        let failed = |error: tokio::task::JoinError| {
            SourceError::new(SourceErrorKind::Internal, error.to_string()).into()
        };
        (&mut started.task).await.unwrap_or_else(|error| Err(failed(error)))
    }

    /// Starts `work` on another thread, once there is a connection for it.
    pub(super) async fn start<T, E>(
        &self,
        planning: Planning,
        cache: Cache,
        work: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<Started<Result<T, E>>, E>
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
        let noticed = Arc::clone(&permit);
        let abandoned = Abandoner::default();
        let (path, idle) = (self.path.clone(), self.idle.clone());
        let stop = abandoned.flag();
        let held = [self.counter.hold(Gauge::Open), self.counter.hold(Gauge::Used)];
        let task = spawn_blocking(move || {
            let (_permit, _held) = (permit, held);
            let mut file = idle.take(&path)?;
            file.plan(planning).map_err(SourceError::from)?;
            // A flag of this run only: an interrupt could hit whoever uses the connection next.
            let is_abandoned = move || stop.is_set();
            file.connection
                .progress_handler(STEPS, Some(is_abandoned))
                .map_err(SourceError::from)?;
            let done = match cache {
                Cache::Usual => work(&file.connection),
                Cache::Little => {
                    file.keep_little().map_err(SourceError::from)?;
                    let done = work(&file.connection);
                    file.keep_usual().map_err(SourceError::from)?;
                    done
                }
            };
            idle.lock().push(file);
            done
        });
        Ok(Started { task, abandoned, _noticed: noticed })
    }

    pub(super) fn counter(&self) -> &Counter {
        &self.counter
    }

    fn none_free(&self) -> SourceError {
        let milliseconds = self.acquire_timeout.as_millis();
        let message = format!("no connection became free within {milliseconds} ms");
        SourceError::new(SourceErrorKind::Busy, message)
    }
}

impl Started<Result<Written<SourceError>, ExecuteError>> {
    /// The same for an answer that may be sent while it is made.
    pub(super) fn into_end(self) -> End {
        End::new(self.task, self.abandoned)
    }
}
