//! The engine as a whole, with names of tests that are known when it is compiled; `cases` has those
//! that are found when the program runs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod cached_answers;
mod cached_documents;
mod cached_plans;
mod cached_tokens;
mod cached_users;
#[path = "support/changed_tables.rs"]
mod changed_tables;
#[path = "support/choices.rs"]
mod choices;
mod citus;
mod custom;
mod deferred;
mod dgraph;
mod dgraph_adds;
mod dgraph_conflicts;
mod dgraph_definitions;
mod dgraph_places;
mod dgraph_rules;
mod dgraph_text;
mod dgraph_vectors;
#[path = "support/dialect.rs"]
mod dialect;
mod events;
mod federation;
mod graph_barrier;
mod graph_events;
mod graph_statistics;
mod graph_types_size;
mod hasura_actions;
mod hasura_permissions;
mod hasura_postgis;
mod hostile_names;
mod joined_levels;
mod live;
mod live_batches;
mod live_brokers;
mod live_exact;
mod live_file;
mod live_model;
mod live_model_rules;
mod live_postgraphile;
mod live_servers;
mod live_streams;
mod long_changes;
#[allow(dead_code, reason = "random mutations, in `cases`, use the rest of it")]
#[path = "support/operation.rs"]
mod operation;
mod own_keys;
mod planning;
mod policies;
mod poolers;
mod prisma_changes;
mod prisma_events;
mod products;
mod schema_size;
mod sharing;
#[path = "support/shop.rs"]
mod shop;
mod to_ones_apart;
#[path = "support/value.rs"]
mod value;

use testkit::allocation::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
