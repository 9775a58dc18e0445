//! The built program on the net: where it listens, and what clients may do to it.
//!
//! * `listening`: several addresses, Unix sockets
//! * `site`: the program, with its log in a file

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

#[path = "network/listening.rs"]
mod listening;
#[path = "network/site.rs"]
mod site;
