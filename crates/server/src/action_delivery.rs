//! The delivery of calls of asynchronous actions, beside a server: a thread of its own for each
//! generation, since its requests may take long.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use engine::{Engine, Worker};
use tokio::sync::watch;
use tokio::task::LocalSet;

use crate::failure::Failure;

/// The deliveries of a process. That of the newest generation claims calls; former ones end those that
/// they have claimed.
#[derive(Debug, Default)]
pub(crate) struct ActionDelivery {
    running: Mutex<Vec<Running>>,
}

#[derive(Debug)]
struct Running {
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl ActionDelivery {
    /// Delivers the calls of this engine from now on; `None` for an engine without such actions. Calls
    /// that run when the server stops have `drain` to end.
    pub(crate) fn apply(
        &self,
        engine: Option<&Arc<Engine>>,
        drain: Duration,
    ) -> Result<(), Failure> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|former| !former.thread.is_finished());
        for former in running.iter() {
            former.stop.send_replace(true);
        }
        let Some(engine) = engine.map(Arc::clone) else { return Ok(()) };
        let (stop, stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Failure::other)?;
        let work = move || {
            // The client has tasks on this thread.
            LocalSet::new().block_on(&runtime, async move {
                Worker::new(engine).deliver_actions(stopped, drain).await;
            });
        };
        let thread = thread::Builder::new().name("actions".into()).spawn(work);
        running.push(Running { stop, thread: thread.map_err(Failure::other)? });
        Ok(())
    }

    /// Ends the delivery; calls that run may end.
    pub(crate) fn stop(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        for one in running.iter() {
            one.stop.send_replace(true);
        }
        for one in running.drain(..) {
            if one.thread.join().is_err() {
                tracing::error!("the thread that delivers calls of actions has panicked");
            }
        }
    }
}
