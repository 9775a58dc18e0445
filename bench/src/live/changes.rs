//! A client that commits changes.

use std::time::{Duration, Instant};

use testkit::random::Random;
use tokio::runtime::{self, Runtime};
use tokio::time::sleep_until;
use tokio_postgres::{Client, NoTls, Statement};

use super::UNREAD;
use super::failure::LiveError;

/// A connection to the database, with a thread only while it is used.
#[derive(Debug)]
pub(super) struct Writer {
    runtime: Runtime,
    client: Client,
    row: Statement,
    unread: Statement,
    rows: u32,
}

/// A committed change of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) id: u32,
    /// Its new value.
    pub(super) balance: i64,
    /// The return of the commit.
    pub(super) committed: Instant,
}

impl Writer {
    pub(super) fn open(url: &str, rows: u32) -> Result<Self, LiveError> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (client, row, unread) = runtime.block_on(async {
            let client = connect(url).await?;
            // Replication reads the log as far as it is flushed, which PostgreSQL's default does
            // before a commit returns; the servers of the benchmark do so a while after it.
            client.batch_execute("SET synchronous_commit = on").await?;
            let row = "UPDATE account SET balance = balance + 1 WHERE id = $1 RETURNING balance";
            let row = client.prepare(row).await?;
            let unread = client.prepare("UPDATE unread SET value = value + 1").await?;
            Ok::<_, LiveError>((client, row, unread))
        })?;
        Ok(Self { runtime, client, row, unread, rows })
    }

    /// Changes one row after another, each in a transaction of its own, so many a second.
    pub(super) fn change_rows(&self, rate: u32, seconds: u32) -> Result<Vec<Change>, LiveError> {
        let mut random = Random::new(u64::from(rate));
        let mut changes = Vec::new();
        self.at_rate(rate, seconds, async || {
            let id = u32::try_from(random.below(self.rows as usize)).unwrap_or_default() + 1;
            let parameter = id.cast_signed();
            let row = self.client.query_one(&self.row, &[&parameter]).await?;
            let committed = Instant::now();
            let balance = i64::from(row.try_get::<_, i32>(0)?);
            changes.push(Change { id, balance, committed });
            Ok(())
        })?;
        Ok(changes)
    }

    /// Changes rows that no subscription reads. Returns their number.
    pub(super) fn change_unread(&self, seconds: u32) -> Result<u64, LiveError> {
        let (rate, rows) = UNREAD;
        let mut changed = 0;
        self.at_rate(rate / rows, seconds, async || {
            changed += self.client.execute(&self.unread, &[]).await?;
            Ok(())
        })?;
        Ok(changed)
    }

    /// Changes all rows in one transaction.
    pub(super) fn change_all(&self) -> Result<Vec<Change>, LiveError> {
        self.runtime.block_on(async {
            let change = "UPDATE account SET balance = balance + 1 RETURNING id, balance";
            let rows = self.client.query(change, &[]).await?;
            let committed = Instant::now();
            let change = |row: &tokio_postgres::Row| -> Result<Change, tokio_postgres::Error> {
                let (id, balance): (i32, i32) = (row.try_get(0)?, row.try_get(1)?);
                Ok(Change { id: id.cast_unsigned(), balance: balance.into(), committed })
            };
            Ok(rows.iter().map(change).collect::<Result<_, _>>()?)
        })
    }

    /// Runs work at fixed times; what is late follows at once.
    fn at_rate(
        &self,
        rate: u32,
        seconds: u32,
        mut work: impl AsyncFnMut() -> Result<(), LiveError>,
    ) -> Result<(), LiveError> {
        self.runtime.block_on(async {
            let started = tokio::time::Instant::now();
            for number in 0..rate * seconds {
                sleep_until(started + Duration::from_secs(1) * number / rate).await;
                work().await?;
            }
            sleep_until(started + Duration::from_secs(seconds.into())).await;
            Ok(())
        })
    }
}

/// Opens a connection that the runtime of the caller serves.
pub(super) async fn connect(url: &str) -> Result<Client, LiveError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
