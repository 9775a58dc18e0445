//! The next generation, when a signal asks for it or the schema was changed.
//!
//! It is made on a thread of its own while requests go on. If it cannot be made, the one that there
//! is goes on.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use engine::{Api, SchemaWatch};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tokio::time::sleep;

use super::service::Generation;
use super::settings::Settings;
use crate::configuration::redacted;
use crate::failure::Failure;
use crate::memory;
use crate::supergraph::SupergraphWatch;
use crate::supervisor;

/// What a reload replaces.
#[derive(Debug)]
pub(crate) struct Fresh {
    pub(crate) api: Api,
    pub(crate) settings: Arc<Settings>,
    /// Tells when the schema is another than the engine's, where that is wanted.
    pub(crate) watch: Option<Changes>,
}

/// Tells when what is served has become something else.
#[derive(Debug)]
pub(crate) enum Changes {
    Schema(SchemaWatch),
    Supergraph(SupergraphWatch),
}

/// How to make a generation, and when without being asked.
pub(crate) struct Renewal {
    pub(crate) reload: Reload,
    pub(crate) watch: Option<Changes>,
}

/// Why a generation is made.
#[derive(Clone, Copy, Debug)]
enum Cause {
    Signal,
    Change,
    /// The one before was not made: the database may have gone in the middle of a change.
    Retry,
}

/// When to try once more.
#[derive(Debug, Default)]
struct Retry {
    pause: Option<Duration>,
    /// What was said last.
    error: Option<String>,
}

/// The first pause after a failure, and the last: each is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LAST_PAUSE: Duration = Duration::from_secs(300);

/// Reads the options and the source again.
pub(crate) type Reload = Box<dyn Fn() -> Result<Fresh, Failure> + Send + Sync>;

/// Takes the signal from now on. Before there is anything to reload it means nothing, and would end
/// the process. The system's own answer to it never comes back, so nothing has to be kept.
pub(crate) async fn take_signal() -> Result<(), Failure> {
    signal(SignalKind::hangup()).map(drop).map_err(Failure::Runtime)
}

/// Makes a generation whenever the signal has come or the schema was changed. However often it comes
/// meanwhile, one more is made afterwards.
pub(super) async fn follow(
    mut signal: Signal,
    Renewal { reload, mut watch }: Renewal,
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
        supervisor::tell_reloading();
        match run(Arc::clone(&reload)).await {
            Some(Ok(mut fresh)) => {
                watch = fresh.watch.take();
                retry = Retry::default();
                replace(&generations, fresh);
                let milliseconds = started.elapsed().as_millis();
                tracing::info!(milliseconds, "reloaded; new requests are answered by it");
            }
            Some(Err(failure)) => {
                count_failure(&generations);
                let error = redacted(failure.to_string().trim()).replace("\nerror: ", "; ");
                let error = error.replace('\n', " ");
                retry.say(cause, error);
            }
            None => {
                count_failure(&generations);
                retry.say(cause, "a fault, which the log has".into());
            }
        }
        supervisor::tell_ready();
        memory::give_back();
    }
}

/// Waits for a change of the schema, for ever where nobody looks at it.
async fn changed(watch: &mut Option<Changes>) {
    match watch {
        Some(Changes::Schema(watch)) => watch.changed().await,
        Some(Changes::Supergraph(watch)) => watch.changed().await,
        None => pending().await,
    }
}

fn replace(generations: &watch::Sender<Generation>, Fresh { api, mut settings, .. }: Fresh) {
    generations.send_modify(|generation| {
        if let Some(settings) = Arc::get_mut(&mut settings) {
            settings.inherit(&generation.settings);
        }
        generation.process.adapt(&settings.load);
        generation.api = api;
        generation.settings = settings;
        generation.process.reloads.succeeded.fetch_add(1, Ordering::Relaxed);
    });
}

impl Retry {
    /// Waits until it is time to try once more, for ever where nothing has failed.
    async fn wait(&self) {
        match self.pause {
            Some(pause) => sleep(pause).await,
            None => pending().await,
        }
    }

    /// Says why nothing was made, once for each reason, and tries again where nobody else asks.
    fn say(&mut self, cause: Cause, error: String) {
        let is_known = self.error.as_deref() == Some(&*error);
        match cause {
            Cause::Retry if is_known => tracing::debug!(error, "still not reloaded"),
            Cause::Signal | Cause::Change | Cause::Retry => {
                tracing::error!(error, "not reloaded; everything is as it was");
            }
        }
        self.error = Some(error);
        self.pause = match (cause, self.pause) {
            // Whoever sent a signal reads the log, and sends another.
            (Cause::Signal, pause) => pause,
            (Cause::Change, _) | (Cause::Retry, None) => Some(FIRST_PAUSE),
            (Cause::Retry, Some(pause)) => Some((pause * 2).min(LAST_PAUSE)),
        };
    }
}

fn count_failure(generations: &watch::Sender<Generation>) {
    generations.borrow().process.reloads.failed.fetch_add(1, Ordering::Relaxed);
}

/// None where the thread could not be made or has ended by a fault, which the log has.
async fn run(reload: Arc<Reload>) -> Option<Result<Fresh, Failure>> {
    let (sender, receiver) = oneshot::channel();
    let work = move || {
        // Nobody waits any more if the server stops.
        let _ = sender.send(reload());
        memory::give_back();
    };
    let thread = thread::Builder::new().name("reload".into()).spawn(work);
    if let Err(error) = thread {
        return Some(Err(Failure::Runtime(error)));
    }
    receiver.await.ok()
}
