//! One measurement: a kind of changes for some seconds.

use std::fmt;
use std::thread;
use std::time::Duration;

use super::arrivals::latencies;
use super::changes::Writer;
use super::database::{Database, Statements};
use super::failure::LiveError;
use super::polling::{Polled, Poller};
use super::sockets::Sockets;
use crate::figure::number;
use crate::latency::Latency;
use crate::race::usage::{Processes, Usage, Watch};
use crate::statistics;

/// Everything that is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bench<'b> {
    pub(super) database: &'b Database,
    pub(super) writer: &'b Writer,
    pub(super) processes: Processes,
    pub(super) seconds: u32,
}

/// Changes of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Idle,
    /// So many a second, of a random row each.
    Rows(u32),
    /// Of rows that no subscription reads.
    Unread,
    /// One, of all rows.
    All,
}

#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub(super) kind: Kind,
    /// Changed rows.
    pub(super) changes: u64,
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
        let mut unread = 0;
        let changes = match kind {
            Kind::Idle => {
                thread::sleep(Duration::from_secs(self.seconds.into()));
                Vec::new()
            }
            Kind::Rows(rate) => self.writer.change_rows(rate, self.seconds)?,
            Kind::Unread => {
                unread = self.writer.change_unread(self.seconds)?;
                Vec::new()
            }
            Kind::All => self.writer.change_all()?,
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
            changes: changes.len() as u64 + unread,
            messages: arrivals.len() as u64,
            statements,
            latency: statistics::latency(latencies),
            usage,
        })
    }

    /// Measures a kind while rows are polled.
    pub(super) fn measure_polling(
        &self,
        kind: Kind,
        poller: &Poller,
    ) -> Result<PolledPhase, LiveError> {
        let watch = Watch::start(self.processes)?;
        poller.begin(self.seconds)?;
        if let Kind::Rows(rate) = kind {
            self.writer.change_rows(rate, self.seconds)?;
        }
        let polled = poller.finish()?;
        Ok(PolledPhase { kind, polled, usage: watch.finish()? })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => f.write_str("idle"),
            Self::Rows(1) => f.write_str("1 change/s"),
            Self::Rows(rate) => write!(f, "{} changes/s", number((*rate).into())),
            Self::Unread => f.write_str("20,000 changes/s of unread rows"),
            Self::All => f.write_str("one change of all rows"),
        }
    }
}
