//! Requests as dialects make them, each on PostgreSQL and on SQLite: both give the same answer, and
//! leave the same rows.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "the lints' exception for tests does not reach their helping functions"
)]

mod builder;
mod database;
mod distinct;
mod pages;
mod shape;

use database::Database;

/// Runs a case on an empty database of each kind that `schema` makes. `{key}` in it is the type and
/// the constraint of a key that the database counts by itself.
async fn on_each(schema: &str, case: impl AsyncFn(&Database)) {
    for database in Database::all(schema).await {
        println!("on {}", database.name());
        case(&database).await;
    }
}
