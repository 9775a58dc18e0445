//! Operations that run over one connection: a WebSocket, or an event stream of the single connection
//! mode.
//!
//! * `begin`: an operation, from its parameters to its work, and its record
//! * `running`: the running operations, and the order of their events

mod begin;
mod running;

pub(super) use self::begin::{Accepts, Work, begin};
pub(super) use self::running::{Operations, Outcome, Panicked};
