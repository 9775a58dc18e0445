//! Makes the next generation after a signal or a schema change.
//!
//! It is made on a thread of its own while requests go on. If that fails, the current generation
//! stays.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tokio::time::sleep;

use super::generation::{ChangeWatch, Generation, Reloaded};
use crate::configuration::redacted;
use crate::failure::Failure;
use crate::memory;
use crate::supervisor;

/// Makes generations: on request, and when a watch reports a change.
pub(crate) struct Reloader {
    pub(crate) reload: Reload,
    pub(crate) watch: Option<ChangeWatch>,
}

/// The cause of a reload.
#[derive(Clone, Copy, Debug)]
enum Cause {
    Signal,
    Change,
    /// The previous attempt failed: the database may have been in the middle of a change.
    Retry,
}

/// Retry with exponential backoff.
#[derive(Debug, Default)]
struct Retry {
    pause: Option<Duration>,
    /// The error that was logged last.
    error: Option<String>,
}

/// The first pause after a failure, and the longest: each is twice the previous one.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LAST_PAUSE: Duration = Duration::from_secs(300);

/// Reads the options and the source again.
pub(crate) type Reload = Box<dyn Fn() -> Result<Reloaded, Failure> + Send + Sync>;

/// Handles SIGHUP from now on. Before the first generation it is ignored; unhandled, it would end the
/// process. Tokio never restores the default action, so nothing has to be kept.
pub(crate) async fn take_signal() -> Result<(), Failure> {
    signal(SignalKind::hangup()).map(drop).map_err(Failure::Runtime)
}

/// Makes a generation after each signal or schema change. Signals that come meanwhile cause one more
/// reload.
pub(super) async fn follow(
    mut signal: Signal,
    Reloader { reload, mut watch }: Reloader,
    generations: watch::Sender<Generation>,
) {
    let reload: Arc<Reload> = Arc::new(reload);
    let mut retry = Retry::default();
    loop {
        let cause = tokio::select! {
            received = signal.recv() => match received {
                Some(()) => Cause::Signal,
                None => return,
            },
            () = changed(&mut watch) => Cause::Change,
            () = retry.wait() => Cause::Retry,
        };
        let started = Instant::now();
        match cause {
            Cause::Signal => tracing::info!("reloading"),
            Cause::Change => tracing::info!("the schema was changed; reloading"),
            Cause::Retry => tracing::debug!("reloading once more"),
        }
        supervisor::notify_reloading();
        match run(Arc::clone(&reload)).await {
            Some(Ok(mut fresh)) => {
                watch = fresh.watch.take();
                retry = Retry::default();
                reopen_relay(&generations, &fresh).await;
                replace(&generations, fresh);
                let milliseconds = started.elapsed().as_millis();
                tracing::info!(milliseconds, "reloaded; new requests are answered by it");
            }
            Some(Err(failure)) => {
                let error = redacted(failure.to_string().trim());
                count_failure(&generations, &error);
                let error = error.replace("\nerror: ", "; ");
                let error = error.replace('\n', " ");
                retry.record_failure(cause, error);
            }
            None => {
                let error = "a panic, which the log has";
                count_failure(&generations, error);
                retry.record_failure(cause, error.into());
            }
        }
        supervisor::notify_ready();
        memory::give_back();
    }
}

/// Waits for a change of the schema, for ever if it is not watched.
async fn changed(watch: &mut Option<ChangeWatch>) {
    match watch {
        Some(ChangeWatch::Schema(watch)) => watch.changed().await,
        Some(ChangeWatch::Supergraph(watch)) => watch.changed().await,
        None => pending().await,
    }
}

/// Makes the next Relay API at once if there is one already: its subscriptions go on with it. A failure
/// is logged, and tried again by the next request.
async fn reopen_relay(generations: &watch::Sender<Generation>, fresh: &Reloaded) {
    let before = generations.borrow().relay.clone();
    let is_opened = before.is_some_and(|relay| relay.find().is_some());
    if let (true, Some(relay)) = (is_opened, &fresh.relay) {
        let _ = relay.open().await;
    }
}

fn replace(
    generations: &watch::Sender<Generation>,
    Reloaded { mut api, relay, mut settings, .. }: Reloaded,
) {
    generations.send_modify(|generation| {
        api.inherit(&generation.api);
        if let Some(settings) = Arc::get_mut(&mut settings) {
            settings.inherit(&generation.settings);
        }
        generation.process.adapt(&settings.load);
        generation.api = api;
        generation.relay = relay;
        generation.settings = settings;
        generation.process.reloads.succeeded.fetch_add(1, Ordering::Relaxed);
        generation.process.reloads.set_error(None);
    });
}

impl Retry {
    /// Waits until the next attempt, for ever if nothing has failed.
    async fn wait(&self) {
        match self.pause {
            Some(pause) => sleep(pause).await,
            None => pending().await,
        }
    }

    /// Logs a failure, once for each reason, and schedules the next attempt if no signal asked.
    fn record_failure(&mut self, cause: Cause, error: String) {
        let is_known = self.error.as_deref() == Some(&*error);
        match cause {
            Cause::Retry if is_known => tracing::debug!(error, "still not reloaded"),
            Cause::Signal | Cause::Change | Cause::Retry => {
                tracing::error!(error, "not reloaded; everything is as it was");
            }
        }
        self.error = Some(error);
        self.pause = match (cause, self.pause) {
            // The operator who sent the signal reads the log, and sends another.
            (Cause::Signal, pause) => pause,
            (Cause::Change, _) | (Cause::Retry, None) => Some(FIRST_PAUSE),
            (Cause::Retry, Some(pause)) => Some((pause * 2).min(LAST_PAUSE)),
        };
    }
}

fn count_failure(generations: &watch::Sender<Generation>, error: &str) {
    let process = &generations.borrow().process;
    process.reloads.failed.fetch_add(1, Ordering::Relaxed);
    process.reloads.set_error(Some(error.into()));
}

/// None if the thread could not be started or has panicked.
async fn run(reload: Arc<Reload>) -> Option<Result<Reloaded, Failure>> {
    let (sender, receiver) = oneshot::channel();
    let work = move || {
        // The receiver is gone if the server stops.
        let _ = sender.send(reload());
        memory::give_back();
    };
    let thread = thread::Builder::new().name("reload".into()).spawn(work);
    if let Err(error) = thread {
        return Some(Err(Failure::Runtime(error)));
    }
    receiver.await.ok()
}
