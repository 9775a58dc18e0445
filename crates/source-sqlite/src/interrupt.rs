//! Interruption of a connection's statements.
//!
//! SQLite calls its progress handler between the steps of its virtual machine. One call of a
//! function is one step, however long it takes, so functions whose work is not linear in short
//! values check the interrupt, too.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, Error, ffi};

use super::STEPS;

/// Bytes that functions process between two checks: some microseconds.
pub(super) const BYTES: usize = 16 << 10;

/// The interrupt flag of a connection, for SQLite and for its functions.
#[derive(Clone, Default)]
pub(super) struct Interrupt(Arc<State>);

#[derive(Default)]
struct State {
    check: Mutex<Option<Box<Check>>>,
    /// Bytes that functions have processed since the last check. Many short calls come between two
    /// checks of SQLite's own.
    looked_at: AtomicUsize,
}

type Check = dyn FnMut() -> bool + Send;

/// The work of one call of a function, which ends when its connection is interrupted.
#[derive(Debug)]
pub(super) struct Work<'i> {
    interrupt: &'i Interrupt,
    /// Work left before the next check.
    left: usize,
    #[cfg(test)]
    pub(super) spent: usize,
}

impl Interrupt {
    /// Installs it as SQLite's progress handler.
    pub(super) fn watch(&self, connection: &mut Connection) -> Result<(), Error> {
        let interrupt = self.clone();
        connection.progress_handler(STEPS, Some(move || interrupt.is_requested()))
    }

    /// Replaces the condition under which the connection stops.
    pub(super) fn when(&self, check: impl FnMut() -> bool + Send + 'static) {
        let before = self.lock().replace(Box::new(check));
        // Dropped after the lock.
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
    /// Counts work of about this number of bytes, and checks the interrupt periodically.
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
