//! Counters of requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use clients::histogram::{Histogram, nanoseconds};
use engine::{Report, Stages};
use graphql::ErrorCode;
use graphql::operation::OperationKind;
use hyper::StatusCode;

use super::fetches::FetchCounts;
use super::live::LiveCounts;
use super::operations::{Operations, Place};
use super::running::Running;

/// The first HTTP status, and the number of statuses.
const FIRST_STATUS: usize = 100;
const STATUSES: usize = 500;

/// The counters of the process.
#[derive(Debug)]
pub(crate) struct Metrics {
    pub(super) shards: Vec<Arc<Shard>>,
    pub(super) operations: Arc<Operations>,
    pub(super) started: SystemTime,
    next: AtomicUsize,
}

/// The counters of one thread.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Shard {
    pub(super) in_flight: AtomicI64,
    pub(super) kinds: [KindCounts; Kind::ALL.len()],
    pub(super) errors: [AtomicU64; ErrorCode::ALL.len()],
    pub(super) stages: [Histogram; Stage::ALL.len()],
    /// By index.
    pub(super) operations: Box<[OperationCounts]>,
    pub(super) documents: CacheCounts,
    pub(super) plans: CacheCounts,
    pub(super) response_bytes: AtomicU64,
    pub(super) fetches: FetchCounts,
    pub(super) live: LiveCounts,
    pub(super) running: Running,
    names: Arc<Operations>,
}

/// Counters of requests of one kind.
#[derive(Debug)]
pub(super) struct KindCounts {
    pub(super) by_status: Box<[AtomicU64; STATUSES]>,
    pub(super) abandoned: AtomicU64,
}

/// Counters of requests of one operation.
#[derive(Debug, Default)]
pub(super) struct OperationCounts {
    pub(super) duration: Histogram,
    /// Nanoseconds by stage.
    pub(super) stages: [AtomicU64; Stage::ALL.len()],
}

/// Counters of cache look-ups.
#[derive(Debug, Default)]
pub(super) struct CacheCounts {
    pub(super) hits: AtomicU64,
    pub(super) misses: AtomicU64,
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Query,
    Mutation,
    Subscription,
    Invalid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Document,
    Plan,
    Execute,
    Write,
}

/// A completed request.
#[derive(Debug)]
pub(crate) struct CompletedRequest<'r> {
    /// None if the client disconnected before the response.
    pub(crate) status: Option<StatusCode>,
    pub(crate) elapsed: Duration,
    pub(crate) report: &'r Report,
    /// The code of the refusal, if the request did not reach the engine.
    pub(crate) refusal: Option<ErrorCode>,
    pub(crate) response_bytes: u64,
}

impl Kind {
    pub(super) const ALL: [Self; 4] =
        [Self::Query, Self::Mutation, Self::Subscription, Self::Invalid];

    fn new(kind: Option<OperationKind>) -> Self {
        match kind {
            Some(OperationKind::Query) => Self::Query,
            Some(OperationKind::Mutation) => Self::Mutation,
            Some(OperationKind::Subscription) => Self::Subscription,
            None => Self::Invalid,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Mutation => "mutation",
            Self::Subscription => "subscription",
            Self::Invalid => "invalid",
        }
    }
}

impl Stage {
    pub(super) const ALL: [Self; 4] = [Self::Document, Self::Plan, Self::Execute, Self::Write];

    fn of(self, stages: &Stages) -> Option<Duration> {
        match self {
            Self::Document => stages.document,
            Self::Plan => stages.plan,
            Self::Execute => stages.execute,
            Self::Write => stages.write,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Plan => "plan",
            Self::Execute => "execute",
            Self::Write => "write",
        }
    }
}

impl Metrics {
    /// Counters of so many threads and named operations.
    pub(crate) fn new(threads: usize, operations: u16) -> Self {
        let operations = Arc::new(Operations::new(operations));
        let shards = (0..threads.max(1)).map(|_| Arc::new(Shard::new(&operations))).collect();
        Self { shards, operations, started: SystemTime::now(), next: AtomicUsize::new(0) }
    }

    /// The shard of a new thread. After a reload the threads take over the shards.
    pub(crate) fn shard(&self) -> Option<Arc<Shard>> {
        let place = self.next.fetch_add(1, Ordering::Relaxed) % self.shards.len();
        self.shards.get(place).map(Arc::clone)
    }
}

impl Shard {
    fn new(names: &Arc<Operations>) -> Self {
        Self {
            in_flight: AtomicI64::new(0),
            kinds: Kind::ALL.map(|_| KindCounts::new()),
            errors: [const { AtomicU64::new(0) }; ErrorCode::ALL.len()],
            stages: Stage::ALL.map(|_| Histogram::default()),
            operations: (0..names.places()).map(|_| OperationCounts::default()).collect(),
            documents: CacheCounts::default(),
            plans: CacheCounts::default(),
            response_bytes: AtomicU64::new(0),
            fetches: FetchCounts::default(),
            live: LiveCounts::default(),
            running: Running::default(),
            names: Arc::clone(names),
        }
    }

    /// Counts a request that begins.
    pub(crate) fn begin(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a client that was refused before it sent a request.
    pub(crate) fn refuse(&self, code: ErrorCode) {
        if let Some(count) = self.errors.get(code as usize) {
            add(count, 1);
        }
    }

    /// Counts the end of a request.
    pub(crate) fn end(&self, seen: &CompletedRequest<'_>) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        let kind = Kind::new(seen.report.operation);
        if let Some(counts) = self.kinds.get(kind as usize) {
            add(counts.of(seen.status), 1);
        }
        add(&self.response_bytes, seen.response_bytes);
        self.fetches.count(&seen.report.fetches);
        for code in seen.refusal.iter().chain(&seen.report.codes) {
            if let Some(count) = self.errors.get(*code as usize) {
                add(count, 1);
            }
        }
        let stages = &seen.report.stages;
        if stages.document.is_some() {
            self.documents.count(seen.report.document_known);
        }
        if seen.report.prepared.is_some() {
            self.plans.count(seen.report.plan_known);
        }
        let operation = self.operations.get(self.place(seen).index());
        if let Some(operation) = operation {
            operation.duration.observe(seen.elapsed);
        }
        for (place, stage) in Stage::ALL.into_iter().enumerate() {
            let Some(time) = stage.of(stages) else { continue };
            if let Some(histogram) = self.stages.get(place) {
                histogram.observe(time);
            }
            if let Some(sum) = operation.and_then(|operation| operation.stages.get(place)) {
                add(sum, nanoseconds(time));
            }
        }
    }

    /// The index of the operation. The document caches it, so that a name is looked up once.
    fn place(&self, seen: &CompletedRequest<'_>) -> Place {
        let Some(document) = &seen.report.document else {
            return Place::INVALID;
        };
        if let Some(place) = document.label.get() {
            return Place(*place);
        }
        // A failed request may have an arbitrary name.
        let has_failed = !seen.report.codes.is_empty() || seen.status != Some(StatusCode::OK);
        if has_failed && document.operation.name.is_some() {
            return Place::OTHER;
        }
        let place = self.names.place(document.operation.name.as_deref());
        // Another thread may have set the same index.
        let _ = document.label.set(place.0);
        place
    }
}

impl KindCounts {
    fn new() -> Self {
        Self {
            by_status: Box::new([const { AtomicU64::new(0) }; STATUSES]),
            abandoned: AtomicU64::new(0),
        }
    }

    fn of(&self, status: Option<StatusCode>) -> &AtomicU64 {
        let place =
            status.and_then(|status| usize::from(status.as_u16()).checked_sub(FIRST_STATUS));
        place.and_then(|place| self.by_status.get(place)).unwrap_or(&self.abandoned)
    }

    /// Each status with its count.
    pub(super) fn counts(&self) -> impl Iterator<Item = (usize, &AtomicU64)> {
        self.by_status.iter().enumerate().map(|(place, count)| (place + FIRST_STATUS, count))
    }
}

impl CacheCounts {
    fn count(&self, is_known: bool) {
        add(if is_known { &self.hits } else { &self.misses }, 1);
    }
}

fn add(count: &AtomicU64, number: u64) {
    count.fetch_add(number, Ordering::Relaxed);
}
