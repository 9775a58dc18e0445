//! The library as a program uses it, on SQLite and PostgreSQL.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

#[path = "library/claims.rs"]
mod claims;
#[path = "library/databases.rs"]
mod databases;
#[path = "library/definitions.rs"]
mod definitions;
#[path = "library/documents.rs"]
mod documents;
#[allow(clippy::print_stdout, unreachable_pub, reason = "it is shown as the code of a program")]
#[path = "library/first.rs"]
mod first;
#[path = "library/requests.rs"]
mod requests;
#[path = "library/subscriptions.rs"]
mod subscriptions;
#[allow(unreachable_pub, reason = "it is shown as the code of a program")]
#[path = "library/type_definitions.rs"]
mod type_definitions;
