//! The threads of the server, from their start to a graceful shutdown.

use std::io;
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

use super::acceptor;
use super::generation::Generation;
use super::listen::{Listeners, Purpose, Socket};
use super::reload::{self, Reloader};
use super::settings::Settings;
use crate::failure::Failure;
use crate::metrics::{self, MetricsListener};
use crate::otlp;
use crate::supervisor;

/// Time for the threads to end after the drain timeout.
const GRACE: Duration = Duration::from_secs(1);

/// Interval of checks whether certificate files have changed.
const CERTIFICATE_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Reports the end of a thread when dropped, also after a panic.
#[derive(Debug)]
struct Ending(mpsc::UnboundedSender<()>);

/// A second server in the process, which stops when this is dropped.
#[derive(Debug)]
pub(crate) struct SecondServer {
    stop: watch::Sender<bool>,
    /// Kept open: the threads follow it.
    _generations: watch::Sender<Generation>,
}

/// The signals that end the program.
#[derive(Debug)]
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

/// Serves until a signal comes, then drains: requests that have begun are answered. A second signal
/// ends the server at once.
pub(crate) async fn serve(
    generation: Generation,
    mut listeners: Listeners,
    renewal: Option<Reloader>,
    metrics: Option<MetricsListener>,
) -> Result<(), Failure> {
    let mut signals = Signals::listen().map_err(Failure::Runtime)?;
    let threads = listeners.count();
    let (stop, stopping) = watch::channel(false);
    let process = Arc::clone(&generation.process);
    let (generations, newest) = watch::channel(generation);
    let settings = newest.clone();
    let current = newest.clone();
    spawn_local({
        let process = Arc::clone(&process);
        let newest = move || current.borrow().api.clone();
        async move { process.readiness.run(newest).await }
    });
    let (ending, mut endings) = mpsc::unbounded_channel();
    for (idx, sockets) in listeners.take_threads().into_iter().enumerate() {
        let (newest, stopping) = (newest.clone(), stopping.clone());
        let ending = Ending(ending.clone());
        thread::Builder::new()
            .name(format!("worker-{idx}"))
            .spawn(move || run_thread(newest, sockets, stopping, &ending))
            .map_err(Failure::Runtime)?;
    }
    let sources = {
        let (process, newest) = (Arc::clone(&process), newest.clone());
        move || {
            let newest = newest.borrow();
            process.metrics_sources(&newest.api, &newest.settings)
        }
    };
    let pushed = process.telemetry.pushed.clone();
    if let Some(pushed) = pushed.clone() {
        spawn_local(otlp::push(pushed, sources.clone()));
    }
    if let Some(listener) = metrics {
        tracing::info!("metrics at http://{}/metrics", listener.address);
        let is_local = listener.address.ip().to_canonical().is_loopback();
        let settings = newest.clone();
        let sources = sources.clone();
        let foreign = move |request: &hyper::Request<Incoming>| {
            let hosts = &settings.borrow().settings.hosts;
            let host = hosts.foreign_to_metrics(is_local, request.uri(), request.headers());
            host.map(str::to_owned)
        };
        spawn_local(metrics::serve(listener, sources, foreign));
    }
    drop((stopping, ending));
    let watching = spawn_local(follow_certificates(newest));
    let reloading = match renewal {
        Some(renewal) => {
            let hangup = signal(SignalKind::hangup()).map_err(Failure::Runtime)?;
            Some(spawn_local(reload::follow(hangup, renewal, generations)))
        }
        None => None,
    };
    for place in &listeners.callback_places {
        tracing::info!("callbacks of subgraphs at {}", place.origin());
    }
    for place in &listeners.places {
        tracing::info!(version = env!("CARGO_PKG_VERSION"), threads, "serving at {place}");
    }

    supervisor::notify_ready();
    let early = tokio::select! {
        () = signals.receive() => false,
        _ = endings.recv() => true,
    };
    process.is_stopping.store(true, Ordering::Relaxed);
    supervisor::notify_stopping();
    let Settings { drain_timeout, drain_delay, .. } = *settings.borrow().settings;
    if let Some(delay) = drain_delay.filter(|_| !early) {
        tracing::info!(?delay, "stopping soon: requests are still accepted");
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
    watching.abort();
    tracing::info!("stopping: requests that have begun are answered");
    listeners.remove_files();
    // Threads that have ended already do not receive it.
    stop.send_replace(true);
    tokio::select! {
        ended = timeout(drain_timeout + GRACE, all_ended(&mut endings)) => {
            if ended.is_err() {
                tracing::warn!("some requests were not answered in time");
            }
        }
        () = signals.receive() => tracing::warn!("stopped at once by a second signal"),
    }
    if let Some(pushed) = pushed {
        otlp::offer(&pushed, &sources);
    }
    // After the last request, so that only the shutdown waits for it.
    let Generation { api, relay, .. } = settings.borrow().clone();
    api.close(GRACE);
    if let Some(relay) = relay {
        relay.close(GRACE);
    }
    match early {
        true => Err(Failure::Thread),
        false => Ok(()),
    }
}

/// Serves on threads of its own beside the main server, which handles the signals.
pub(crate) fn serve_second(
    generation: Generation,
    mut listeners: Listeners,
) -> Result<SecondServer, Failure> {
    let (stop, stopping) = watch::channel(false);
    let (generations, newest) = watch::channel(generation);
    let (ending, _) = mpsc::unbounded_channel();
    for (idx, sockets) in listeners.take_threads().into_iter().enumerate() {
        let (newest, stopping) = (newest.clone(), stopping.clone());
        let ending = Ending(ending.clone());
        thread::Builder::new()
            .name(format!("beside-{idx}"))
            .spawn(move || run_thread(newest, sockets, stopping, &ending))
            .map_err(Failure::Runtime)?;
    }
    Ok(SecondServer { stop, _generations: generations })
}

fn run_thread(
    newest: watch::Receiver<Generation>,
    sockets: Vec<(Purpose, Socket)>,
    stopping: watch::Receiver<bool>,
    _ending: &Ending,
) {
    let served = runtime::Builder::new_current_thread().enable_all().build().and_then(|runtime| {
        LocalSet::new().block_on(&runtime, acceptor::serve(newest, sockets, stopping))
    });
    if let Err(error) = served {
        tracing::error!(%error, "a thread of the server cannot run");
    }
}

/// Reloads the certificates of the newest generation when their files change.
async fn follow_certificates(generations: watch::Receiver<Generation>) {
    loop {
        sleep(CERTIFICATE_CHECK_INTERVAL).await;
        let tls = generations.borrow().settings.tls.clone();
        if let Some(tls) = tls {
            tls.reload_if_changed();
        }
    }
}

/// Waits for the last thread: the channel closes when it has ended.
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

impl Drop for SecondServer {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        // The receiver is gone if the server no longer waits.
        let _ = self.0.send(());
    }
}
