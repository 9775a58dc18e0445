//! The built program on the net: where it listens, and what clients may do to it.
//!
//! * `listening`: several addresses, Unix sockets
//! * `heads`: heads that come slowly, are too large, are none
//! * `crowds`: more clients than there may be, or than there are file descriptors for
//! * `readers`: clients that do not read
//! * `vanishing`: clients that go away
//! * `encrypted`: TLS
//! * `certificates`: what it needs for that
//! * `draining`: how the server stops
//! * `site`: the program, with its log in a file

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

#[path = "network/certificates.rs"]
mod certificates;
#[path = "network/crowds.rs"]
mod crowds;
#[path = "network/draining.rs"]
mod draining;
#[path = "network/encrypted.rs"]
mod encrypted;
#[path = "network/heads.rs"]
mod heads;
#[path = "network/listening.rs"]
mod listening;
#[path = "network/readers.rs"]
mod readers;
#[path = "network/site.rs"]
mod site;
#[path = "network/vanishing.rs"]
mod vanishing;
