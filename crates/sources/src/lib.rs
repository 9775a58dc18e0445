//! To be described.

pub mod postgres;
pub mod sqlite;
