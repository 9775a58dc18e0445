//! A request's whole run: one read transaction, the statements, the writer.

use response::{Writer, Written};
use rusqlite::{CachedStatement, Connection};

use super::bind::Bound;
use super::cursor::SqliteCursor;
use crate::error::SourceError;
use crate::relational::{Level, Program};
use crate::source::ExecuteError;

/// Runs a program and writes its answer. All statements see one state of the file.
pub fn execute(
    connection: &Connection,
    program: &Program,
    bound: &Bound,
    writer: Writer<'_, SourceError>,
) -> Result<Written<SourceError>, ExecuteError> {
    let mut statements = Vec::with_capacity(program.levels.len());
    for level in &program.levels {
        statements.push(connection.prepare_cached(&level.text).map_err(SourceError::from)?);
    }
    let transaction = ReadTransaction::begin(connection)?;
    let written = run(program, bound, &mut statements, writer);
    // Statements hold the snapshot until they are reset.
    drop(statements);
    drop(transaction);
    written
}

fn run(
    program: &Program,
    bound: &Bound,
    statements: &mut [CachedStatement<'_>],
    writer: Writer<'_, SourceError>,
) -> Result<Written<SourceError>, ExecuteError> {
    let mut top = SqliteCursor::new(program, bound, statements);
    Ok(writer.write(&mut top)?)
}

/// A transaction that ends when it is dropped.
struct ReadTransaction<'c>(&'c Connection);

impl<'c> ReadTransaction<'c> {
    fn begin(connection: &'c Connection) -> Result<Self, SourceError> {
        connection.prepare_cached("BEGIN")?.execute([])?;
        Ok(Self(connection))
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        let ended = self.0.prepare_cached("COMMIT").and_then(|mut end| end.execute([]));
        if let Err(error) = ended {
            // An interrupt ends the transaction by itself.
            tracing::debug!(%error, "the read transaction had ended already");
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
