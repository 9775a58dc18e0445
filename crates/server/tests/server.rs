//! The built program, run as a user runs it.
//!
//! One program of tests with a module for each subject: linking takes longer than most tests.
//! [`program`] starts the built program, [`served`] and [`databases`] serve databases that change and
//! fail, [`collector`] receives traces, [`script`] runs clients of other projects.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod answer_cache;
mod async_actions;
mod backups;
mod batches;
mod bodies;
mod browser;
mod cache_control;
mod cached_documents;
mod claims;
mod clients;
#[path = "support/collector.rs"]
mod collector;
mod commands;
mod compose;
mod compression;
mod configuration;
mod console;
mod custom_fields;
#[path = "support/databases.rs"]
mod databases;
mod datamodels;
mod declared_tokens;
mod deferred;
mod event_triggers;
mod exact_numbers;
mod faults;
mod fuzz;
mod gateway;
mod graph_migrate;
mod graph_tokens;
mod graph_types;
mod graphiql;
mod hasura;
mod hasura_federation;
mod hasura_limits;
mod hasura_metadata;
mod hasura_openapi;
mod hasura_sessions;
mod hasura_sources;
mod health;
mod hooks;
mod hosts;
mod http;
mod init;
mod kills;
mod limits;
mod load;
mod manual;
mod mcp;
mod memory;
mod mistakes;
mod network;
mod observability;
mod origins;
mod other_programs;
mod persisted;
mod policies;
mod presets;
mod prisma;
mod prisma_schemas;
#[path = "support/program.rs"]
mod program;
mod rate_limits;
mod reload;
mod replicas;
mod requests;
mod rights;
mod schema_changes;
mod schema_diff;
mod schemas;
#[path = "support/script.rs"]
mod script;
mod secrets;
#[path = "support/served.rs"]
mod served;
mod shared_files;
mod sqlite_threads;
mod stored_as;
mod streaming;
mod subscriptions;
mod table_migrate;
mod tokens;
mod top;
mod transfers;
mod uploads;
mod watch;
mod write_ahead_log;

use testkit::allocation::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
