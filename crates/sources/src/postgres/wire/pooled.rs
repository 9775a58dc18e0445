//! What a session shows of a pooler between here and the server.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::connection::{Connection, Expected};
use super::error::{DatabaseError, WireError};
use super::round::RoundEnd;
use super::rows::Rows;
use super::startup::{FORMS_UNKNOWN_TO_POOLERS, in_time};
use super::statement::{Parameter, Statement};

/// How long a pooler may take to give a server session, while connecting: with one that is free it
/// takes no time, and without one it takes until somebody else ends theirs.
const PATIENCE: Duration = Duration::from_secs(2);

/// `too_many_connections`.
const NO_SESSION: &str = "53300";

const PROCESS: &str = include_str!("process.sql");
const FORMS: &str = include_str!("forms.sql");
static IS_NAMED_SO: LazyLock<Arc<Statement>> =
    LazyLock::new(|| Arc::new(Statement::new(include_str!("is_named.sql"), [])));

impl Connection {
    /// The process that serves the statement. Not the one of the session's start where a pooler
    /// answered that.
    pub(in super::super) async fn serving_process(&mut self) -> Result<i32, WireError> {
        let rows = self.ask(PROCESS).await?;
        let process = rows.value(0, 0).and_then(|value| std::str::from_utf8(value).ok());
        process
            .and_then(|process| process.parse().ok())
            .ok_or_else(|| WireError::OutOfSync("a process without a number".to_owned()))
    }

    /// Whether a prepared statement has the name on the server that it was given here. False where a
    /// pooler gives it another, which then is known on each server session. Belongs on a connection
    /// that has prepared nothing.
    pub(in super::super) async fn names_reach_the_server(&mut self) -> Result<bool, WireError> {
        let name = super::prepared::first_name(&IS_NAMED_SO).to_string();
        let mut results = Vec::new();
        let mut pipeline = self.pipeline();
        pipeline.execute(&IS_NAMED_SO, [Parameter::Text(name.as_bytes())])?;
        pipeline.sync_and_read(&mut results).await?;
        Ok(results.first().and_then(|rows| rows.value(0, 0)) == Some(b"t"))
    }

    /// Refuses a session in which values do not have the forms that they are read in.
    pub(in super::super) async fn require_forms(&mut self) -> Result<(), WireError> {
        let rows = self.ask(FORMS).await?;
        for (column, (name, wanted)) in FORMS_UNKNOWN_TO_POOLERS.into_iter().enumerate() {
            let found = rows.value(0, column).unwrap_or_default();
            // A larger one shows no more digits.
            let is_right = found == wanted.as_bytes()
                || (name == "extra_float_digits" && matches!(found, [b'1'..=b'3']));
            if !is_right {
                let found = String::from_utf8_lossy(found);
                let message = format!(
                    "the pooler does not hand {name} on, and the database has it as \"{found}\": \
                     set it to {wanted} by ALTER DATABASE or ALTER ROLE"
                );
                return Err(WireError::Configuration(message));
            }
        }
        Ok(())
    }

    /// Has the pooler give a server session now, so that one which has none is known to be full
    /// before a request waits for it.
    pub(super) async fn require_server(&mut self, others: usize) -> Result<(), WireError> {
        match in_time(Some(PATIENCE), self.serving_process()).await {
            Ok(_) => Ok(()),
            Err(WireError::Timeout) => {
                let message = format!(
                    "the pooler gives no session beside the {others} that are in use: set \
                     --connections to {others} or less, or make its pool larger (PgBouncer: \
                     default_pool_size)"
                );
                let code = NO_SESSION.to_owned();
                let error = DatabaseError { code, message, ..DatabaseError::default() };
                Err(WireError::Database { error: Box::new(error), execution: None })
            }
            Err(error) => Err(error),
        }
    }

    /// Without a name: whether names are of use is not known yet.
    async fn ask(&mut self, text: &str) -> Result<Rows, WireError> {
        // What was composed and never sent is forgotten.
        drop(self.pipeline());
        self.compose_unnamed(text, None)?;
        self.expected.extend([Expected::ParseUnnamed, Expected::Bind, Expected::Execute]);
        let mut results = Vec::new();
        self.exchange(&mut results, RoundEnd::Sync).await?;
        Ok(results.pop().unwrap_or_default())
    }
}
