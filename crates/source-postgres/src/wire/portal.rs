//! A statement whose rows are read in portions (a portal).

use std::sync::Arc;

use super::connection::Expected;
use super::error::WireError;
use super::pipeline::Pipeline;
use super::statement::{Parameter, Statement};

/// The only one: rows are read of one statement after the other.
const PORTAL: &str = "portions";

impl Pipeline<'_> {
    /// Adds the beginning of an execution whose rows come in portions; zero rows are all of them.
    /// To be called within a transaction, and after [`Pipeline::close_portal`] if it is not the
    /// first.
    pub fn open_portal<'p>(
        &mut self,
        statement: &Arc<Statement>,
        parameters: impl IntoIterator<Item = Parameter<'p>>,
        max_rows: u32,
    ) -> Result<(), WireError> {
        self.require_usable()?;
        let max_rows = i32::try_from(max_rows).unwrap_or(i32::MAX);
        let answer = Expected::Execute(statement.result(max_rows));
        self.connection.compose_in(PORTAL, statement, parameters, max_rows, answer)
    }

    /// Adds the next portion of the execution of a statement.
    pub fn fetch(&mut self, statement: &Statement, max_rows: u32) -> Result<(), WireError> {
        self.require_usable()?;
        let max_rows = i32::try_from(max_rows).unwrap_or(i32::MAX);
        self.connection.compose_fetch(PORTAL, statement, max_rows)
    }

    /// Adds the end of the execution, whether or not there are more rows.
    pub fn close_portal(&mut self) -> Result<(), WireError> {
        self.require_usable()?;
        self.connection.compose_close(PORTAL)
    }
}
