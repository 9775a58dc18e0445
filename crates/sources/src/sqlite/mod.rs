//! The SQLite source.

pub mod declared;
pub mod introspect;
