//! Triggers that report changes of rows, for servers of which the log is not available.

use source::Timeouts;
pub use source_postgres::{PostgresTriggers as Triggers, TriggerError};

use crate::Address;

/// Connects to the database of an address; `None` if it is not PostgreSQL.
pub async fn connect(
    address: &Address,
    timeouts: Timeouts,
) -> Option<Result<Triggers, TriggerError>> {
    match address {
        Address::Postgres(url) => Some(Triggers::connect(url, timeouts).await),
        Address::Sqlite(_) | Address::Neo4j(_) => None,
    }
}
