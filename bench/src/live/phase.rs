//! One measurement: a kind of changes for some seconds.

use std::thread;
use std::time::Duration;

use super::arrivals::latencies;
use super::changes::Writer;
use super::database::{Database, Statements};
use super::failure::LiveError;
use super::load::Kind;
use super::polling::{Polled, Poller};
use super::sockets::Sockets;
use crate::latency::Latency;
use crate::race::usage::{Processes, Usage, Watch};
use crate::statistics;

/// Everything that is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bench<'b> {
    pub(super) database: &'b Database,
    pub(super) writer: &'b Writer,
    pub(super) processes: Processes,
    pub(super) sockets: u32,
    pub(super) seconds: u32,
}

/// Memory of the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// Subscriptions.
    pub(super) number: u32,
    /// Bytes without any of them.
    pub(super) before: u64,
    pub(super) resident: u64,
    /// From the first of these sockets to the first message of the last one.
    pub(super) seconds: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub(super) kind: Kind,
    /// Committed transactions, and the rows that these changed.
    pub(super) transactions: u64,
    pub(super) rows: u64,
    /// Messages that arrived.
    pub(super) messages: u64,
    pub(super) statements: Statements,
    pub(super) latency: Latency,
    pub(super) usage: Usage,
}

/// A measurement of polling.
#[derive(Clone, Debug)]
pub(super) struct PolledPhase {
    pub(super) kind: Kind,
    /// Committed transactions.
    pub(super) transactions: u64,
    pub(super) polled: Polled,
    pub(super) usage: Usage,
}

impl Bench<'_> {
    pub(super) fn measure(
        &self,
        kind: Kind,
        subscribers: Option<&Sockets>,
    ) -> Result<Phase, LiveError> {
        eprintln!("live: {kind}{}", if subscribers.is_none() { ", without a server" } else { "" });
        if let Some(subscribers) = subscribers {
            // Those of other measurements.
            drop(subscribers.take());
        }
        self.database.reset_statements()?;
        let watch = Watch::start(self.processes)?;
        let (changes, transactions, unread) = match kind {
            Kind::Idle => {
                thread::sleep(Duration::from_secs(self.seconds.into()));
                (Vec::new(), 0, 0)
            }
            Kind::Changes(load) => {
                let (changes, transactions) =
                    self.writer.change_rows(load, self.sockets, self.seconds)?;
                (changes, transactions, 0)
            }
            Kind::Unread => {
                let (rows, transactions) = self.writer.change_unread(self.seconds)?;
                (Vec::new(), transactions, rows)
            }
            Kind::All => (self.writer.change_all(self.sockets)?, 1, 0),
        };
        if let Some(subscribers) = subscribers {
            subscribers.wait_for(&changes)?;
        }
        let usage = watch.finish()?;
        let statements = self.database.statements()?;
        let arrivals = subscribers.map(Sockets::take).unwrap_or_default();
        let latencies = latencies(&changes, &arrivals);
        Ok(Phase {
            kind,
            transactions,
            rows: changes.len() as u64 + unread,
            messages: arrivals.len() as u64,
            statements,
            latency: statistics::latency(latencies),
            usage,
        })
    }

    /// Measures a load while rows are polled; that of unread rows and of all is not measured here.
    pub(super) fn measure_polling(
        &self,
        kind: Kind,
        poller: &Poller,
    ) -> Result<PolledPhase, LiveError> {
        let watch = Watch::start(self.processes)?;
        poller.begin(self.seconds)?;
        let transactions = match kind {
            Kind::Changes(load) => self.writer.change_rows(load, self.sockets, self.seconds)?.1,
            Kind::Idle | Kind::Unread | Kind::All => 0,
        };
        let polled = poller.finish()?;
        Ok(PolledPhase { kind, transactions, polled, usage: watch.finish()? })
    }
}
