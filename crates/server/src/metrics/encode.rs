//! The OpenMetrics text: <https://prometheus.io/docs/specs/om/open_metrics_spec/>.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use clients::histogram::{Durations, Histogram};
use clients::redis_client::RedisCounts;
use engine::Api;
use engine::usage::Usage as SchemaUsage;
use graphql::ErrorCode;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use source::Statistics;

use super::log_records::LogCounts;
use super::store::{Kind, Metrics, Shard, Stage};
use super::subgraphs::{self, Subgraph};
use super::usage::Usage;
use super::{answer_cache, custom_fields, databases, events, fetches, live, replicas, supergraph};
use crate::supergraph::FetchCounts;
use crate::usage::hive::Reporter;

/// Sources of the metrics.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) connections: Arc<Statistics>,
    pub(crate) usage: Arc<SchemaUsage>,
    pub(crate) reporter: Option<Arc<Reporter>>,
    pub(crate) logs: Option<Arc<LogCounts>>,
    pub(crate) events: Option<Arc<event_triggers::Statistics>>,
    pub(crate) api: Api,
    pub(crate) situation: Situation,
}

/// The current state of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation {
    pub(crate) reloaded: u64,
    pub(crate) reloads_failed: u64,
    pub(crate) clients: usize,
    /// Running and queued requests.
    pub(crate) running: u32,
    pub(crate) waiting: u32,
    /// Bytes that responses reserve.
    pub(crate) response_memory: u64,
    /// Bytes that request bodies reserve.
    pub(crate) request_memory: u64,
    /// Commands to the store of the rate limits, if there is one.
    pub(crate) rate_store: Option<RedisCounts>,
    /// Fetches of the supergraph from another server, if there were any.
    pub(crate) fetches: Option<FetchCounts>,
}

pub(super) type Labels<'l, const N: usize> = [(&'l str, &'l str); N];

/// Encodes all metrics.
pub(crate) fn encode(sources: Sources) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(sources));
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &registry)?;
    Ok(text)
}

impl Collector for Sources {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut writer = Writer(&mut encoder);
        self.encode_process(&mut writer)?;
        self.encode_requests(&mut writer)?;
        self.encode_times(&mut writer)?;
        self.encode_cache(&mut writer)?;
        self.encode_reports(&mut writer)?;
        self.encode_logs(&mut writer)?;
        events::encode(self.events.as_deref(), &mut writer)?;
        live::encode(self.shards().map(|shard| &shard.live), &mut writer)?;
        match &self.api {
            Api::Source(engine) => {
                live::encode_engines(&[(None, engine)], &mut writer)?;
                databases::encode(&[(None, &self.connections)], &mut writer)?;
                replicas::encode(engine.reads().as_ref(), &mut writer)?;
                answer_cache::encode(engine.cache_counts(), &mut writer)?;
                custom_fields::encode(&[(None, engine.resolver_statistics())], &mut writer)
            }
            Api::Gateway(gateway) => {
                let subgraphs = gateway.subgraphs();
                let subgraphs: Vec<_> = subgraphs
                    .map(|(subgraph, transport)| Subgraph {
                        name: &subgraph.name,
                        shared: transport.shared(),
                        subscriptions: transport.subscriptions(),
                    })
                    .collect();
                fetches::encode(self.shards().map(|shard| &shard.fetches), &mut writer)?;
                subgraphs::encode(&subgraphs, &mut writer)?;
                if let Some(cache) = gateway.response_cache() {
                    subgraphs::encode_cache(cache.counts(), &mut writer)?;
                }
                if let Some(counts) = self.situation.fetches {
                    supergraph::encode(counts, &mut writer)?;
                }
                let engines: Vec<_> = gateway
                    .subgraphs()
                    .filter_map(|(subgraph, transport)| {
                        Some((Some(&*subgraph.name), &*transport.local()?.engine))
                    })
                    .collect();
                live::encode_engines(&engines, &mut writer)?;
                let databases: Vec<_> = gateway
                    .subgraphs()
                    .filter_map(|(subgraph, transport)| {
                        Some((Some(&*subgraph.name), &*transport.local()?.connections))
                    })
                    .collect();
                databases::encode(&databases, &mut writer)?;
                let mut custom: Vec<_> = gateway
                    .subgraphs()
                    .filter_map(|(subgraph, transport)| {
                        let engine = &transport.local()?.engine;
                        Some((Some(&*subgraph.name), engine.resolver_statistics()))
                    })
                    .collect();
                let connectors = gateway.connector_statistics().into_iter();
                let connectors = connectors.map(|(name, statistics)| (Some(name), statistics));
                custom.extend(connectors);
                custom_fields::encode(&custom, &mut writer)
            }
        }
    }
}

/// Metrics of the Redis of the rate limits.
fn encode_rate_store(counts: RedisCounts, writer: &mut Writer<'_, '_>) -> fmt::Result {
    let RedisCounts { succeeded, failed, is_connected } = counts;
    let help = "Operations that the store of the rate limits has counted, or not";
    let mut family = writer.begin("thalweg_rate_limit_store", help, MetricType::Counter)?;
    count_of(&mut family, &[("result", "success")], succeeded)?;
    count_of(&mut family, &[("result", "failure")], failed)?;
    let help = "Whether the store of the rate limits is connected";
    writer.gauge("thalweg_rate_limit_store_connected", help, f64::from(u8::from(is_connected)))
}

impl Sources {
    fn encode_reports(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let Some(reporter) = &self.reporter else { return Ok(()) };
        let statistics = reporter.statistics();
        let help = "Requests by the outcome of their usage reports";
        let mut family = writer.begin("thalweg_usage_reported", help, MetricType::Counter)?;
        let outcomes = [
            ("reported", &statistics.reported),
            ("dropped", &statistics.dropped),
            ("failed", &statistics.failed),
        ];
        for (outcome, count) in outcomes {
            count_of(&mut family, &[("outcome", outcome)], count.load(Ordering::Relaxed))?;
        }
        Ok(())
    }

    fn encode_logs(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let Some(counts) = &self.logs else { return Ok(()) };
        let LogCounts { sent, dropped, failed } = &**counts;
        let help = "Records of the log for the collector of OpenTelemetry, by outcome";
        let mut family = writer.begin("thalweg_log_records", help, MetricType::Counter)?;
        for (outcome, count) in [("sent", sent), ("dropped", dropped), ("failed", failed)] {
            count_of(&mut family, &[("outcome", outcome)], read(count))?;
        }
        Ok(())
    }

    fn encode_process(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        writer.begin("thalweg_build", "The program", MetricType::Info)?.encode_info(&version)?;
        let started = self.metrics.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        let started = started.as_secs_f64();
        writer.gauge("process_start_time_seconds", "Start time of the process", started)?;
        let usage = Usage::now();
        if let Some(seconds) = usage.cpu_seconds {
            writer
                .begin("process_cpu_seconds", "CPU time", MetricType::Counter)?
                .encode_counter::<NoLabelSet, f64, u64>(&seconds, None)?;
        }
        let gauges = [
            ("process_resident_memory_bytes", "Resident memory", usage.resident_bytes),
            ("process_virtual_memory_bytes", "Virtual memory", usage.virtual_bytes),
            ("process_threads", "Threads", usage.threads),
            ("process_open_fds", "Open file descriptors", usage.open_files),
            ("process_max_fds", "The limit on open file descriptors", usage.most_files),
        ];
        for (name, help, value) in gauges {
            if let Some(value) = value {
                writer.gauge(name, help, value as f64)?;
            }
        }
        let help = "Reloads";
        let mut family = writer.begin("thalweg_reloads", help, MetricType::Counter)?;
        let Situation { reloaded, reloads_failed, clients, running, waiting, .. } = self.situation;
        let Situation { response_memory, request_memory, .. } = self.situation;
        count_of(&mut family, &[("result", "success")], reloaded)?;
        count_of(&mut family, &[("result", "failure")], reloads_failed)?;
        writer.gauge("thalweg_clients", "Connections of clients", clients as f64)?;
        writer.gauge("thalweg_requests_running", "Running requests", running.into())?;
        let help = "Queued requests";
        writer.gauge("thalweg_requests_waiting", help, waiting.into())?;
        let help = "Memory of responses that are being made";
        writer.gauge("thalweg_response_memory_bytes", help, response_memory as f64)?;
        let help = "Memory of request bodies";
        writer.gauge("thalweg_request_memory_bytes", help, request_memory as f64)?;
        match self.situation.rate_store {
            Some(counts) => encode_rate_store(counts, writer),
            None => Ok(()),
        }
    }

    fn encode_requests(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let help = "GraphQL requests that were answered or abandoned";
        let mut family = writer.begin("thalweg_requests", help, MetricType::Counter)?;
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            let shards = || self.shards().filter_map(move |shard| shard.kinds.get(place));
            let mut statuses: Vec<(usize, u64)> = Vec::new();
            for (status, count) in shards().flat_map(|counts| counts.counts()) {
                match statuses.iter_mut().find(|known| known.0 == status) {
                    Some(known) => known.1 += read(count),
                    None if read(count) > 0 => statuses.push((status, read(count))),
                    None => {}
                }
            }
            for (status, count) in statuses {
                let labels = [("kind", kind.as_str()), ("status", &*status.to_string())];
                count_of(&mut family, &labels, count)?;
            }
            let abandoned = shards().map(|counts| read(&counts.abandoned)).sum();
            if abandoned > 0 {
                let labels = [("kind", kind.as_str()), ("status", "abandoned")];
                count_of(&mut family, &labels, abandoned)?;
            }
        }
        let in_flight: i64 =
            self.shards().map(|shard| shard.in_flight.load(Ordering::Relaxed)).sum();
        let help = "GraphQL requests that are being answered";
        writer.gauge("thalweg_requests_in_flight", help, in_flight as f64)?;
        let mut family =
            writer.begin("thalweg_errors", "Errors in responses, by code", MetricType::Counter)?;
        for (place, code) in ErrorCode::ALL.iter().enumerate() {
            let counts = self.shards().filter_map(|shard| shard.errors.get(place));
            count_of(&mut family, &[("code", code.as_str())], counts.map(read).sum())?;
        }
        let bytes = self.shards().map(|shard| read(&shard.response_bytes)).sum();
        let help = "Bytes of the bodies of responses to GraphQL requests";
        writer.counter("thalweg_response_bytes", help, bytes)
    }

    fn encode_times(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let help = "Time from the head of a GraphQL request to its response";
        let name = "thalweg_request_duration_seconds";
        let mut family = writer.begin(name, help, MetricType::Histogram)?;
        let names = self.metrics.operations.names();
        for (place, name) in names.iter().enumerate() {
            let counts = self.shards().filter_map(|shard| shard.operations.get(place));
            let labels = [("operation", &**name)];
            let durations = counts.map(|counts| counts.duration.read()).sum();
            histogram_of(&mut family, &labels, &durations)?;
        }
        let help = "Time of each stage of a GraphQL request";
        let mut family =
            writer.begin("thalweg_stage_duration_seconds", help, MetricType::Histogram)?;
        for (place, stage) in Stage::ALL.into_iter().enumerate() {
            let stages = self.shards().filter_map(|shard| shard.stages.get(place));
            let durations = stages.map(Histogram::read).sum();
            histogram_of(&mut family, &[("stage", stage.as_str())], &durations)?;
        }
        let help = "Time in each stage, by operation";
        let mut family =
            writer.begin("thalweg_operation_stage_seconds", help, MetricType::Counter)?;
        for (place, name) in names.iter().enumerate() {
            for (idx, stage) in Stage::ALL.into_iter().enumerate() {
                let counts = self.shards().filter_map(|shard| shard.operations.get(place));
                let nanoseconds: u64 =
                    counts.filter_map(|counts| counts.stages.get(idx)).map(read).sum();
                let labels = [("operation", &**name), ("stage", stage.as_str())];
                family
                    .encode_family(&labels)?
                    .encode_counter::<NoLabelSet, f64, u64>(&(nanoseconds as f64 / 1e9), None)?;
            }
        }
        Ok(())
    }

    fn encode_cache(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let shards = || self.shards();
        let looked = [
            (
                "thalweg_documents",
                "Documents looked up in the cache",
                shards().map(|shard| read(&shard.documents.hits)).sum::<u64>(),
                shards().map(|shard| read(&shard.documents.misses)).sum::<u64>(),
            ),
            (
                "thalweg_plans",
                "Plans looked up in the cache",
                shards().map(|shard| read(&shard.plans.hits)).sum(),
                shards().map(|shard| read(&shard.plans.misses)).sum(),
            ),
        ];
        for (name, help, hits, misses) in looked {
            let mut family = writer.begin(name, help, MetricType::Counter)?;
            count_of(&mut family, &[("result", "hit")], hits)?;
            count_of(&mut family, &[("result", "miss")], misses)?;
        }
        let cached = self.api.cached();
        let (documents, bytes) = (cached.documents as f64, cached.bytes as f64);
        writer.gauge("thalweg_cached_documents", "Documents in the cache", documents)?;
        let help = "Approximate bytes of cached documents with their plans";
        writer.gauge("thalweg_cache_bytes", help, bytes)
    }

    fn shards(&self) -> impl Iterator<Item = &Shard> + Clone {
        self.metrics.shards.iter().map(|shard| &**shard)
    }
}

/// Writes metrics.
pub(super) struct Writer<'w, 'e>(&'w mut DescriptorEncoder<'e>);

impl Writer<'_, '_> {
    pub(super) fn begin<'s>(
        &'s mut self,
        name: &'s str,
        help: &str,
        r#type: MetricType,
    ) -> Result<MetricEncoder<'s>, fmt::Error> {
        self.0.encode_descriptor(name, help, None, r#type)
    }

    pub(super) fn gauge(&mut self, name: &str, help: &str, value: f64) -> fmt::Result {
        self.begin(name, help, MetricType::Gauge)?.encode_gauge(&value)
    }

    pub(super) fn counter(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let mut encoder = self.begin(name, help, MetricType::Counter)?;
        encoder.encode_counter::<NoLabelSet, u64, u64>(&value, None)
    }
}

pub(super) fn count_of<const N: usize>(
    family: &mut MetricEncoder<'_>,
    labels: &Labels<'_, N>,
    count: u64,
) -> fmt::Result {
    family.encode_family(labels)?.encode_counter::<NoLabelSet, u64, u64>(&count, None)
}

pub(super) fn histogram_of(
    family: &mut MetricEncoder<'_>,
    labels: &impl EncodeLabelSet,
    durations: &Durations,
) -> fmt::Result {
    family.encode_family(labels)?.encode_histogram::<NoLabelSet>(
        durations.seconds(),
        durations.count(),
        &durations.buckets(),
        None,
    )
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}
