//! What the server tells of itself while it serves, read as those who watch it read it.
//!
//! * `log`: the lines of requests

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

#[path = "observability/log.rs"]
mod log;
