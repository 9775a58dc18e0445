//! PostgreSQL.

pub mod introspect;
pub mod pool;
pub mod wire;
