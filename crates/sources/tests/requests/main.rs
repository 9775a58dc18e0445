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
mod variants;
mod writes;

use database::Database;

/// What a case gives on a database that `schema` makes, which is the same on each kind. `{key}` in
/// the schema is the type and the constraint of a key that the database counts by itself.
async fn on_each(schema: &str, case: impl AsyncFn(&Database) -> String) -> String {
    let mut given: Option<String> = None;
    for database in Database::all(schema).await {
        println!("on {}", database.name());
        let now = case(&database).await;
        assert_eq!(given.get_or_insert_with(|| now.clone()), &now, "on {}", database.name());
    }
    given.unwrap_or_default()
}
