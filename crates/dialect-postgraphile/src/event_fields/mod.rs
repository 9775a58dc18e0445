//! Subscription fields of a file, with `@pgSubscription(topic:)`.
//!
//! * `file`: parses the file
//! * `schema`: adds its fields and types to the API

mod file;
mod schema;

pub use self::file::SubscriptionsFile;
pub(super) use self::file::{EventField, Payload};
pub(super) use self::schema::add;
