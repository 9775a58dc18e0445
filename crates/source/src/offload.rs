//! Long answers are written on threads of their own.
//!
//! A serving thread writes at most [`HERE`] bytes of an answer before it yields: a longer answer
//! begins again on another thread. As many write there at once as there are processors, so that
//! threads that serve short requests keep processor time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use response::Output;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::error::SourceError;
use crate::streamed::died;

/// Bytes of an answer, or of its rows, that a serving thread handles at once: about a millisecond.
pub const HERE: usize = 1 << 20;

/// Answers that are written at once on threads of their own.
static WRITERS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, usize::from)));

/// Sets its flag when the request goes away that waits for the work.
struct Waiter(Arc<AtomicBool>);

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs long work on another thread, queued for a processor. The work receives a flag that is set
/// when the request is abandoned.
pub async fn offload<T: Send + 'static>(
    work: impl FnOnce(Arc<AtomicBool>) -> T + Send + 'static,
) -> Result<T, SourceError> {
    // The semaphore is never closed.
    let turn = WRITERS.acquire().await.ok();
    let waiter = Waiter(Arc::default());
    let abandoned = Arc::clone(&waiter.0);
    let done = spawn_blocking(move || {
        let _turn = turn;
        work(abandoned)
    });
    done.await.map_err(|_| died())
}

/// Writes an answer on another thread into an output.
pub async fn write_offloaded<O: Output, T: Send + 'static>(
    mut output: O,
    write: impl FnOnce(O) -> T + Send + 'static,
) -> Result<T, SourceError> {
    offload(move |abandoned| {
        output.watch(abandoned);
        write(output)
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc;

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    #[test]
    fn no_more_work_is_done_at_once_than_there_are_processors() {
        let most = available_parallelism().map_or(1, usize::from);
        let now = Arc::new(AtomicUsize::new(0));
        let local = tokio::task::LocalSet::new();
        let works = (0..4 * most).map(|_| {
            let now = Arc::clone(&now);
            local.spawn_local(offload(move |_| {
                let running = now.fetch_add(1, Ordering::SeqCst) + 1;
                std::thread::yield_now();
                now.fetch_sub(1, Ordering::SeqCst);
                running
            }))
        });
        let works: Vec<_> = works.collect();
        local.block_on(&runtime(), async {
            for work in works {
                let running = work.await.unwrap().unwrap();
                assert!(running <= most, "{running}");
            }
        });
    }

    #[test]
    fn work_is_told_when_nobody_waits_for_it() {
        let (begun, begins) = mpsc::channel();
        let (ended, ends) = mpsc::channel();
        let local = tokio::task::LocalSet::new();
        local.block_on(&runtime(), async {
            let work = tokio::task::spawn_local(offload(move |abandoned: Arc<AtomicBool>| {
                begun.send(()).unwrap();
                while !abandoned.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                ended.send(()).unwrap();
            }));
            while begins.try_recv().is_err() {
                tokio::task::yield_now().await;
            }
            work.abort();
            assert!(work.await.is_err());
            ends.recv().unwrap();
        });
    }
}
