//! Requests that change something, on a PostgreSQL database of each test's own.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "the lints' exception for tests does not reach their helping functions"
)]

mod changes;
mod cut;
mod functions;
mod lost;
mod results;
mod sent;
mod statements;
mod tables;
mod transactions;
mod values;
mod world;
