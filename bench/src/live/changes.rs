//! A client that commits changes.

use std::time::{Duration, Instant};

use testkit::random::Random;
use tokio::runtime::{self, Runtime};
use tokio::time::sleep_until;
use tokio_postgres::{Client, NoTls, Statement};

use super::UNREAD;
use super::failure::LiveError;
use super::load::Load;

/// A connection to the database, with a thread only while it is used.
#[derive(Debug)]
pub(super) struct Writer {
    runtime: Runtime,
    client: Client,
    rows: Statement,
    unread: Statement,
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
    pub(super) fn open(url: &str) -> Result<Self, LiveError> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (client, rows, unread) = runtime.block_on(async {
            let client = connect(url).await?;
            // Replication reads the log as far as it is flushed, which PostgreSQL's default does
            // before a commit returns; the servers of the benchmark do so a while after it.
            client.batch_execute("SET synchronous_commit = on").await?;
            let rows = "UPDATE account SET balance = balance + 1 WHERE id BETWEEN $1 AND $2 \
                        RETURNING id, balance";
            let rows = client.prepare(rows).await?;
            let unread = client.prepare("UPDATE unread SET value = value + 1").await?;
            Ok::<_, LiveError>((client, rows, unread))
        })?;
        Ok(Self { runtime, client, rows, unread })
    }

    /// Commits transactions at a rate, each of which changes the rows of so many subscribers as the
    /// load names, chosen at random among the first `sockets` rows. Returns the changes, and the
    /// number of transactions.
    pub(super) fn change_rows(
        &self,
        load: Load,
        sockets: u32,
        seconds: u32,
    ) -> Result<(Vec<Change>, u64), LiveError> {
        let mut random = Random::new(u64::from(load.rate));
        let each = load.concerned.of(sockets);
        let groups = (sockets / each) as usize;
        let (mut changes, mut transactions) = (Vec::new(), 0);
        self.at_rate(load.rate, seconds, async || {
            let group = u32::try_from(random.below(groups)).unwrap_or_default();
            self.change(group * each + 1, (group + 1) * each, &mut changes).await?;
            transactions += 1;
            Ok(())
        })?;
        Ok((changes, transactions))
    }

    async fn change(
        &self,
        first: u32,
        last: u32,
        changes: &mut Vec<Change>,
    ) -> Result<(), LiveError> {
        let (first, last) = (first.cast_signed(), last.cast_signed());
        let rows = self.client.query(&self.rows, &[&first, &last]).await?;
        let committed = Instant::now();
        for row in rows {
            let (id, balance): (i32, i32) = (row.try_get(0)?, row.try_get(1)?);
            changes.push(Change { id: id.cast_unsigned(), balance: balance.into(), committed });
        }
        Ok(())
    }

    /// Changes rows that no subscription reads. Returns their number, and that of transactions.
    pub(super) fn change_unread(&self, seconds: u32) -> Result<(u64, u64), LiveError> {
        let (rate, rows) = UNREAD;
        let (mut changed, mut transactions) = (0, 0);
        self.at_rate(rate / rows, seconds, async || {
            changed += self.client.execute(&self.unread, &[]).await?;
            transactions += 1;
            Ok(())
        })?;
        Ok((changed, transactions))
    }

    /// Changes the rows of all subscribers in one transaction.
    pub(super) fn change_all(&self, sockets: u32) -> Result<Vec<Change>, LiveError> {
        let mut changes = Vec::new();
        self.runtime.block_on(self.change(1, sockets, &mut changes))?;
        Ok(changes)
    }

    /// Runs work at fixed times; what is late follows at once, but not after the last second.
    fn at_rate(
        &self,
        rate: u32,
        seconds: u32,
        mut work: impl AsyncFnMut() -> Result<(), LiveError>,
    ) -> Result<(), LiveError> {
        self.runtime.block_on(async {
            let started = tokio::time::Instant::now();
            let end = started + Duration::from_secs(seconds.into());
            for number in 0..rate * seconds {
                sleep_until(started + Duration::from_secs(1) * number / rate).await;
                if tokio::time::Instant::now() >= end {
                    break;
                }
                work().await?;
            }
            sleep_until(end).await;
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
