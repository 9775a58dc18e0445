//! The database: a row for each subscriber, and rows that none reads.

use std::path::Path;

use testkit::postgres::{self, Server};

use super::UNREAD;
use super::failure::LiveError;
use crate::race::place::first_process;

const DATABASE: &str = "live";
/// Counts of statements.
const SETTINGS: [&str; 3] =
    ["shared_preload_libraries=pg_stat_statements", "shared_buffers=256MB", "max_wal_size=4GB"];

/// The lock is that of `crates/source-postgres/src/changes/relay/lead.sql`.
const LEADER: &str = "
    SELECT act.application_name FROM pg_locks AS lck JOIN pg_stat_activity AS act USING (pid)
    WHERE lck.locktype = 'advisory' AND lck.classid::int8 = 1953265511 AND lck.objid::int8 = 1
      AND lck.granted AND act.datname = current_database()";

/// A private PostgreSQL with the tables.
#[derive(Debug)]
pub(super) struct Database(Server);

/// Statements since the last reset, without those of the benchmark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Statements {
    /// Statements that read rows of subscriptions.
    pub(super) executions: u64,
    pub(super) others: u64,
}

impl Database {
    pub(super) fn start(rows: u32) -> Result<Self, LiveError> {
        let installations = postgres::installations();
        let installation = installations.first().ok_or(LiveError::NoPostgres)?;
        let server = Server::start_with(installation, &SETTINGS)?;
        server.create_database(DATABASE)?;
        let (_, unread) = UNREAD;
        let tables = format!(
            "CREATE TABLE account (id int PRIMARY KEY, name text NOT NULL, balance int NOT NULL);
             CREATE TABLE unread (id int PRIMARY KEY, value int NOT NULL);
             INSERT INTO account SELECT id, 'Account ' || id, 0 FROM generate_series(1, {rows}) AS id;
             INSERT INTO unread SELECT id, 0 FROM generate_series(1, {unread}) AS id;
             CREATE SCHEMA statistics;
             CREATE EXTENSION pg_stat_statements SCHEMA statistics;"
        );
        server.execute(DATABASE, &tables)?;
        server.execute(DATABASE, "VACUUM ANALYZE")?;
        Ok(Self(server))
    }

    pub(super) fn url(&self) -> String {
        self.0.url(DATABASE)
    }

    pub(super) fn socket_url(&self) -> String {
        self.0.socket_url(DATABASE)
    }

    /// The address by which sessions have a name.
    pub(super) fn named_url(&self, name: &str) -> String {
        let url = self.socket_url();
        let separator = if url.contains('?') { '&' } else { '?' };
        format!("{url}{separator}application_name={name}")
    }

    /// The name of the session that leads: it has the lock of the servers that share a stream.
    pub(super) fn leader(&self) -> Result<Option<String>, LiveError> {
        let rows = self.0.query(DATABASE, LEADER)?;
        Ok(rows.into_iter().flatten().next().flatten())
    }

    pub(super) fn process(&self) -> Option<u32> {
        first_process(&self.0)
    }

    /// True if an output plugin of logical decoding is installed at the server.
    pub(super) fn has_output_plugin(&self, name: &str) -> Result<bool, LiveError> {
        let folders =
            self.0.query(DATABASE, "SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR'")?;
        let folder = folders.into_iter().flatten().flatten().next();
        Ok(folder.is_some_and(|folder| Path::new(&folder).join(format!("{name}.so")).exists()))
    }

    pub(super) fn reset_statements(&self) -> Result<(), LiveError> {
        Ok(self.0.execute(DATABASE, "SELECT statistics.pg_stat_statements_reset()")?)
    }

    pub(super) fn statements(&self) -> Result<Statements, LiveError> {
        let sum = "SELECT coalesce(sum(calls) FILTER (WHERE reads), 0)::bigint, \
                          coalesce(sum(calls) FILTER (WHERE NOT reads), 0)::bigint \
                   FROM (SELECT calls, query LIKE '%account%' AS reads \
                         FROM statistics.pg_stat_statements \
                         WHERE query NOT LIKE 'UPDATE %' AND query NOT LIKE '%pg_stat_statements%') \
                         AS counted";
        let numbers = self.numbers(sum)?;
        match numbers[..] {
            [executions, others] => {
                Ok(Statements { executions: number(executions)?, others: number(others)? })
            }
            _ => Err(LiveError::NoNumber(format!("{numbers:?}"))),
        }
    }

    /// The balances of all rows, by their ids.
    pub(super) fn balances(&self) -> Result<Vec<i64>, LiveError> {
        self.numbers("SELECT balance FROM account ORDER BY id")
    }

    fn numbers(&self, sql: &str) -> Result<Vec<i64>, LiveError> {
        let rows = self.0.query(DATABASE, sql)?;
        let values = rows.into_iter().flatten().map(Option::unwrap_or_default);
        values.map(|text| text.parse().map_err(|_| LiveError::NoNumber(text))).collect()
    }
}

fn number(count: i64) -> Result<u64, LiveError> {
    u64::try_from(count).map_err(|_| LiveError::NoNumber(count.to_string()))
}
