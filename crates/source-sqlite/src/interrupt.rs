//! Interruption of what a connection runs.
//!
//! SQLite asks between the steps of its virtual machine whether to go on. One call of a function is
//! one step, however long it takes, so functions whose work is not linear in short values ask as
//! well.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, Error, ffi};

use super::STEPS;

/// How many bytes functions look at between two checks: some microseconds.
pub(super) const BYTES: usize = 16 << 10;

/// Whether the run of a connection is to stop, for SQLite and for its functions.
#[derive(Clone, Default)]
pub(super) struct Interrupt(Arc<State>);

#[derive(Default)]
struct State {
    check: Mutex<Option<Box<Check>>>,
    /// How many bytes functions have looked at since the last check. Many short calls come between
    /// two checks of SQLite's own.
    looked_at: AtomicUsize,
}

type Check = dyn FnMut() -> bool + Send;

/// The work of one call of a function, which ends when its connection is interrupted.
#[derive(Debug)]
pub(super) struct Work<'i> {
    interrupt: &'i Interrupt,
    /// How much may still be done before the next check.
    left: usize,
    #[cfg(test)]
    pub(super) spent: usize,
}

impl Interrupt {
    /// Has SQLite ask it.
    pub(super) fn watch(&self, connection: &mut Connection) -> Result<(), Error> {
        let interrupt = self.clone();
        connection.progress_handler(STEPS, Some(move || interrupt.is_requested()))
    }

    /// Replaces the condition under which the connection stops.
    pub(super) fn when(&self, check: impl FnMut() -> bool + Send + 'static) {
        let before = self.lock().replace(Box::new(check));
        // Dropped while nobody waits for the lock.
        drop(before);
    }

    pub(super) fn work(&self) -> Work<'_> {
        let looked_at = self.0.looked_at.load(Ordering::Relaxed);
        Work {
            interrupt: self,
            left: BYTES.saturating_sub(looked_at),
            #[cfg(test)]
            spent: 0,
        }
    }

    fn is_requested(&self) -> bool {
        self.lock().as_mut().is_some_and(|check| check())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Box<Check>>> {
        self.0.check.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work<'_> {
    /// Counts work of about so many bytes, and checks now and then.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), Error> {
        #[cfg(test)]
        {
            self.spent += bytes;
        }
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => self.check(),
        }
    }

    #[cold]
    fn check(&mut self) -> Result<(), Error> {
        self.left = BYTES;
        match self.interrupt.is_requested() {
            true => Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None)),
            false => Ok(()),
        }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.interrupt.0.looked_at.store(BYTES.saturating_sub(self.left), Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Interrupt").finish_non_exhaustive()
    }
}
