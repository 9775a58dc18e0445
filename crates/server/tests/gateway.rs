//! The built program as a gateway, over subgraphs that answer what they always answer.
//!
//! * `serving`: what holds of every server holds of this one
//! * `access`: who may read what, and what it costs
//! * `headers`: what subgraphs are told
//! * `reloads`: other supergraphs while requests go on
//! * `local`, `local_graph`, `local_postgres`, `required`: sources in the gateway's process
//! * `long`: long answers of subgraphs
//! * `demo`: the federated shop
//! * `compatibility`: the subgraph that a public suite asks for, served and in a graph
//! * `traced`: what routers are told of the fields of a subgraph
//! * `looks`: `schema`, `explain`, `check`
//! * `watched`, `collector`: metrics, traces and the log
//! * `stubs`: the subgraphs
//! * `site`: all that a gateway needs

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

#[path = "gateway/access.rs"]
mod access;
#[path = "gateway/bulkhead.rs"]
mod bulkhead;
#[path = "observability/collector.rs"]
mod collector;
#[path = "gateway/compatibility.rs"]
mod compatibility;
#[path = "gateway/demo.rs"]
mod demo;
#[path = "gateway/headers.rs"]
mod headers;
#[path = "gateway/local.rs"]
mod local;
#[path = "gateway/local_graph.rs"]
mod local_graph;
#[path = "gateway/local_postgres.rs"]
mod local_postgres;
#[path = "gateway/long.rs"]
mod long;
#[path = "gateway/looks.rs"]
mod looks;
#[path = "gateway/reloads.rs"]
mod reloads;
#[path = "gateway/required.rs"]
mod required;
#[path = "gateway/serving.rs"]
mod serving;
#[path = "gateway/site.rs"]
mod site;
#[path = "gateway/stubs.rs"]
mod stubs;
#[path = "gateway/traced.rs"]
mod traced;
#[path = "gateway/watched.rs"]
mod watched;
