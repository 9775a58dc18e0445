//! The next generation, when a signal asks for it.
//!
//! It is made on a thread of its own while requests go on. If it cannot be made, the one that there
//! is goes on.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Instant;

use engine::Engine;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{oneshot, watch};

use super::service::Generation;
use super::settings::Settings;
use crate::failure::Failure;
use crate::memory;
use crate::supervisor;

/// What a reload replaces.
#[derive(Debug)]
pub(crate) struct Fresh {
    pub(crate) engine: Arc<Engine>,
    pub(crate) settings: Arc<Settings>,
}

/// Reads the options and the source again.
pub(crate) type Reload = Box<dyn Fn() -> Result<Fresh, Failure> + Send + Sync>;

/// Takes the signal from now on. Before there is anything to reload it means nothing, and would end
/// the process. The system's own answer to it never comes back, so nothing has to be kept.
pub(crate) async fn take_signal() -> Result<(), Failure> {
    signal(SignalKind::hangup()).map(drop).map_err(Failure::Runtime)
}

/// Makes a generation whenever the signal has come. However often it comes meanwhile, one more is
/// made afterwards.
pub(super) async fn follow(
    mut signal: Signal,
    reload: Reload,
    generations: watch::Sender<Generation>,
) {
    let reload: Arc<Reload> = Arc::new(reload);
    while signal.recv().await.is_some() {
        let started = Instant::now();
        tracing::info!("reloading");
        supervisor::tell_reloading();
        match run(Arc::clone(&reload)).await {
            Some(Ok(Fresh { engine, mut settings })) => {
                generations.send_modify(|generation| {
                    if let Some(settings) = Arc::get_mut(&mut settings) {
                        settings.inherit(&generation.settings);
                    }
                    generation.process.adapt(&settings.load);
                    generation.engine = engine;
                    generation.settings = settings;
                    generation.process.reloads.succeeded.fetch_add(1, Ordering::Relaxed);
                });
                let milliseconds = started.elapsed().as_millis();
                tracing::info!(milliseconds, "reloaded; new requests are answered by it");
            }
            Some(Err(failure)) => {
                count_failure(&generations);
                let error = failure.to_string().trim().replace('\n', " ");
                tracing::error!(error, "not reloaded; everything is as it was");
            }
            None => {
                count_failure(&generations);
                tracing::error!("not reloaded, by a fault; everything is as it was");
            }
        }
        supervisor::tell_ready();
        memory::give_back();
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
