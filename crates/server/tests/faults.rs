//! The built program while its databases change, fail and go away.
//!
//! * `snapshot`: an answer shows one state of the database
//! * `unreachable`: PostgreSQL stops, ends sessions, has no connection free
//! * `outage`: PostgreSQL is killed under load, or out of reach without a word
//! * `refusing`: PostgreSQL is there and gives no sessions
//! * `graphs`: Neo4j goes away, falls silent, and works for nobody
//! * `graph_losses`: Neo4j is killed and started again, and something else answers in its place
//! * `failover`: another PostgreSQL takes over
//! * `full_disk`: there is no room on the disk
//! * `poolers`: PgBouncer with settings that do not go together with the program's
//! * `leaks`: nothing is lost in hundreds of faults
//! * `abandoned`: clients that do not wait for their answers
//! * `files`: SQLite files that are locked, replaced, damaged
//! * `writes`: SQLite files that are changed; `shared_memory`: those of which another program takes a part
//! * `changed`: tables that change after they were introspected
//! * `mutations`: whatever happens in the middle of one
//! * `masked`: what clients learn of an error, and what the log has
//! * `subgraphs`: subgraphs of a gateway that answer late, wrongly or not at all; `subgraph`: one
//! * `served`, `databases`: the program and the databases; `load`: clients that go on asking;
//!   `proxy`: a way to a database that can be blocked; `cutter`, `breaker`: ways that break off

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

#[path = "faults/abandoned.rs"]
mod abandoned;
#[path = "faults/breaker.rs"]
mod breaker;
#[path = "faults/changed.rs"]
mod changed;
#[path = "faults/cutter.rs"]
mod cutter;
#[path = "faults/databases.rs"]
mod databases;
#[path = "faults/failover.rs"]
mod failover;
#[path = "faults/files.rs"]
mod files;
#[path = "faults/full_disk.rs"]
mod full_disk;
#[path = "faults/graph_losses.rs"]
mod graph_losses;
#[path = "faults/graphs.rs"]
mod graphs;
#[path = "faults/leaks.rs"]
mod leaks;
#[path = "faults/load.rs"]
mod load;
#[path = "faults/masked.rs"]
mod masked;
#[path = "faults/mutations.rs"]
mod mutations;
#[path = "faults/outage.rs"]
mod outage;
#[path = "faults/poolers.rs"]
mod poolers;
#[path = "faults/proxy.rs"]
mod proxy;
#[path = "faults/refusing.rs"]
mod refusing;
#[path = "faults/served.rs"]
mod served;
#[cfg(target_os = "linux")]
#[path = "faults/shared_memory.rs"]
mod shared_memory;
#[path = "faults/snapshot.rs"]
mod snapshot;
#[path = "faults/subgraph.rs"]
mod subgraph;
#[path = "faults/subgraphs.rs"]
mod subgraphs;
#[path = "faults/unreachable.rs"]
mod unreachable;
#[path = "faults/writes.rs"]
mod writes;
