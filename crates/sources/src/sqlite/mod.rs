//! SQLite, in the same process.
//!
//! * [`introspect`], [`declared`]: what a file holds
//! * [`connection`]: opening a file
//! * [`bind`] for parameters
//! * [`cursor`]: nested loops over prepared statements
//! * [`execute`]: a request's whole run
//! * [`source`]: a file read from every thread

pub mod bind;
pub mod connection;
pub mod cursor;
pub mod declared;
pub mod error;
pub mod execute;
pub mod introspect;
pub mod source;
