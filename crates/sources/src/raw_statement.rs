//! Statements of SQL that clients send to a source of any driver.

use std::time::Duration;

use source::Timeouts;
pub use source::raw_statement::RawStatementError;
use source_postgres::raw_statement::execute_raw;
use source_sqlite::raw_statement::RawConnection;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;

use crate::address::Address;

/// Executes statements, each on a connection of its own, so that none leaves a setting or a
/// transaction to the next.
#[derive(Debug)]
pub struct RawStatements {
    address: Address,
    /// The schema of tables that a statement names without one.
    schema: String,
    timeouts: Timeouts,
    slots: Semaphore,
}

/// The most statements, and so connections, at the same time.
const MOST: usize = 4;

impl RawStatements {
    #[must_use]
    pub fn new(address: &Address, schema: &str, timeouts: Timeouts) -> Self {
        let (address, schema) = (address.clone(), schema.to_owned());
        Self { address, schema, timeouts, slots: Semaphore::new(MOST) }
    }

    /// Whether statements ignore the role of a session: the database has roles, and the connection is
    /// that of its user.
    #[must_use]
    pub fn ignores_roles(&self) -> bool {
        matches!(self.address, Address::Postgres(_))
    }

    /// Executes a statement. The result is JSON: a list of its rows, or the number of changed rows.
    /// A statement that is not waited for any more is interrupted.
    pub async fn execute(
        &self,
        statement: &str,
        time_limit: Option<Duration>,
        most_bytes: u64,
    ) -> Result<String, RawStatementError> {
        // The semaphore is never closed.
        let _slot = self.slots.acquire().await;
        match &self.address {
            Address::Postgres(url) => {
                let place = (&**url, &*self.schema);
                execute_raw(place, self.timeouts, time_limit, statement, most_bytes).await
            }
            Address::Sqlite(path) => {
                let (path, busy, text) =
                    (path.clone(), self.timeouts.acquire, statement.to_owned());
                let (sender, opened) = oneshot::channel();
                let executed = spawn_blocking(move || {
                    let connection = RawConnection::open(&path, busy)?;
                    // Nobody may wait for it any more.
                    match sender.send(InterruptOnDrop(connection.interrupt())) {
                        Ok(()) => connection.execute(&text, most_bytes),
                        Err(_) => Err(RawStatementError::Unreachable("abandoned".into())),
                    }
                });
                let _interrupt = opened.await.ok();
                let failed = |error: &dyn std::fmt::Display| {
                    Err(RawStatementError::Unreachable(error.to_string()))
                };
                executed.await.unwrap_or_else(|error| failed(&error))
            }
            Address::Neo4j(_) => {
                Err(RawStatementError::Unreachable("a graph has no statements of SQL".into()))
            }
        }
    }
}

/// Interrupts a statement that is not waited for any more.
struct InterruptOnDrop(source_sqlite::raw_statement::InterruptHandle);

impl Drop for InterruptOnDrop {
    fn drop(&mut self) {
        self.0.interrupt();
    }
}
