//! What the server tells of itself while it serves, read as those who watch it read it.
//!
//! * `log`: the lines of requests
//! * `metrics`, `openmetrics`: what Prometheus reads
//! * `ready`: whether requests would be answered
//! * `timing`: what an answer tells of its stages
//! * `traces`, `collector`: what a collector of traces is told
//! * `served`, `databases`: the program and the databases

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

// The other tests need the rest of these two.
#[path = "observability/collector.rs"]
mod collector;
#[allow(dead_code)]
#[path = "faults/databases.rs"]
mod databases;
#[path = "observability/log.rs"]
mod log;
#[path = "observability/metrics.rs"]
mod metrics;
#[path = "observability/openmetrics.rs"]
mod openmetrics;
#[path = "observability/ready.rs"]
mod ready;
#[allow(dead_code)]
#[path = "faults/served.rs"]
mod served;
#[path = "observability/timing.rs"]
mod timing;
#[path = "observability/traces.rs"]
mod traces;
