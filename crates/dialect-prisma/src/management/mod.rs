//! The management API, at `/management`, and the private one of a service, at `/private`: those of
//! Prisma's commands, as far as a server serves that has one service and deploys nothing.
//!
//! Each is a small schema whose fields are resolved by hand.
//!
//! * `schema`: from the texts of the schemas
//! * `request`: from a request to its root fields, and from their values to the answer
//! * `services`: the values of the management API
//! * `steps`: the steps of recorded migrations

mod request;
mod schema;
mod services;
mod steps;

use std::sync::LazyLock;

pub use request::{Begun, Endpoint, RequestedField};
pub use services::{RecordedMigration, Served, resolve};

/// The fields of the management API that need the history of migrations.
pub const OF_HISTORY: [&str; 2] = ["migrationStatus", "listMigrations"];

/// <https://github.com/prisma/prisma1>, `SchemaBuilder.scala` of the deploy server.
const MANAGEMENT: &str = include_str!("management.graphql");

/// <https://github.com/prisma/prisma1>, `PrivateSchemaBuilder.scala`.
const PRIVATE: &str = include_str!("private.graphql");

/// The management API.
pub static MANAGEMENT_API: LazyLock<Endpoint> = LazyLock::new(|| Endpoint::new(MANAGEMENT));

/// The private API of a service.
pub static PRIVATE_API: LazyLock<Endpoint> = LazyLock::new(|| Endpoint::new(PRIVATE));

/// The field of the private API that deletes all rows.
pub const RESET: &str = "resetData";
