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

pub(crate) mod certificates;
mod crowds;
mod draining;
mod encrypted;
mod heads;
mod listening;
mod readers;
mod site;
mod vanishing;
