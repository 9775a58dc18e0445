//! Reserved event streams of the single connection mode, shared by all threads.
//!
//! * `registry`: all reservations of the process, by their tokens
//! * `reservation`: one reservation, with the operations that its stream has still to begin or to end

mod registry;
mod reservation;

pub(super) use self::registry::Reservations;
pub(super) use self::reservation::{Changes, NewOperation, Owner, Reservation};
