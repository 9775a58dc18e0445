//! Messages that are sent together: one write, and all answers read behind each other.

use super::connection::{Connection, Expected, Open, State};
use super::error::WireError;
use super::message::Request;
use super::pack::Pack;
use super::records::Records;
use super::transaction::{Scope, Transaction};
use crate::program::Access;

/// All records, for PULL and DISCARD.
const ALL: i64 = -1;

/// Messages that are composed, and sent by [`Batch::exchange`], once or several times. A transaction
/// and the records of a statement may stay open from one to the next, and from one batch of a
/// connection to the next.
///
/// After a failure the server ignores the remaining messages; the transaction, if there was one, is
/// rolled back. If one of the futures is dropped after something was sent, the connection is not
/// clean any more.
#[derive(Debug)]
#[must_use = "nothing is sent before `exchange`"]
pub struct Batch<'c> {
    connection: &'c mut Connection,
    /// The state when all composed messages are done.
    open: Open,
}

impl<'c> Batch<'c> {
    pub(super) fn new(connection: &'c mut Connection) -> Batch<'c> {
        let open = connection.open;
        Batch { connection, open }
    }

    /// Begins a transaction.
    pub fn begin(&mut self, transaction: &Transaction<'_>) -> Result<(), WireError> {
        let Connection { out, database, .. } = self.require_usable()?;
        out.add(Request::Begin, 1, |pack| {
            transaction.write(database.as_deref(), pack);
            Ok::<_, WireError>(())
        })?;
        self.open.transaction = true;
        self.open.writes = transaction.access == Access::Write;
        self.expect(Expected::Begin);
        Ok(())
    }

    /// Runs a statement and pulls all of its records, which come at the next place in the results.
    /// `parameters` writes `count` entries of a map: a text and a value each. After an error of it
    /// the statement is left out, and the batch can still be used.
    pub fn run<E: From<WireError>>(
        &mut self,
        scope: Scope<'_>,
        text: &str,
        count: usize,
        parameters: impl FnOnce(&mut Pack) -> Result<(), E>,
    ) -> Result<(), E> {
        self.run_and_pull(scope, text, count, ALL, parameters)
    }

    /// Runs a statement and pulls the first records; [`Records::has_more`] is whether there are
    /// others, which [`Batch::pull`] gets.
    pub fn run_at_most<E: From<WireError>>(
        &mut self,
        scope: Scope<'_>,
        text: &str,
        count: usize,
        at_most: u32,
        parameters: impl FnOnce(&mut Pack) -> Result<(), E>,
    ) -> Result<(), E> {
        self.run_and_pull(scope, text, count, i64::from(at_most.max(1)), parameters)
    }

    /// Pulls more records of the last statement, at the next place in the results: all, or at most
    /// this number.
    pub fn pull(&mut self, at_most: Option<u32>) -> Result<(), WireError> {
        self.add_pull(at_most.map_or(ALL, |at_most| i64::from(at_most.max(1))))
    }

    /// Discards the remaining records of the last statement. Its summary comes at the next place in
    /// the results.
    pub fn discard(&mut self) -> Result<(), WireError> {
        self.require_usable()?.add(Request::Discard, 1, |pack| count_of_records(ALL, pack))?;
        let commits = self.commits();
        self.expect(Expected::Discard { commits });
        Ok(())
    }

    /// Ends the transaction that [`Batch::begin`] began.
    pub fn commit(&mut self) -> Result<(), WireError> {
        self.require_usable()?.add(Request::Commit, 0, |_| {})?;
        self.open.transaction = false;
        self.expect(Expected::Commit { writes: self.open.writes });
        Ok(())
    }

    /// Rolls the transaction back.
    pub fn rollback(&mut self) -> Result<(), WireError> {
        self.require_usable()?.add(Request::Rollback, 0, |_| {})?;
        self.open.transaction = false;
        self.expect(Expected::Rollback);
        Ok(())
    }

    /// Sends the messages composed since the last time, and reads the answers: one result for each
    /// run, pull and discard, in their order. The results are cleared and filled again; after an
    /// error there are none.
    pub async fn exchange(&mut self, results: &mut Vec<Records>) -> Result<(), WireError> {
        self.require_usable()?;
        // The rest of the state follows the server's answers.
        self.connection.open.writes = self.open.writes;
        self.connection.open.alone = self.open.alone;
        let exchanged = self.connection.exchange(results).await;
        self.open = self.connection.open;
        exchanged
    }

    /// Requests a routing table, which is read from the only result.
    pub(super) fn route(&mut self, write: impl FnOnce(&mut Pack)) -> Result<(), WireError> {
        self.require_usable()?.add(Request::Route, 3, write)?;
        self.expect(Expected::Route);
        Ok(())
    }

    fn run_and_pull<E: From<WireError>>(
        &mut self,
        scope: Scope<'_>,
        text: &str,
        count: usize,
        at_most: i64,
        parameters: impl FnOnce(&mut Pack) -> Result<(), E>,
    ) -> Result<(), E> {
        let Connection { out, database, .. } = self.require_usable()?;
        out.add(Request::Run, 3, |pack| {
            pack.text(text);
            pack.map(count);
            parameters(pack)?;
            match scope {
                Scope::InTransaction => pack.map(0),
                Scope::Alone(transaction) => transaction.write(database.as_deref(), pack),
            }
            Ok::<_, E>(())
        })?;
        match scope {
            Scope::InTransaction => self.open.alone = false,
            Scope::Alone(transaction) => {
                self.open.alone = true;
                self.open.writes = transaction.access == Access::Write;
            }
        }
        self.expect(Expected::Run);
        Ok(self.add_pull(at_most)?)
    }

    fn add_pull(&mut self, at_most: i64) -> Result<(), WireError> {
        self.require_usable()?.add(Request::Pull, 1, |pack| count_of_records(at_most, pack))?;
        let commits = self.commits();
        self.expect(Expected::Pull { commits });
        Ok(())
    }

    /// Whether the end of the records is that of a transaction which writes.
    fn commits(&self) -> bool {
        self.open.alone && self.open.writes
    }

    fn expect(&mut self, expected: Expected) {
        self.connection.expected.push_back(expected);
    }

    fn require_usable(&mut self) -> Result<&mut Connection, WireError> {
        match self.connection.state {
            State::Idle | State::Composing => {
                self.connection.state = State::Composing;
                Ok(&mut *self.connection)
            }
            State::Sent | State::Broken => {
                Err(WireError::Protocol("a connection was used after it failed".to_owned()))
            }
        }
    }
}

fn count_of_records(count: i64, pack: &mut Pack) {
    pack.map(1);
    pack.text("n");
    pack.integer(count);
}
