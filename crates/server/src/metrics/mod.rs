//! Prometheus metrics.
//!
//! * `operations`: operations with metrics of their own
//! * `store`: counters of requests
//! * `usage`: resource usage of the process, from the operating system
//! * `encode`: the OpenMetrics text
//! * `read`: reads that text, for collectors of OpenTelemetry and `thalweg top`
//! * `databases`: metrics of connections to databases; `replicas`: of reads from replicas
//! * `custom_fields`: metrics of requests of custom fields
//! * `fetches`: metrics of query plans
//! * `live`: metrics of sockets and subscriptions
//! * `log_records`: counts of exported records of the log
//! * `subgraphs`: metrics of subgraphs
//! * `supergraph`: metrics of fetches of the supergraph
//! * `running`: running operations
//! * `serve`: the HTTP endpoint
//!
//! Each thread counts in a shard of its own; a scrape sums the shards.

mod answer_cache;
mod custom_fields;
mod databases;
mod encode;
mod events;
mod fetches;
mod live;
mod log_records;
mod operations;
mod read;
mod replicas;
mod running;
mod serve;
mod store;
mod subgraphs;
mod supergraph;
mod usage;

pub(crate) use encode::{Situation, Sources, encode};
pub(crate) use live::{Open, OpenGuard};
pub(crate) use log_records::LogCounts;
pub(crate) use read::{Data, Family, HistogramPoint, Labels, Point, read};
pub(crate) use running::RunningGuard;
pub(crate) use serve::{MetricsListener, serve};
pub(crate) use store::{CompletedRequest, Metrics, Shard};
