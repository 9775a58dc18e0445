//! A request's whole run: one read transaction, the statements, the writer.

use response::{Writer, Written};
use rusqlite::{CachedStatement, Connection};

use super::bind::Bound;
use super::cursor::SqliteCursor;
use crate::error::{SourceError, SourceErrorKind};
use crate::relational::{Level, Program};
use crate::source::ExecuteError;

/// Begins the snapshot without reading a row.
const LOOK: &str = include_str!("look.sql");

/// Runs a program and writes its answer. All statements see one state of the file.
pub fn execute(
    connection: &Connection,
    program: &Program,
    bound: &Bound,
    mut writer: Writer<'_, SourceError>,
) -> Result<Written<SourceError>, ExecuteError> {
    let transaction = ReadTransaction::begin(connection)?;
    let mut statements = Vec::with_capacity(program.levels.len());
    for level in &program.levels {
        statements.push(match connection.prepare_cached(&level.text) {
            Ok(statement) => Some(statement),
            // Its table is not what it was any more; other root fields can still be answered.
            Err(error) => {
                let error = SourceError::from(error);
                if error.kind != SourceErrorKind::Internal {
                    return Err(error.into());
                }
                writer.fail_root(level.root as usize, error);
                None
            }
        });
    }
    let written = run(program, bound, &mut statements, writer);
    // Statements hold the snapshot until they are reset.
    drop(statements);
    drop(transaction);
    written
}

fn run(
    program: &Program,
    bound: &Bound,
    statements: &mut [Option<CachedStatement<'_>>],
    writer: Writer<'_, SourceError>,
) -> Result<Written<SourceError>, ExecuteError> {
    let mut top = SqliteCursor::new(program, bound, statements);
    Ok(writer.write(&mut top)?)
}

/// Reads from the file, and no row.
pub fn look(connection: &Connection) -> Result<(), SourceError> {
    connection.prepare_cached(LOOK)?.query([])?.next()?;
    Ok(())
}

/// A transaction that ends when it is dropped.
struct ReadTransaction<'c>(&'c Connection);

impl<'c> ReadTransaction<'c> {
    /// Begins with a look into the file, so that a writer is waited for once, and not by each
    /// statement.
    fn begin(connection: &'c Connection) -> Result<Self, SourceError> {
        // Made first: a BEGIN that was interrupted may have begun.
        let transaction = Self(connection);
        connection.prepare_cached("BEGIN")?.execute([])?;
        look(connection)?;
        Ok(transaction)
    }

    fn end(&self, text: &str) {
        let ended = self.0.prepare_cached(text).and_then(|mut end| end.execute([]));
        if let Err(error) = ended {
            tracing::debug!(%error, "the read transaction did not end as usual");
        }
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        // An interrupt may end the transaction by itself, and may come after the end of another.
        for text in ["COMMIT", "ROLLBACK"] {
            if !self.0.is_autocommit() {
                self.end(text);
            }
        }
    }
}

/// SQLite's plan of a statement, one step a line.
pub fn explain(connection: &Connection, level: &Level) -> Result<String, SourceError> {
    let mut statement = connection.prepare(&sql::print_explain(&level.text))?;
    // The plan does not depend on the parameters: they stay unbound.
    let details = statement.raw_query().mapped(|row| row.get::<_, String>(3));
    Ok(details.collect::<Result<Vec<_>, _>>()?.join("\n"))
}
