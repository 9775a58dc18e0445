//! State of the process, shared by all threads and kept across reloads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Api, MemoryBudget};

use super::admission::Admission;
use super::clients::Clients;
use super::rate_limits::{RateCounters, RateStore};
use super::readiness::Readiness;
use super::request_memory::RequestMemory;
use super::reservations::Reservations;
use super::settings::{LoadSettings, Settings};
use super::telemetry::{Collectors, Telemetry};
use crate::memory as process_memory;
use crate::metrics::{self, Situation};

#[derive(Debug)]
pub(crate) struct Process {
    pub(super) clients: Arc<Clients>,
    /// Whether a signal to stop has come. Requests may still be accepted for a while, but load
    /// balancers should send them elsewhere.
    pub(super) is_stopping: AtomicBool,
    pub(super) readiness: Readiness,
    pub(super) reloads: Reloads,
    pub(super) telemetry: Telemetry,
    /// The limit on concurrent requests, with its queue.
    pub(super) admission: Admission,
    /// The memory budget of all responses.
    pub(super) memory: Arc<MemoryBudget>,
    /// The memory budget of all request bodies.
    pub(super) bodies: RequestMemory,
    /// What clients have asked for, for rate limits.
    pub(super) rates: Arc<RateCounters>,
    /// What the clients of several servers have asked for.
    pub(super) shared_rates: Option<RateStore>,
    /// Event streams that several operations share.
    pub(super) streams: Reservations,
}

/// Counts of reloads.
#[derive(Debug, Default)]
pub(super) struct Reloads {
    pub(super) succeeded: AtomicU64,
    /// The previous generation was kept.
    pub(super) failed: AtomicU64,
    /// The error of the last reload, if it failed.
    error: Mutex<Option<Box<str>>>,
}

impl Reloads {
    pub(super) fn set_error(&self, error: Option<Box<str>>) {
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    pub(super) fn error(&self) -> Option<Box<str>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Process {
    pub(super) fn new(settings: &Settings, telemetry: Telemetry) -> Self {
        let load = &settings.load;
        let memory = MemoryBudget::new(load.response_memory);
        memory.return_freed_by(process_memory::give_back);
        Self {
            is_stopping: AtomicBool::default(),
            readiness: Readiness::default(),
            reloads: Reloads::default(),
            clients: Arc::default(),
            telemetry,
            admission: Admission::new(load.most_requests, load.most_waiting),
            memory,
            bodies: RequestMemory::new(load.request_memory),
            rates: Arc::default(),
            shared_rates: settings.rate_store.as_ref().map(RateStore::open),
            streams: Reservations::default(),
        }
    }

    /// Applies new limits; running requests and reserved memory stay.
    pub(super) fn adapt(&self, load: &LoadSettings) {
        self.admission.adapt(load.most_requests, load.most_waiting);
        self.memory.set_most(load.response_memory);
        self.bodies.set_most(load.request_memory);
    }

    /// Sources of the metrics; none if metrics are disabled.
    pub(super) fn metrics_sources(
        &self,
        api: &Api,
        settings: &Settings,
    ) -> Option<metrics::Sources> {
        let Collectors { metrics, connections, usage } = self.telemetry.collectors.clone()?;
        Some(metrics::Sources {
            metrics,
            connections,
            usage,
            reporter: self.telemetry.reporter.clone(),
            logs: self.telemetry.logs.as_ref().map(|logs| logs.counts()),
            events: self.telemetry.events.clone(),
            api: api.clone(),
            situation: Situation {
                reloaded: self.reloads.succeeded.load(Ordering::Relaxed),
                reloads_failed: self.reloads.failed.load(Ordering::Relaxed),
                clients: self.clients.count(),
                running: self.admission.running(),
                waiting: self.admission.waiting(),
                response_memory: self.memory.held(),
                request_memory: self.bodies.held(),
                rate_store: self.shared_rates.as_ref().map(RateStore::counts),
                fetches: settings.fetches.as_ref().and_then(|fetches| fetches.counts()),
            },
        })
    }
}
