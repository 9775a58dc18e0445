//! What answers requests, and how it is replaced while it does.
//!
//! A [`Generation`] is an API with the settings to serve it by. A reload makes the next one and
//! tells the threads, each of which makes a [`Service`] of it; requests that have begun keep theirs.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::{Api, ApiWorker};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::host::LastHost;
use super::process::Process;
use super::reload::Fresh;
use super::respond::Refusal;
use super::settings::Settings;
use super::watchers::Watchers;
use crate::memory;
use crate::metrics::Shard;

/// Often enough for limits of seconds, and no work to speak of.
const HOUSEKEEPING: Duration = Duration::from_secs(1);

/// An API with the settings to serve it by.
#[derive(Clone, Debug)]
pub(crate) struct Generation {
    pub(crate) api: Api,
    pub(crate) settings: Arc<Settings>,
    /// The same for all generations.
    pub(crate) process: Arc<Process>,
}

/// What answers the requests of one thread.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) worker: ApiWorker,
    pub(super) settings: Arc<Settings>,
    pub(super) process: Arc<Process>,
    /// Whether there is nothing to ask for yet.
    pub(super) is_empty: bool,
    /// Where the thread counts.
    pub(super) shard: Option<Arc<Shard>>,
    /// The host that a request of this thread named last, if it was allowed.
    pub(super) last_host: LastHost,
    /// The last field, so that it goes after the others.
    _memory: GiveBack,
}

/// Gives unused memory back to the system when it is dropped: a whole API may have gone before it.
#[derive(Debug)]
struct GiveBack;

/// The service of the newest generation.
#[derive(Clone, Debug)]
pub(super) struct Current(Rc<RefCell<Newest>>);

#[derive(Debug)]
struct Newest {
    service: Rc<Service>,
    generations: watch::Receiver<Generation>,
}

impl Generation {
    pub(crate) fn first(Fresh { api, settings, .. }: Fresh, watchers: Watchers) -> Self {
        let process = Arc::new(Process::new(&settings.load, watchers));
        Self { api, settings, process }
    }
}

impl Service {
    fn new(generation: &Generation) -> Self {
        let watchers = &generation.process.watchers;
        let memory = Arc::clone(&generation.process.memory);
        generation.settings.credentials.fetched.begin();
        let time_limit = generation.settings.request_timeout;
        let worker = generation.api.worker(memory, watchers.counter(), time_limit);
        Self {
            is_empty: worker.is_empty(),
            worker,
            settings: Arc::clone(&generation.settings),
            process: Arc::clone(&generation.process),
            shard: watchers.shard(),
            last_host: LastHost::default(),
            _memory: GiveBack,
        }
    }
}

impl Service {
    /// Counts a client that was refused before there was a request.
    pub(super) fn count_refused(&self, refusal: &Refusal) {
        if let Some(shard) = &self.shard {
            shard.refuse(refusal.code());
        }
    }
}

impl Current {
    pub(super) fn new(mut generations: watch::Receiver<Generation>) -> Self {
        let service = Rc::new(Service::new(&generations.borrow_and_update()));
        Self(Rc::new(RefCell::new(Newest { service, generations })))
    }

    /// For a request that begins now: once a reload is done, none gets the generation before.
    pub(super) fn get(&self) -> Rc<Service> {
        self.renew();
        Rc::clone(&self.0.borrow().service)
    }

    /// Follows the generations until there will be no more, and lets go now and then what no
    /// request has needed.
    pub(super) async fn follow(self) {
        let mut generations = self.0.borrow().generations.clone();
        let mut taken = 0;
        let mut housekeeping = interval(HOUSEKEEPING);
        housekeeping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                changed = generations.changed() => {
                    if changed.is_err() {
                        break;
                    }
                    // A thread that nobody asks lets the one before go, too.
                    self.renew();
                }
                _ = housekeeping.tick() => {
                    self.get().worker.close_old_connections();
                    engine::log_untold();
                    // After answers that took memory.
                    let taken_now = self.get().process.memory.taken();
                    if std::mem::replace(&mut taken, taken_now) != taken_now {
                        memory::give_back_freed();
                    }
                }
            }
        }
    }

    /// Takes the newest generation, if there is a new one; otherwise it costs a look at a number.
    fn renew(&self) {
        let mut newest = self.0.borrow_mut();
        if !newest.generations.has_changed().unwrap_or(false) {
            return;
        }
        let service = Rc::new(Service::new(&newest.generations.borrow_and_update()));
        let before = std::mem::replace(&mut newest.service, service);
        drop(newest);
        // It goes with the last request that has it, its connections included.
        drop(before);
    }
}

impl Drop for GiveBack {
    fn drop(&mut self) {
        memory::give_back();
    }
}
