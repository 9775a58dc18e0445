//! What the process counts, and how Prometheus reads it.
//!
//! * `histogram`: how long things took
//! * `operations`: which operations are told apart
//! * `store`: what is counted of requests
//! * `usage`: what the operating system counts of the process
//! * `encode`: the text of a scrape
//! * `fetches`: its part about plans over subgraphs
//! * `subgraphs`: its part about subgraphs
//! * `serve`: the address where it is read
//!
//! Each thread counts in a shard of its own; a scrape adds the shards up.

mod databases;
mod encode;
mod fetches;
mod histogram;
mod operations;
mod serve;
mod store;
mod subgraphs;
mod usage;

pub(crate) use encode::{Situation, Sources};
pub(crate) use serve::{MetricsError, MetricsListener, serve};
pub(crate) use store::{Metrics, Seen, Shard};
