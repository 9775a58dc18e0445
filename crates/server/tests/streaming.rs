//! Answers that are sent while they are made, of the built program.
//!
//! * `flat`: memory, first bytes and lengths of long answers and short ones
//! * `broken`: errors after the first bytes
//! * `graphs`: those of a graph
//! * `readers`: clients that read slowly, or leave
//! * `chunks`: a client that reads an answer piece by piece; `shops`: the databases

mod broken;
mod chunks;
mod flat;
mod graphs;
mod readers;
mod shops;
