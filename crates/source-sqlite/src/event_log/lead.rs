//! The lock of the server that delivers the events of a file, and the wait for events.

use std::fs::{OpenOptions, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::{EventLogError, Shared, SqliteEventLog, State};

/// The end of the name of the locked file, beside the database.
const SUFFIX: &str = "-thalweg-events";

/// Time between two looks at the version of the file, which changes with the commits of others.
const INTERVAL: Duration = Duration::from_millis(25);

impl SqliteEventLog {
    /// Begins to deliver events, unless another process does. Returns whether the claims of servers that
    /// have ended were released.
    pub async fn begin(&self) -> Result<bool, EventLogError> {
        self.run_with_state(lead).await
    }

    /// Waits until the file was changed, or for this time.
    pub async fn wait(&self, most: Duration) -> Result<(), EventLogError> {
        let end = Instant::now() + most;
        loop {
            let has_changed = self.run_with_state(|shared, state| {
                let connection = shared.connection(state)?;
                let query = include_str!("data_version.sql");
                let version = connection.query_row(query, [], |row| row.get(0))?;
                let has_changed = version != state.version;
                state.version = version;
                Ok(has_changed)
            });
            if has_changed.await? || Instant::now() >= end {
                return Ok(());
            }
            sleep(INTERVAL.min(end.saturating_duration_since(Instant::now()))).await;
        }
    }
}

/// Takes the lock if it is free; true if this process has just taken it.
pub(super) fn lead(shared: &Shared, state: &mut State) -> Result<bool, EventLogError> {
    if state.lead.is_some() {
        return Ok(false);
    }
    let path = lock_path(shared);
    let failed = |error| EventLogError::Lock { path: path.clone(), error };
    let opened = OpenOptions::new().create(true).append(true).open(&path);
    let file = opened.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(false),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    shared.connection(state)?.execute_batch(include_str!("release_all.sql"))?;
    state.lead = Some(file);
    Ok(true)
}

fn lock_path(shared: &Shared) -> PathBuf {
    let mut path = shared.path.clone().into_os_string();
    path.push(SUFFIX);
    path.into()
}
