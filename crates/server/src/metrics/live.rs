//! Counters of sockets and subscriptions.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use engine::Engine;
use engine::live::RunningFeed;
use prometheus_client::metrics::MetricType;

use super::encode::Writer;
use super::store::Shard;

/// Counters of one thread.
#[derive(Debug, Default)]
pub(super) struct LiveCounts {
    sockets: AtomicI64,
    subscriptions: AtomicI64,
    events: AtomicU64,
}

/// Something that is counted while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    Socket,
    Subscription,
}

/// Counts something as open until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenGuard {
    shard: Arc<Shard>,
    of: Open,
}

impl LiveCounts {
    fn gauge(&self, of: Open) -> &AtomicI64 {
        match of {
            Open::Socket => &self.sockets,
            Open::Subscription => &self.subscriptions,
        }
    }
}

impl Shard {
    /// Counts something that is opened.
    pub(crate) fn open(self: &Arc<Self>, of: Open) -> OpenGuard {
        self.live.gauge(of).fetch_add(1, Ordering::Relaxed);
        OpenGuard { shard: Arc::clone(self), of }
    }
}

impl OpenGuard {
    /// Counts a response of a subscription.
    pub(crate) fn count_event(&self) {
        self.shard.live.events.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for OpenGuard {
    fn drop(&mut self) {
        self.shard.live.gauge(self.of).fetch_sub(1, Ordering::Relaxed);
    }
}

/// Kinds of feeds, by their labels.
const FEEDS: [(RunningFeed, &str); 3] = [
    (RunningFeed::Stream, "stream"),
    (RunningFeed::Probe, "state"),
    (RunningFeed::Interval, "interval"),
];

/// Writes the metrics of an engine.
pub(super) fn encode_engine(engine: &Engine, writer: &mut Writer<'_, '_>) -> fmt::Result {
    let counts = engine.live_counts();
    let help = "How changes of rows are found for live queries";
    let mut family = writer.begin("thalweg_live_feed", help, MetricType::Gauge)?;
    for (feed, kind) in FEEDS {
        let is_running = i64::from(counts.feed == Some(feed));
        family.encode_family(&[("kind", kind)])?.encode_gauge(&is_running)?;
    }
    let help = "Different live queries, each with the subscribers of equal ones";
    writer.gauge("thalweg_live_cohorts", help, counts.cohorts as f64)?;
    let help = "Subscribers of live queries";
    writer.gauge("thalweg_live_subscribers", help, counts.subscribers as f64)?;
    writer.counter("thalweg_live_executions", "Executions of live queries", counts.executions)?;
    let counts = engine.listener_counts();
    let help = "Listeners to channels of notifications";
    writer.gauge("thalweg_event_listeners", help, counts.listeners as f64)?;
    let help = "Executions of subscriptions to notifications";
    writer.counter("thalweg_event_executions", help, counts.executions)?;
    let help = "Listeners that were ended because their clients read too slowly";
    writer.counter("thalweg_event_listeners_dropped", help, counts.too_slow)
}

/// Writes the metrics of all threads.
pub(super) fn encode<'s>(
    shards: impl Iterator<Item = &'s LiveCounts> + Clone,
    writer: &mut Writer<'_, '_>,
) -> fmt::Result {
    let open = |of: Open| -> i64 {
        shards.clone().map(|counts| counts.gauge(of).load(Ordering::Relaxed)).sum()
    };
    writer.gauge("thalweg_sockets", "Open WebSockets", open(Open::Socket) as f64)?;
    let help = "Running subscriptions";
    writer.gauge("thalweg_subscriptions", help, open(Open::Subscription) as f64)?;
    let events = shards.map(|counts| counts.events.load(Ordering::Relaxed)).sum();
    writer.counter("thalweg_subscription_events", "Responses sent to subscriptions", events)
}
