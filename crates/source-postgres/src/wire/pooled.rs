//! Detection of a pooler in front of the server by the behaviour of a session.

use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::time::timeout;

use super::config::Config;
use super::connection::{Connection, Expected};
use super::error::{DatabaseError, WireError};
use super::round::RoundEnd;
use super::rows::Rows;
use super::startup::{FORMS_UNKNOWN_TO_POOLERS, in_time};
use super::statement::{Parameter, ResultSignature, Statement};

/// Timeout for a pooler to assign a server session, while connecting: with a free one it takes no
/// time, and without one it takes until another client ends its own.
const PATIENCE: Duration = Duration::from_secs(2);

/// `too_many_connections`.
const NO_SESSION: &str = "53300";

/// Process ids of Linux. A pooler draws its own from all numbers.
const PROCESSES: RangeInclusive<i32> = 1..=1 << 22;

const SESSION: &str = include_str!("session.sql");
const ADDRESS: &str = include_str!("server_address.sql");
static IS_NAMED_SO: LazyLock<Arc<Statement>> =
    LazyLock::new(|| Arc::new(Statement::new(include_str!("is_named.sql"), [])));

impl Connection {
    /// The process that serves the statement. Not the one of the session's start where a pooler
    /// answered that.
    pub(in super::super) async fn serving_process(&mut self) -> Result<i32, WireError> {
        process(&self.query(SESSION).await?)
    }

    /// The address and the port that the server sees; none for a socket of its own.
    pub(super) async fn server_address(
        &mut self,
    ) -> Result<(Option<IpAddr>, Option<u16>), WireError> {
        let shown = self.query(ADDRESS).await?;
        let text = |column| {
            let value = shown.value(0, column)?;
            std::str::from_utf8(value).ok()
        };
        let address = text(0).and_then(|address| address.parse().ok());
        Ok((address, text(1).and_then(|port| port.parse().ok())))
    }

    /// Whether a prepared statement has the same name on the server. False where a pooler renames
    /// it, which then is known on each server session. To be called on a connection without
    /// prepared statements.
    pub(in super::super) async fn names_reach_the_server(&mut self) -> Result<bool, WireError> {
        let name = super::prepared::first_name(&IS_NAMED_SO).to_string();
        let mut results = Vec::new();
        let mut pipeline = self.pipeline();
        pipeline.execute(&IS_NAMED_SO, [Parameter::Text(name.as_bytes())])?;
        pipeline.sync_and_read(&mut results).await?;
        Ok(results.first().and_then(|rows| rows.value(0, 0)) == Some(b"t"))
    }

    /// Detects whether a pooler answered when the session was started: each new connection does,
    /// since one may have been put in front of the server meanwhile. Makes the pooler assign a
    /// server session now, so that a full pooler is known before a request waits for it; and
    /// refuses sessions in which values do not have the forms that they are read in.
    pub(super) async fn detect_pooler(&mut self, config: &Config) -> Result<(), WireError> {
        let is_likely = self.is_behind_pooler() || !PROCESSES.contains(&self.process_id());
        let session = match self.assign_server(config, is_likely).await {
            Err(WireError::Timeout) if is_likely => {
                return Err(no_session(config.sessions.count()));
            }
            session => session?,
        };
        if process(&session)? == self.process_id() {
            return Ok(());
        }
        require_forms(&session)?;
        self.notice_pooler();
        Ok(())
    }

    /// Waits for a server session; not for long where there are others to go on with meanwhile.
    async fn assign_server(
        &mut self,
        config: &Config,
        is_pooler_likely: bool,
    ) -> Result<Rows, WireError> {
        let mut answer = pin!(self.query(SESSION));
        if is_pooler_likely {
            let in_time = timeout(PATIENCE, &mut answer).await;
            if in_time.is_ok() || config.sessions.count() > 0 {
                return in_time.unwrap_or(Err(WireError::Timeout));
            }
        }
        // Shorter than the timeout of connecting, whose error is less precise.
        let patience = config.connect_timeout().map(|limit| limit * 3 / 5);
        in_time(patience, answer).await
    }

    /// Without a name: it is unknown whether names are supported.
    async fn query(&mut self, text: &str) -> Result<Rows, WireError> {
        // Drops messages that were composed and never sent.
        drop(self.pipeline());
        self.compose_unnamed(text, None)?;
        let result = ResultSignature::default();
        self.expected.extend([Expected::ParseUnnamed, Expected::Bind, Expected::Execute(result)]);
        let mut results = Vec::new();
        self.exchange(&mut results, RoundEnd::Sync).await?;
        Ok(results.pop().unwrap_or_default())
    }
}

fn process(session: &Rows) -> Result<i32, WireError> {
    let process = session.value(0, 0).and_then(|value| std::str::from_utf8(value).ok());
    process
        .and_then(|process| process.parse().ok())
        .ok_or_else(|| WireError::OutOfSync("a process without a number".to_owned()))
}

fn require_forms(session: &Rows) -> Result<(), WireError> {
    for (column, (name, wanted)) in (1..).zip(FORMS_UNKNOWN_TO_POOLERS) {
        let found = session.value(0, column).unwrap_or_default();
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

fn no_session(others: usize) -> WireError {
    let message = match others {
        0 => "the pooler gives no session: other clients have all of its pool; make it larger \
              (PgBouncer: default_pool_size)"
            .to_owned(),
        others => format!(
            "the pooler gives no session beside the {others} that are in use: set --connections to \
             {others} or less, or make its pool larger (PgBouncer: default_pool_size)"
        ),
    };
    let code = NO_SESSION.to_owned();
    let error = DatabaseError { code, message, ..DatabaseError::default() };
    WireError::Database { error: Box::new(error), execution: None }
}
