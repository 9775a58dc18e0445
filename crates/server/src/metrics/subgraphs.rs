//! Metrics of subgraphs.

use std::fmt;

use clients::byte_cache::CacheCounts;
use clients::subgraph::{BreakerState, ErrorKind, Shared, Statistics, SubscriptionCounts};
use prometheus_client::encoding::NoLabelSet;
use prometheus_client::metrics::MetricType;

use super::encode::{Writer, count_of, histogram_of};

/// A subgraph with the state that its threads share.
pub(super) struct Subgraph<'s> {
    pub(super) name: &'s str,
    pub(super) shared: &'s Shared,
    /// Counters of subscriptions; `None` for a source in this process.
    pub(super) subscriptions: Option<SubscriptionCounts>,
}

/// A subgraph with its statistics.
struct Seen<'s> {
    name: &'s str,
    statistics: Statistics,
    breaker: Option<BreakerState>,
    /// Running and queued requests.
    load: Option<(u32, u32)>,
    /// `None` for a source in this process.
    subscriptions: Option<SubscriptionCounts>,
    /// Whether it is reached over HTTP. Sources in the process have no HTTP metrics; their connections
    /// are among those of databases.
    is_remote: bool,
}

/// The states of a circuit breaker with their labels.
const STATES: [(&str, BreakerState); 3] = [
    ("closed", BreakerState::Closed),
    ("half_open", BreakerState::HalfOpen),
    ("open", BreakerState::Open),
];

/// Encodes the metrics of the cache of responses.
pub(super) fn encode_cache(counts: CacheCounts, writer: &mut Writer<'_, '_>) -> fmt::Result {
    let CacheCounts { hits, misses, failures, bytes, entries } = counts;
    let help = "Entities and responses of subgraphs that the cache had, or not";
    let mut family = writer.begin("thalweg_subgraph_cache", help, MetricType::Counter)?;
    count_of(&mut family, &[("result", "hit")], hits)?;
    count_of(&mut family, &[("result", "miss")], misses)?;
    let help = "Commands that the shared store of the cache has not executed";
    writer
        .begin("thalweg_subgraph_cache_failures", help, MetricType::Counter)?
        .encode_counter::<NoLabelSet, u64, u64>(&failures, None)?;
    let help = "Entries of the cache in memory";
    writer.gauge("thalweg_subgraph_cache_entries", help, entries as f64)?;
    let help = "Memory of the cache";
    writer.gauge("thalweg_subgraph_cache_bytes", help, bytes as f64)
}

/// Writes the metrics of all subgraphs, labelled with their names.
pub(super) fn encode(subgraphs: &[Subgraph<'_>], writer: &mut Writer<'_, '_>) -> fmt::Result {
    let all = subgraphs.iter().map(|Subgraph { name, shared, subscriptions }| Seen {
        name,
        statistics: shared.statistics(),
        breaker: shared.breaker(),
        load: shared.load(),
        subscriptions: *subscriptions,
        is_remote: shared.is_remote(),
    });
    let all: Vec<Seen<'_>> = all.collect();
    encode_requests(&all, writer)?;
    encode_counts(&all, writer)?;
    encode_times(&all, writer)?;
    encode_states(&all, writer)
}

/// Writes requests by outcome.
fn encode_requests(all: &[Seen<'_>], writer: &mut Writer<'_, '_>) -> fmt::Result {
    let help = "Requests to subgraphs, without retries";
    let mut family = writer.begin("thalweg_subgraph_requests", help, MetricType::Counter)?;
    for Seen { name, statistics, .. } in all {
        let failed: u64 = statistics.errors.iter().sum();
        let answered = statistics.requests.saturating_sub(failed);
        count_of(&mut family, &[("subgraph", name), ("outcome", "answered")], answered)?;
        for (kind, count) in ErrorKind::ALL.into_iter().zip(statistics.errors) {
            let labels = [("subgraph", *name), ("outcome", kind.as_str())];
            count_of(&mut family, &labels, count)?;
        }
    }
    Ok(())
}

fn encode_counts(all: &[Seen<'_>], writer: &mut Writer<'_, '_>) -> fmt::Result {
    type Count = fn(&Statistics) -> u64;
    let counters: [(&str, &str, Count); 4] = [
        ("thalweg_subgraph_retries", "Retries of requests to subgraphs", |statistics| {
            statistics.retries
        }),
        (
            "thalweg_subgraph_deduplicated",
            "Deduplicated requests, which share the response of an equal one",
            |statistics| statistics.deduplicated,
        ),
        (
            "thalweg_subgraph_request_bytes",
            "Bytes of the bodies of requests to subgraphs, as sent",
            |statistics| statistics.bytes_out,
        ),
        (
            "thalweg_subgraph_response_bytes",
            "Bytes of the bodies of subgraphs' responses, as received",
            |statistics| statistics.bytes_in,
        ),
    ];
    for (metric, help, count) in counters {
        let mut family = writer.begin(metric, help, MetricType::Counter)?;
        for Seen { name, statistics, .. } in all.iter().filter(|seen| seen.is_remote) {
            count_of(&mut family, &[("subgraph", name)], count(statistics))?;
        }
    }
    Ok(())
}

fn encode_times(all: &[Seen<'_>], writer: &mut Writer<'_, '_>) -> fmt::Result {
    let help = "Time from sending a request to a subgraph to the end of its response";
    let metric = "thalweg_subgraph_duration_seconds";
    let mut family = writer.begin(metric, help, MetricType::Histogram)?;
    for Seen { name, statistics, .. } in all {
        histogram_of(&mut family, &[("subgraph", *name)], &statistics.durations)?;
    }
    Ok(())
}

fn encode_states(all: &[Seen<'_>], writer: &mut Writer<'_, '_>) -> fmt::Result {
    let help = "Connections to subgraphs";
    let mut family = writer.begin("thalweg_subgraph_connections", help, MetricType::Gauge)?;
    for Seen { name, statistics, .. } in all.iter().filter(|seen| seen.is_remote) {
        let connections = statistics.connections as f64;
        family.encode_family(&[("subgraph", *name)])?.encode_gauge(&connections)?;
    }
    type Load = fn((u32, u32)) -> u32;
    let loads: [(&str, &str, Load); 2] = [
        ("thalweg_subgraph_requests_running", "Running requests to a subgraph", |(running, _)| {
            running
        }),
        ("thalweg_subgraph_requests_waiting", "Queued requests to a subgraph", |(_, waiting)| {
            waiting
        }),
    ];
    for (metric, help, of) in loads {
        let mut family = writer.begin(metric, help, MetricType::Gauge)?;
        for Seen { name, load, .. } in all {
            let Some(load) = load else { continue };
            let count = i64::from(of(*load));
            family.encode_family(&[("subgraph", *name)])?.encode_gauge(&count)?;
        }
    }
    encode_subscriptions(all, writer)?;
    let help = "State of the circuit breaker of a subgraph";
    let mut family = writer.begin("thalweg_subgraph_breaker", help, MetricType::Gauge)?;
    for Seen { name, breaker, .. } in all {
        let Some(breaker) = breaker else { continue };
        for (label, state) in STATES {
            let labels = [("subgraph", *name), ("state", label)];
            family.encode_family(&labels)?.encode_gauge(&i64::from(*breaker == state))?;
        }
    }
    Ok(())
}

/// Writes the metrics of subscriptions to subgraphs over HTTP and WebSockets.
fn encode_subscriptions(all: &[Seen<'_>], writer: &mut Writer<'_, '_>) -> fmt::Result {
    type Gauge = fn(&SubscriptionCounts) -> usize;
    let gauges: [(&str, &str, Gauge); 3] = [
        ("thalweg_subgraph_subscriptions", "Running subscriptions to a subgraph", |counts| {
            counts.subscriptions
        }),
        ("thalweg_subgraph_subscribers", "Clients of subscriptions to a subgraph", |counts| {
            counts.listeners
        }),
        ("thalweg_subgraph_sockets", "WebSockets to a subgraph", |counts| counts.sockets),
    ];
    for (metric, help, of) in gauges {
        let mut family = writer.begin(metric, help, MetricType::Gauge)?;
        for Seen { name, subscriptions, .. } in all {
            let Some(counts) = subscriptions else { continue };
            let count = of(counts) as f64;
            family.encode_family(&[("subgraph", *name)])?.encode_gauge(&count)?;
        }
    }
    type Count = fn(&SubscriptionCounts) -> u64;
    let counters: [(&str, &str, Count); 3] = [
        (
            "thalweg_subgraph_subscription_events",
            "Events of subscriptions that a subgraph sent",
            |counts| counts.events,
        ),
        (
            "thalweg_subgraph_subscription_reconnects",
            "Attempts to reconnect after a lost subscription to a subgraph",
            |counts| counts.reconnects,
        ),
        (
            "thalweg_subgraph_subscribers_dropped",
            "Clients that were ended because they read too slowly, or there was no memory",
            |counts| counts.dropped,
        ),
    ];
    for (metric, help, of) in counters {
        let mut family = writer.begin(metric, help, MetricType::Counter)?;
        for Seen { name, subscriptions, .. } in all {
            let Some(counts) = subscriptions else { continue };
            count_of(&mut family, &[("subgraph", *name)], of(counts))?;
        }
    }
    Ok(())
}
