//! A thread's view of the newest generation.
//!
//! A reload makes the next [`Generation`] and notifies the threads, each of which makes a [`Service`]
//! of it; requests that have begun keep theirs.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use clients::egress::Client;
use engine::{Api, ApiWorker};
use rustls::ServerConfig;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::generation::Generation;
use super::hooks::Hooks;
use super::host::LastHost;
use super::process::Process;
use super::refusal::Refusal;
use super::relay::RelayApi;
use super::settings::Settings;
use crate::memory;
use crate::metrics::Shard;
use crate::usage::Recorder;

/// Interval of housekeeping: precise enough for limits of seconds.
const HOUSEKEEPING: Duration = Duration::from_secs(1);

/// State to answer requests of one thread.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) worker: ApiWorker,
    pub(super) settings: Arc<Settings>,
    pub(super) process: Arc<Process>,
    /// The Relay API of the same source, for the dialect hasura.
    relay: Option<Relay>,
    /// Whether it serves a Relay API itself.
    pub(super) is_relay: bool,
    /// Whether the schema has no fields yet.
    pub(super) is_empty: bool,
    /// Whether permissions restrict what roles may do.
    pub(super) has_policies: bool,
    /// The client of the thread for the webhook that authenticates requests.
    pub(super) webhook: Option<Client>,
    /// The client of the thread for hooks.
    pub(super) hook_client: Option<Client>,
    /// The counters of the thread.
    pub(super) shard: Option<Arc<Shard>>,
    /// Records the usage of the schema.
    pub(super) recorder: Option<Rc<Recorder>>,
    /// The host that was allowed last on this thread.
    pub(super) last_host: LastHost,
    /// The last field, so that it is dropped after the others.
    _memory: GiveBack,
}

/// The Relay API beside another one.
#[derive(Debug)]
struct Relay {
    api: Arc<RelayApi>,
    /// Its service, once it is made.
    service: OnceCell<Rc<Service>>,
}

/// Returns freed memory to the system when dropped, after an API may have been dropped.
#[derive(Debug)]
struct GiveBack;

/// The service of the newest generation.
#[derive(Clone, Debug)]
pub(super) struct Current {
    newest: Rc<RefCell<Newest>>,
    /// Whether it gives the service of the Relay API.
    is_relay: Cell<bool>,
}

#[derive(Debug)]
struct Newest {
    service: Rc<Service>,
    generations: watch::Receiver<Generation>,
}

impl Service {
    fn new(generation: &Generation) -> Self {
        let telemetry = &generation.process.telemetry;
        generation.settings.credentials.begin();
        let recorder = telemetry.recorder(&generation.api).map(Rc::new);
        let relay = generation.relay.as_ref().map(|api| {
            let (api, service) = (Arc::clone(api), OnceCell::new());
            Relay { api, service }
        });
        let Generation { api, settings, process, .. } = generation;
        Self { relay, recorder, ..Self::of(api, settings, process) }
    }

    fn of(api: &Api, settings: &Arc<Settings>, process: &Arc<Process>) -> Self {
        let telemetry = &process.telemetry;
        let memory = Arc::clone(&process.memory);
        let worker = api.worker(memory, telemetry.counter(), settings.request_timeout);
        Self {
            relay: None,
            is_relay: false,
            is_empty: worker.is_empty(),
            has_policies: api.has_policies(),
            webhook: settings.credentials.webhook(),
            hook_client: settings.hooks.as_ref().map(Hooks::client),
            worker,
            settings: Arc::clone(settings),
            process: Arc::clone(process),
            shard: telemetry.shard(),
            recorder: None,
            last_host: LastHost::default(),
            _memory: GiveBack,
        }
    }

    /// The service of the Relay API, which the first request makes; `None` without one.
    pub(super) async fn open_relay(&self) -> Option<Result<Rc<Self>, Refusal>> {
        let relay = self.relay.as_ref()?;
        if let Err(error) = relay.api.open().await {
            tracing::debug!(%error, "a request of the Relay API is refused");
            return Some(Err(Refusal::NoRelay));
        }
        self.find_relay().map(Ok)
    }

    /// The service of the Relay API, if that is made already.
    fn find_relay(&self) -> Option<Rc<Self>> {
        let relay = self.relay.as_ref()?;
        let api = relay.api.find()?;
        let service = relay.service.get_or_init(|| {
            let own = Self::of(api, &self.settings, &self.process);
            Rc::new(Self { is_relay: true, ..own })
        });
        Some(Rc::clone(service))
    }
}

impl Service {
    /// Counts a client that was refused before it sent a request.
    pub(super) fn count_refused(&self, refusal: &Refusal) {
        if let Some(shard) = &self.shard {
            shard.refuse(refusal.code());
        }
    }
}

impl Current {
    pub(super) fn new(mut generations: watch::Receiver<Generation>) -> Self {
        let service = Rc::new(Service::new(&generations.borrow_and_update()));
        let newest = Rc::new(RefCell::new(Newest { service, generations }));
        Self { newest, is_relay: Cell::new(false) }
    }

    /// The same for the Relay API.
    pub(super) fn of_relay(&self) -> Self {
        Self { newest: Rc::clone(&self.newest), is_relay: Cell::new(true) }
    }

    /// From now on it gives the service of the Relay API.
    pub(super) fn serve_relay(&self) {
        self.is_relay.set(true);
    }

    /// The service for a new request: after a reload, none gets the previous generation.
    pub(super) fn get(&self) -> Rc<Service> {
        self.renew();
        let service = Rc::clone(&self.newest.borrow().service);
        match self.is_relay.get() {
            // A reload makes the next one, if there is one.
            true => service.find_relay().unwrap_or(service),
            false => service,
        }
    }

    /// Reports the generations that follow the present one.
    pub(super) fn following(&self) -> watch::Receiver<Generation> {
        self.renew();
        self.newest.borrow().generations.clone()
    }

    /// The TLS configuration of a new connection; none for plain HTTP.
    pub(super) fn tls(&self) -> Option<Arc<ServerConfig>> {
        self.get().settings.tls.as_ref().map(|tls| tls.newest())
    }

    /// Follows the generations, and closes idle connections to databases now and then.
    pub(super) async fn follow(self) {
        let mut generations = self.newest.borrow().generations.clone();
        let mut taken = 0;
        let mut housekeeping = interval(HOUSEKEEPING);
        housekeeping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                changed = generations.changed() => {
                    if changed.is_err() {
                        break;
                    }
                    // Drops the previous generation even if the thread gets no requests.
                    self.renew();
                }
                _ = housekeeping.tick() => {
                    self.keep_house();
                    engine::log_suppressed();
                    // After responses that took memory.
                    let taken_now = self.get().process.memory.taken();
                    if std::mem::replace(&mut taken, taken_now) != taken_now {
                        memory::give_back_freed();
                    }
                }
            }
        }
    }

    fn keep_house(&self) {
        let service = self.get();
        service.worker.close_old_connections();
        service.worker.sweep_cache();
        if let Some(relay) = service.relay.as_ref().and_then(|relay| relay.service.get()) {
            relay.worker.close_old_connections();
        }
        service.process.streams.remove_unused(service.settings.subscriptions.init_timeout);
    }

    /// Takes the newest generation if it has changed; otherwise this costs one atomic load.
    fn renew(&self) {
        let mut newest = self.newest.borrow_mut();
        if !newest.generations.has_changed().unwrap_or(false) {
            return;
        }
        let service = Rc::new(Service::new(&newest.generations.borrow_and_update()));
        let before = std::mem::replace(&mut newest.service, service);
        drop(newest);
        // The previous generation lives until its last request ends.
        drop(before);
    }
}

impl Drop for GiveBack {
    fn drop(&mut self) {
        memory::give_back();
    }
}
