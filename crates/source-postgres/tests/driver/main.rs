//! The driver of PostgreSQL on real servers.

mod introspect;
mod leakproof;
mod wire;
mod writes;
