//! Counters of sockets and subscriptions.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use engine::Engine;
use engine::live::{Counts, ListenerCounts, RunningFeed};
use prometheus_client::encoding::NoLabelSet;
use prometheus_client::metrics::MetricType;

use super::encode::{Writer, count_of};
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
const FEEDS: [(RunningFeed, &str); 5] = [
    (RunningFeed::Stream, "stream"),
    (RunningFeed::Relayed, "relayed"),
    (RunningFeed::Triggers, "triggers"),
    (RunningFeed::Probe, "state"),
    (RunningFeed::Interval, "interval"),
];

/// An engine with its counters; in a gateway, with the name of the subgraph.
struct Counted<'e> {
    subgraph: Option<&'e str>,
    live: Counts,
    events: ListenerCounts,
}

/// Writes the metrics of all engines, labelled with their subgraphs in a gateway.
pub(super) fn encode_engines(
    engines: &[(Option<&str>, &Engine)],
    writer: &mut Writer<'_, '_>,
) -> fmt::Result {
    if engines.is_empty() {
        return Ok(());
    }
    let counted = engines.iter().map(|(subgraph, engine)| Counted {
        subgraph: *subgraph,
        live: engine.live_counts(),
        events: engine.listener_counts(),
    });
    let all: Vec<Counted<'_>> = counted.collect();
    let help = "How changes of rows are found for live queries";
    let mut family = writer.begin("thalweg_live_feed", help, MetricType::Gauge)?;
    for Counted { subgraph, live, .. } in &all {
        for (feed, kind) in FEEDS {
            let subgraph = subgraph.map(|subgraph| ("subgraph", subgraph));
            let labels: Vec<_> = subgraph.into_iter().chain([("kind", kind)]).collect();
            let is_running = i64::from(live.feed == Some(feed));
            family.encode_family(&labels)?.encode_gauge(&is_running)?;
        }
    }
    let help = "Different live queries, each with the subscribers of equal ones";
    encode_gauge(&all, ("thalweg_live_cohorts", help), |counted| counted.live.cohorts, writer)?;
    let help = "Subscribers of live queries";
    let subscribers = |counted: &Counted<'_>| counted.live.subscribers;
    encode_gauge(&all, ("thalweg_live_subscribers", help), subscribers, writer)?;
    let help = "Executions of live queries";
    let executions = |counted: &Counted<'_>| counted.live.executions;
    encode_counter(&all, ("thalweg_live_executions", help), executions, writer)?;
    let help = "Listeners to channels of notifications, and to changes of nodes and rows";
    let listeners = |counted: &Counted<'_>| counted.events.listeners;
    encode_gauge(&all, ("thalweg_event_listeners", help), listeners, writer)?;
    let help = "Executions of subscriptions to events";
    let executions = |counted: &Counted<'_>| counted.events.executions;
    encode_counter(&all, ("thalweg_event_executions", help), executions, writer)?;
    let help = "Listeners that were ended because their clients read too slowly";
    let too_slow = |counted: &Counted<'_>| counted.events.too_slow;
    encode_counter(&all, ("thalweg_event_listeners_dropped", help), too_slow, writer)
}

fn encode_gauge(
    all: &[Counted<'_>],
    (name, help): (&str, &str),
    of: impl Fn(&Counted<'_>) -> u64,
    writer: &mut Writer<'_, '_>,
) -> fmt::Result {
    let mut family = writer.begin(name, help, MetricType::Gauge)?;
    for counted in all {
        let value = of(counted) as f64;
        match counted.subgraph {
            None => family.encode_gauge(&value)?,
            Some(name) => family.encode_family(&[("subgraph", name)])?.encode_gauge(&value)?,
        }
    }
    Ok(())
}

fn encode_counter(
    all: &[Counted<'_>],
    (name, help): (&str, &str),
    of: impl Fn(&Counted<'_>) -> u64,
    writer: &mut Writer<'_, '_>,
) -> fmt::Result {
    let mut family = writer.begin(name, help, MetricType::Counter)?;
    for counted in all {
        match counted.subgraph {
            None => family.encode_counter::<NoLabelSet, u64, u64>(&of(counted), None)?,
            Some(name) => count_of(&mut family, &[("subgraph", name)], of(counted))?,
        }
    }
    Ok(())
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
