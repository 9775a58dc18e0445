//! The driver of PostgreSQL on real servers.

mod extensions;
mod introspect;
mod leakproof;
mod wire;
mod writes;
