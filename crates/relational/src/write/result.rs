//! Values that an earlier step of the same transaction gave.

use ir::Operand;
use response::ColumnRef;
use source::CompileError;

use super::super::compile::Compiler;
use super::super::level::ParameterSource;
use super::super::statement::Statement;

impl Compiler<'_> {
    /// Where the value of an operand comes from. One that an earlier step gave is there in the
    /// round after that step's.
    pub(in super::super) fn value_source(
        &self,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<ParameterSource, CompileError> {
        let Operand::Result { step, output } = operand else {
            return Ok(ParameterSource::Operand(operand.clone()));
        };
        let later = CompileError::not_built("a value of a later step");
        let level = *self.read.get(step).ok_or(later)?;
        let place = self.layout.outputs.get(output.0 as usize);
        let Some(ColumnRef::Column(column)) = place else {
            return Err(CompileError::not_built("this value of an earlier step"));
        };
        let round = self.levels.get(usize::from(level.0)).map_or(0, |level| level.round);
        statement.round = statement.round.max(round + 1);
        Ok(ParameterSource::Result { level, row: 0, column: *column })
    }
}
