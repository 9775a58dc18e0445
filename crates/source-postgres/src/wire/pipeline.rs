//! Rounds of statements: all of a round are sent with one write, and all answers read together.

use std::sync::{Arc, LazyLock};

use source::NameSet;

use super::connection::{Connection, Expected};
use super::error::WireError;
use super::round::RoundEnd;
use super::rows::Rows;
use super::statement::{Parameter, Statement};

/// The beginning of a pipeline's transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transaction {
    /// All statements see one snapshot, and none may write.
    Snapshot,
    /// A snapshot for functions that write.
    WritableSnapshot,
    ReadCommitted,
}

/// Statements that are sent together. In one pipeline there may be several rounds, all but the last
/// ended by [`Pipeline::flush_and_read`], inside of one transaction.
///
/// Without [`Pipeline::begin`] PostgreSQL runs the statements in one implicit READ COMMITTED
/// transaction. After an error the transaction is rolled back, and the connection can be used for
/// the next pipeline. If this value or one of its futures is dropped after something was sent, the
/// connection is not clean any more.
#[derive(Debug)]
#[must_use = "nothing is sent before `sync_and_read`"]
pub struct Pipeline<'c> {
    pub(super) connection: &'c mut Connection,
    is_usable: bool,
}

impl<'c> Pipeline<'c> {
    pub(super) fn new(connection: &'c mut Connection) -> Pipeline<'c> {
        let is_usable = connection.is_clean();
        Pipeline { connection, is_usable }
    }

    /// A pipeline that is only composed, whatever is under way; it is sent behind that.
    pub(super) fn behind(connection: &'c mut Connection) -> Pipeline<'c> {
        Pipeline { connection, is_usable: true }
    }

    /// A pipeline in the transaction that an earlier one began, and whose last round was flushed.
    pub(super) fn resumed(connection: &'c mut Connection) -> Pipeline<'c> {
        let is_usable = connection.has_outstanding();
        Pipeline { connection, is_usable }
    }

    /// Begins a transaction; to be called before all executions.
    pub fn begin(&mut self, transaction: Transaction) -> Result<(), WireError> {
        let statement = match transaction {
            Transaction::Snapshot => &*SNAPSHOT,
            Transaction::WritableSnapshot => &*WRITABLE_SNAPSHOT,
            Transaction::ReadCommitted => &*READ_COMMITTED,
        };
        self.compose(statement, [], 0, Expected::Control(statement.result(0)))
    }

    /// Ends the transaction that [`Pipeline::begin`] began.
    pub fn commit(&mut self) -> Result<(), WireError> {
        self.compose(&COMMIT, [], 0, Expected::Commit)
    }

    /// Rolls the transaction back.
    pub fn rollback(&mut self) -> Result<(), WireError> {
        self.compose(&ROLLBACK, [], 0, Expected::Control(ROLLBACK.result(0)))
    }

    /// Sets the savepoint of [`Pipeline::flush_or_roll_back`]; to be called before all executions.
    pub fn savepoint(&mut self) -> Result<(), WireError> {
        self.compose(&SAVEPOINT, [], 0, Expected::Control(SAVEPOINT.result(0)))
    }

    /// Sets settings until the end of the transaction; to be called before all executions. The
    /// connection remembers the names from now on: sent messages may have arrived, whatever the
    /// result.
    pub fn set<'p>(
        &mut self,
        statement: &Arc<Statement>,
        parameters: impl IntoIterator<Item = Parameter<'p>>,
        names: &NameSet,
    ) -> Result<(), WireError> {
        self.require_usable()?;
        if !names.is_subset(&self.connection.names) {
            self.connection.names = self.connection.names.union(names);
        }
        self.connection.compose(statement, parameters, 0, Expected::Settings)
    }

    /// Adds an execution, whose rows come at the next place in the round's results. After an error
    /// here the execution is left out, and the pipeline can still be used or dropped.
    pub fn execute<'p>(
        &mut self,
        statement: &Arc<Statement>,
        parameters: impl IntoIterator<Item = Parameter<'p>>,
    ) -> Result<(), WireError> {
        self.compose(statement, parameters, 0, Expected::Execute(statement.result(0)))
    }

    /// Executes a statement with the formats of the parameters; none means that all are texts.
    pub fn execute_in_formats<'p>(
        &mut self,
        statement: &Arc<Statement>,
        formats: &[i16],
        parameters: impl IntoIterator<Item = Parameter<'p>>,
    ) -> Result<(), WireError> {
        self.require_usable()?;
        let answer = Expected::Execute(statement.result(0));
        self.connection.compose_in_formats("", (statement, formats), parameters, 0, answer)
    }

    /// Prepares a statement without executing it. Returns its name in the session; `None` where
    /// statements have no names.
    pub fn prepare(&mut self, statement: &Arc<Statement>) -> Result<Option<Box<str>>, WireError> {
        self.require_usable()?;
        self.connection.compose_prepare(statement)
    }

    /// Adds an execution that stops after `max_rows` rows (at least one); [`Rows::has_more`] is
    /// whether it did. Reading on is not possible yet.
    pub fn execute_at_most<'p>(
        &mut self,
        statement: &Arc<Statement>,
        parameters: impl IntoIterator<Item = Parameter<'p>>,
        max_rows: u32,
    ) -> Result<(), WireError> {
        let max_rows = i32::try_from(max_rows.max(1)).unwrap_or(i32::MAX);
        let answer = Expected::Execute(statement.result(max_rows));
        self.compose(statement, parameters, max_rows, answer)
    }

    /// Sends the executions since the last round and reads their rows, one result for each; the
    /// transaction stays open. After an error it is rolled back, and the pipeline has ended.
    ///
    /// The results are cleared and filled again. A round's results should be another vector than
    /// those of an earlier round which are still needed.
    pub async fn flush_and_read(&mut self, results: &mut Vec<Rows>) -> Result<(), WireError> {
        self.require_usable()?;
        self.is_usable = false;
        self.connection.exchange(results, RoundEnd::Flush).await?;
        self.is_usable = true;
        Ok(())
    }

    /// The same after [`Pipeline::savepoint`]: after an error of a statement the transaction is rolled
    /// back to there, and stays open. It has ended if nothing is outstanding then.
    pub async fn flush_or_roll_back(&mut self, results: &mut Vec<Rows>) -> Result<(), WireError> {
        self.require_usable()?;
        self.is_usable = false;
        self.connection.exchange(results, RoundEnd::Savepoint).await?;
        self.is_usable = true;
        Ok(())
    }

    /// Sends the executions since the last round, ends the transaction if it is an implicit one,
    /// and reads the rows, one result for each execution.
    pub async fn sync_and_read(self, results: &mut Vec<Rows>) -> Result<(), WireError> {
        self.require_usable()?;
        self.connection.exchange(results, RoundEnd::Sync).await
    }

    fn compose<'p>(
        &mut self,
        statement: &Arc<Statement>,
        parameters: impl IntoIterator<Item = Parameter<'p>>,
        max_rows: i32,
        answer: Expected,
    ) -> Result<(), WireError> {
        self.require_usable()?;
        self.connection.compose(statement, parameters, max_rows, answer)
    }

    pub(super) fn require_usable(&self) -> Result<(), WireError> {
        if self.is_usable {
            return Ok(());
        }
        Err(WireError::Protocol("a pipeline was used after it failed".to_owned()))
    }
}

type Fixed = LazyLock<Arc<Statement>>;

static SNAPSHOT: Fixed = LazyLock::new(|| {
    Arc::new(Statement::new("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", []))
});
static WRITABLE_SNAPSHOT: Fixed = LazyLock::new(|| {
    Arc::new(Statement::new("BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE", []))
});
static READ_COMMITTED: Fixed = LazyLock::new(|| {
    // The session decides whether it may write: its user may be restricted to reading.
    Arc::new(Statement::new("BEGIN ISOLATION LEVEL READ COMMITTED", []))
});
static COMMIT: Fixed = LazyLock::new(|| Arc::new(Statement::new("COMMIT", [])));
static SAVEPOINT: Fixed = LazyLock::new(|| Arc::new(Statement::new("SAVEPOINT thalweg", [])));
pub(super) static ROLLBACK_TO_SAVEPOINT: Fixed =
    LazyLock::new(|| Arc::new(Statement::new("ROLLBACK TO SAVEPOINT thalweg", [])));
pub(super) static ROLLBACK: Fixed = LazyLock::new(|| Arc::new(Statement::new("ROLLBACK", [])));
pub(super) static SHOW_READ_ONLY: Fixed =
    LazyLock::new(|| Arc::new(Statement::new(SHOW_READ_ONLY_TEXT, [])));
pub(super) const SHOW_READ_ONLY_TEXT: &str = "SHOW transaction_read_only";
pub(super) static SHOW_ISOLATION: Fixed =
    LazyLock::new(|| Arc::new(Statement::new("SHOW default_transaction_isolation", [])));
