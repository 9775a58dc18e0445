//! The statements of Cypher that requests become, and whether a server understands them.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

mod filters;
mod groups;
mod keyed;
mod model;
mod reads;
mod searches;
mod touched;
mod understood;
mod writes;
