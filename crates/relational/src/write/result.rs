//! Values that an earlier step of the same transaction gave.

use std::sync::Arc;

use ir::{KeyPlace, ObjectKeys, Operand};
use response::ColumnRef;
use source::CompileError;

use super::super::compile::Compiler;
use super::super::level::ParameterSource;
use super::super::object_list::{ObjectList, ObjectPlace, ObjectSource};
use super::super::statement::Statement;

impl Compiler<'_> {
    /// Where the value of an operand comes from. One that an earlier step gave is there in the
    /// round after that step's.
    pub(in super::super) fn value_source(
        &self,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<ParameterSource, CompileError> {
        let (step, output, is_list) = match operand {
            Operand::Result { step, output } => (step, output, false),
            Operand::Results { step, output } => (step, output, true),
            Operand::Objects(keys) => return self.object_list(keys, statement),
            _ => return Ok(ParameterSource::Operand(operand.clone())),
        };
        let later = CompileError::not_built("a value of a later step");
        let level = *self.read.get(step).ok_or(later)?;
        let place = self.layout.outputs.get(output.0 as usize);
        let Some(ColumnRef::Column(column)) = place else {
            return Err(CompileError::not_built("this value of an earlier step"));
        };
        let round = self.levels.get(usize::from(level.0)).map_or(0, |level| level.round);
        statement.round = statement.round.max(round + 1);
        Ok(match is_list {
            true => ParameterSource::Results { level, column: *column },
            false => ParameterSource::Result { level, row: 0, column: *column },
        })
    }

    /// Keys of objects, which are there in the round after those of their look-ups.
    fn object_list(
        &self,
        keys: &ObjectKeys,
        statement: &mut Statement,
    ) -> Result<ParameterSource, CompileError> {
        let mut place = |place: &KeyPlace| {
            let later = CompileError::not_built("a key of a later step");
            let level = *self.read.get(&place.step).ok_or(later)?;
            let of = self.levels.get(usize::from(level.0));
            let round = of.map_or(0, |level| level.round);
            statement.round = statement.round.max(round + 1);
            Ok::<_, CompileError>(ObjectPlace { level, place: place.place })
        };
        let mut each = Vec::with_capacity(keys.each.len());
        for key in &keys.each {
            let Some(key) = key else {
                each.push(None);
                continue;
            };
            each.push(Some(ObjectSource {
                found: key.found.iter().map(&mut place).collect::<Result<_, _>>()?,
                new: key.new.as_ref().map(&mut place).transpose()?,
                unless: key.unless.iter().map(&mut place).collect::<Result<_, _>>()?,
                missing: key.missing.clone(),
                existing: key.existing.clone(),
            }));
        }
        Ok(ParameterSource::Objects(Arc::new(ObjectList { which: keys.which, each })))
    }
}
