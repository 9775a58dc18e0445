//! Work on a thread of its own until it is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A thread; dropping it stops it and waits for its end.
#[derive(Debug)]
pub(crate) struct Background<T> {
    stop: Stop,
    thread: Option<JoinHandle<T>>,
}

/// The signal to a thread to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl<T: Send + 'static> Background<T> {
    /// Starts work that ends soon after it is stopped.
    pub(crate) fn start(work: impl FnOnce(&Stop) -> T + Send + 'static) -> Self {
        let stop = Stop::default();
        let own = stop.clone();
        Self { stop, thread: Some(thread::spawn(move || work(&own))) }
    }

    /// Stops the thread and returns its result; `None` where it panicked.
    pub(crate) fn finish(mut self) -> Option<T> {
        self.stop();
        self.thread.take()?.join().ok()
    }
}

impl<T> Background<T> {
    /// Stops the thread without waiting for its end.
    pub(crate) fn stop(&self) {
        self.stop.0.store(true, Ordering::Relaxed);
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            // The result of a dropped thread is of no use, and a panic has been printed.
            drop(thread.join());
        }
    }
}

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_it_is_stopped_and_its_result_is_returned() {
        let counting = Background::start(|stop| {
            let mut count = 0_u64;
            while !stop.is_set() {
                count += 1;
                thread::yield_now();
            }
            count
        });
        assert!(counting.finish().is_some());
    }
}
