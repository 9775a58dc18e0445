//! What the server tells of itself while it serves, read as those who watch it read it.
//!
//! * `log`: the lines of requests
//! * `metrics`, `openmetrics`: what Prometheus reads
//! * `otlp`: what a collector of metrics and logs receives
//! * `packaged`: alerts and a dashboard for Prometheus and Grafana
//! * `ready`: whether requests would be answered
//! * `timing`: what an answer tells of its stages
//! * `traces`, `collector`: what a collector is told
//! * `served`, `databases`: the program and the databases

// The other tests need the rest of these two.
mod log;
pub(crate) mod metrics;
pub(crate) mod openmetrics;
mod otlp;
mod packaged;
mod ready;
mod timing;
mod traces;
