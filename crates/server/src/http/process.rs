//! What lasts as long as the process, and is shared by all threads, whatever is reloaded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::{Api, Memory};

use super::admission::Admission;
use super::bodies::Bodies;
use super::clients::Clients;
use super::readiness::Readiness;
use super::settings::LoadSettings;
use super::watchers::{Counting, Watchers};
use crate::metrics::{self, Situation};

#[derive(Debug)]
pub(crate) struct Process {
    pub(super) clients: Arc<Clients>,
    /// Whether a signal to stop has come. Requests may still be taken for a while, but who shares
    /// them out had better send them elsewhere.
    pub(super) is_stopping: AtomicBool,
    pub(super) readiness: Readiness,
    pub(super) reloads: Reloads,
    pub(super) watchers: Watchers,
    /// Who may run, and who waits.
    pub(super) admission: Admission,
    /// What all answers may take together.
    pub(super) memory: Arc<Memory>,
    /// What the bodies of all requests may take together.
    pub(super) bodies: Bodies,
}

/// How often a signal asked to reload.
#[derive(Debug, Default)]
pub(super) struct Reloads {
    pub(super) succeeded: AtomicU64,
    /// Everything was as before.
    pub(super) failed: AtomicU64,
}

impl Process {
    pub(super) fn new(load: &LoadSettings, watchers: Watchers) -> Self {
        Self {
            is_stopping: AtomicBool::default(),
            readiness: Readiness::default(),
            reloads: Reloads::default(),
            clients: Arc::default(),
            watchers,
            admission: Admission::new(load.most_requests, load.most_waiting),
            memory: Memory::new(load.response_memory),
            bodies: Bodies::new(load.request_memory),
        }
    }

    /// Takes other limits from now on; what runs and what is held stays.
    pub(super) fn adapt(&self, load: &LoadSettings) {
        self.admission.adapt(load.most_requests, load.most_waiting);
        self.memory.set_most(load.response_memory);
        self.bodies.set_most(load.request_memory);
    }

    /// What a reader of metrics is told now; nothing if nobody was to read any.
    pub(super) fn metrics_sources(&self, api: &Api) -> Option<metrics::Sources> {
        let Counting { metrics, connections } = self.watchers.counting.clone()?;
        Some(metrics::Sources {
            metrics,
            connections,
            api: api.clone(),
            situation: Situation {
                reloaded: self.reloads.succeeded.load(Ordering::Relaxed),
                reloads_failed: self.reloads.failed.load(Ordering::Relaxed),
                clients: self.clients.count(),
                running: self.admission.running(),
                waiting: self.admission.waiting(),
                response_memory: self.memory.held(),
                request_memory: self.bodies.held(),
            },
        })
    }
}
