//! Answers that are sent while they are made, of the built program.
//!
//! * `flat`: memory, first bytes and lengths of long answers and short ones
//! * `broken`: errors after the first bytes
//! * `graphs`: those of a graph
//! * `readers`: clients that read slowly, or leave
//! * `chunks`: a client that reads an answer piece by piece; `shops`: the databases

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

#[path = "streaming/broken.rs"]
mod broken;
#[path = "streaming/chunks.rs"]
mod chunks;
#[path = "faults/databases.rs"]
#[allow(dead_code, reason = "the tests of faults use the rest of it")]
mod databases;
#[path = "streaming/flat.rs"]
mod flat;
#[path = "streaming/graphs.rs"]
mod graphs;
#[path = "streaming/readers.rs"]
mod readers;
#[path = "faults/served.rs"]
#[allow(dead_code, reason = "the tests of faults use the rest of it")]
mod served;
#[path = "streaming/shops.rs"]
mod shops;
