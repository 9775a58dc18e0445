//! The built program as a gateway, over subgraphs that answer what they always answer.
//!
//! * `serving`: what holds of every server holds of this one
//! * `access`: who may read what, and what it costs
//! * `headers`: what subgraphs are told
//! * `reloads`: other supergraphs while requests go on
//! * `registries`: supergraphs of registries
//! * `connectors`: REST services as subgraphs
//! * `local`, `local_graph`, `local_postgres`, `required`: sources in the gateway's process
//! * `long`: long answers of subgraphs
//! * `deferred`: deferred fragments
//! * `demo`: the federated shop
//! * `cached`: the cache of subgraph responses
//! * `compatibility`: the subgraph that a public suite asks for, served and in a graph
//! * `traced`: what routers are told of the fields of a subgraph
//! * `looks`: `schema`, `explain`, `check`
//! * `watched`, `collector`: metrics, traces and the log
//! * `usage`: the parts of the schema that clients use
//! * `usage_reports`: reports of them to Hive
//! * `subscriptions`: events of subgraphs
//! * `stubs`: the subgraphs
//! * `site`: all that a gateway needs

mod access;
mod bulkhead;
mod cached;
mod compatibility;
mod connectors;
mod deferred;
mod demo;
mod headers;
mod local;
mod local_graph;
mod local_postgres;
mod long;
mod looks;
mod registries;
mod reloads;
mod required;
mod serving;
mod site;
mod stubs;
mod subscriptions;
mod traced;
mod usage;
mod usage_reports;
pub(crate) mod watched;
