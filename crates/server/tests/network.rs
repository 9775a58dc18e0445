//! The built program on the net: where it listens, and what clients may do to it.
//!
//! * `listening`: several addresses, Unix sockets
//! * `heads`: heads that come slowly, are too large, are none
//! * `crowds`: more clients than there may be, or than there are file descriptors for
//! * `readers`: clients that do not read
//! * `vanishing`: clients that go away
//! * `encrypted`: TLS
//! * `http2`: HTTP/2, with and without TLS; `floods`: attacks on it, `frames`: its frames
//! * `certificates`: what it needs for that
//! * `draining`: how the server stops
//! * `site`: the program, with its log in a file

pub(crate) mod certificates;
mod crowds;
mod draining;
mod encrypted;
mod floods;
mod frames;
mod heads;
mod http2;
mod listening;
mod readers;
mod site;
mod vanishing;
