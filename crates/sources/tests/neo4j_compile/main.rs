//! The statements of Cypher that requests become.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

mod filters;
mod model;
mod reads;
mod writes;
