//! The threads of the server, from their start to the signal that ends them.

use std::io;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use hyper::body::Incoming;
use tokio::runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{sleep, timeout};

use super::door;
use super::listen::{Listeners, Socket};
use super::reload::{self, Renewal};
use super::service::Generation;
use super::settings::Settings;
use super::tls;
use crate::failure::Failure;
use crate::metrics::{self, MetricsListener};
use crate::supervisor;

/// For the threads to notice that their time is up.
const GRACE: Duration = Duration::from_secs(1);

/// Lives as long as its thread, and reports the end, however it came.
#[derive(Debug)]
struct Ending(mpsc::UnboundedSender<()>);

/// A server beside another one of the same process; it ends when this goes.
#[derive(Debug)]
pub(crate) struct Beside {
    stop: watch::Sender<bool>,
    /// There is no newer one.
    _generations: watch::Sender<Generation>,
}

/// The signals by which a person or a supervisor ends a program.
#[derive(Debug)]
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

/// Serves until a signal comes, then answers what was begun. A second signal ends it at once.
pub(crate) async fn serve(
    generation: Generation,
    mut listeners: Listeners,
    renewal: Option<Renewal>,
    metrics: Option<MetricsListener>,
) -> Result<(), Failure> {
    let mut signals = Signals::listen().map_err(Failure::Runtime)?;
    let threads = listeners.threads.len();
    let (stop, stopping) = watch::channel(false);
    let process = Arc::clone(&generation.process);
    let (generations, newest) = watch::channel(generation);
    let settings = newest.clone();
    let probed = newest.clone();
    spawn_local({
        let process = Arc::clone(&process);
        async move { process.readiness.ask(probed).await }
    });
    let (ending, mut endings) = mpsc::unbounded_channel();
    for (idx, sockets) in mem::take(&mut listeners.threads).into_iter().enumerate() {
        let (newest, stopping) = (newest.clone(), stopping.clone());
        let ending = Ending(ending.clone());
        thread::Builder::new()
            .name(format!("worker-{idx}"))
            .spawn(move || run_thread(newest, sockets, stopping, &ending))
            .map_err(Failure::Runtime)?;
    }
    if let Some(listener) = metrics {
        tracing::info!("metrics at http://{}/metrics", listener.address);
        let is_local = listener.address.ip().to_canonical().is_loopback();
        let (process, newest) = (Arc::clone(&process), newest.clone());
        let settings = newest.clone();
        let sources = move || process.metrics_sources(&newest.borrow().api);
        let foreign = move |request: &hyper::Request<Incoming>| {
            let hosts = &settings.borrow().settings.hosts;
            let host = hosts.foreign_to_metrics(is_local, request.uri(), request.headers());
            host.map(str::to_owned)
        };
        spawn_local(metrics::serve(listener, sources, foreign));
    }
    drop((stopping, ending));
    let looking = spawn_local(tls::follow(newest));
    let reloading = match renewal {
        Some(renewal) => {
            let hangup = signal(SignalKind::hangup()).map_err(Failure::Runtime)?;
            Some(spawn_local(reload::follow(hangup, renewal, generations)))
        }
        None => None,
    };
    for place in &listeners.places {
        tracing::info!(version = env!("CARGO_PKG_VERSION"), threads, "serving at {place}");
    }

    supervisor::tell_ready();
    let early = tokio::select! {
        () = signals.receive() => false,
        _ = endings.recv() => true,
    };
    process.is_stopping.store(true, Ordering::Relaxed);
    supervisor::tell_stopping();
    let Settings { drain_timeout, drain_delay, .. } = *settings.borrow().settings;
    if let Some(delay) = drain_delay.filter(|_| !early) {
        tracing::info!(?delay, "stopping soon: requests are still taken");
        tokio::select! {
            () = sleep(delay) => {}
            () = signals.receive() => {
                tracing::warn!("stopped at once by a second signal");
                return Ok(());
            }
        }
    }
    if let Some(reloading) = reloading {
        reloading.abort();
    }
    looking.abort();
    tracing::info!("stopping: requests that have begun are answered");
    listeners.remove_files();
    // Threads that ended already do not listen.
    stop.send_replace(true);
    tokio::select! {
        ended = timeout(drain_timeout + GRACE, all_ended(&mut endings)) => {
            if ended.is_err() {
                tracing::warn!("some requests were not answered in time");
            }
        }
        () = signals.receive() => tracing::warn!("stopped at once by a second signal"),
    }
    // After the last request, so that nobody waits for it but the end.
    let api = settings.borrow().api.clone();
    api.close(GRACE);
    match early {
        true => Err(Failure::Thread),
        false => Ok(()),
    }
}

/// Serves on threads of its own beside another server, which hears the signals.
pub(crate) fn serve_beside(
    generation: Generation,
    mut listeners: Listeners,
) -> Result<Beside, Failure> {
    let (stop, stopping) = watch::channel(false);
    let (generations, newest) = watch::channel(generation);
    let (ending, _) = mpsc::unbounded_channel();
    for (idx, sockets) in mem::take(&mut listeners.threads).into_iter().enumerate() {
        let (newest, stopping) = (newest.clone(), stopping.clone());
        let ending = Ending(ending.clone());
        thread::Builder::new()
            .name(format!("beside-{idx}"))
            .spawn(move || run_thread(newest, sockets, stopping, &ending))
            .map_err(Failure::Runtime)?;
    }
    Ok(Beside { stop, _generations: generations })
}

fn run_thread(
    newest: watch::Receiver<Generation>,
    sockets: Vec<Socket>,
    stopping: watch::Receiver<bool>,
    _ending: &Ending,
) {
    let served = runtime::Builder::new_current_thread().enable_all().build().and_then(|runtime| {
        LocalSet::new().block_on(&runtime, door::serve(newest, sockets, stopping))
    });
    if let Err(error) = served {
        tracing::error!(%error, "a thread of the server cannot run");
    }
}

/// The channel is closed when the last thread has ended.
async fn all_ended(endings: &mut mpsc::UnboundedReceiver<()>) {
    while endings.recv().await.is_some() {}
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn receive(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Nobody waits any more if the server has given up.
        let _ = self.0.send(());
    }
}
