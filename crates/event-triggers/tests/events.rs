//! Events of real databases, delivered to a real HTTP server.
//!
//! [`databases`] are a PostgreSQL database and a SQLite file with the same tables; [`webhooks`] answer
//! by their paths.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod cleanup;
#[path = "support/databases.rs"]
mod databases;
mod deliveries;
mod installation;
mod payloads;
mod schedules;
mod transforms;
#[path = "support/webhooks.rs"]
mod webhooks;
