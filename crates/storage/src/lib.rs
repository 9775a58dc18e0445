//! Schema first: type definitions become tables, and changes of definitions become migrations.
//!
//! This crate knows no dialect: a dialect reads its definitions and fills a [`model::Model`]. It does
//! no IO: the sources read the history and the checks, and run the statements.
//!
//! * [`model`]: what definitions store: entities, their fields, relations between them
//! * [`database`]: the abilities of a database on which storage depends
//! * [`plan`](mod@plan): model → [`tables`]
//! * [`layout`]: a model, or the tables that a dialect lays out itself
//! * [`definition`]: tables → statements that create them
//! * [`bulk`]: statements of loads in bulk
//! * [`vectors`]: queries of the lengths of stored vectors
//! * [`migration`]: recorded tables and new ones → statements, checks and losses

pub mod bulk;
pub mod database;
pub mod definition;
pub mod layout;
pub mod migration;
pub mod model;
pub mod plan;
#[cfg(test)]
mod samples;
pub mod tables;
pub mod vectors;

pub use database::{Database, ExtensionSupport};
pub use layout::Layout;
pub use plan::{Plan, plan};
pub use tables::Tables;
