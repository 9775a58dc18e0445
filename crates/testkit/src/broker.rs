//! Private brokers of events for tests: NATS and Redis.
//!
//! `server` starts and stops them, [`nats`] and [`redis`] are small clients with which tests publish and
//! receive events. No server outlives the process that started it.

pub mod nats;
pub mod redis;
mod server;

pub use server::{Broker, Kind, StartError};
