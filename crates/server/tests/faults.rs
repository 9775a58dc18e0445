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

mod abandoned;
mod breaker;
mod changed;
mod cutter;
mod failover;
mod files;
pub(crate) mod full_disk;
mod graph_losses;
mod graphs;
mod leaks;
pub(crate) mod load;
mod masked;
mod mutations;
mod outage;
mod poolers;
mod proxy;
mod refusing;
#[cfg(target_os = "linux")]
mod shared_memory;
mod snapshot;
mod subgraph;
mod subgraphs;
mod unreachable;
mod writes;
