//! Values that an earlier step of the same transaction gave.

use std::sync::Arc;

use ir::{KeyPlace, NewKeyPlace, ObjectKeys, ObjectSet, Operand, StepId};
use response::{ColumnRef, LevelId};
use source::CompileError;

use super::super::compile::Compiler;
use super::super::level::ParameterSource;
use super::super::object_list::{NewKey, ObjectList, ObjectPlace, ObjectSource};
use super::super::statement::Statement;

/// A set of objects with the levels of its steps.
#[derive(Debug)]
pub(in super::super) struct ObjectTable {
    set: Arc<ObjectSet>,
    table: Arc<[ObjectSource]>,
    only_if: Option<LevelId>,
    /// The first round in which all of them have been read.
    round: u16,
}

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
        let mut last = self.object_table.borrow_mut();
        let known = last.take().filter(|known| Arc::ptr_eq(&known.set, &keys.set));
        let known = match known {
            Some(known) => known,
            None => self.object_table(&keys.set)?,
        };
        statement.round = statement.round.max(known.round);
        let list = ObjectList {
            table: Arc::clone(&known.table),
            only_if: known.only_if,
            which: keys.which,
            each: keys.each.clone(),
        };
        *last = Some(known);
        Ok(ParameterSource::Objects(Arc::new(list)))
    }

    fn object_table(&self, set: &Arc<ObjectSet>) -> Result<ObjectTable, CompileError> {
        let mut round = 0;
        let mut level_of = |step: &StepId| {
            let later = CompileError::not_built("a key of a later step");
            let level = *self.read.get(step).ok_or(later)?;
            let of = self.levels.get(usize::from(level.0));
            round = round.max(of.map_or(0, |level| level.round) + 1);
            Ok::<_, CompileError>(level)
        };
        let mut table = Vec::with_capacity(set.objects.len());
        for object in &set.objects {
            let new = match object.new {
                None => None,
                Some(NewKeyPlace { step, place, count }) => {
                    Some(NewKey { level: level_of(&step)?, place, count })
                }
            };
            let mut place = |place: &KeyPlace| {
                Ok::<_, CompileError>(ObjectPlace {
                    level: level_of(&place.step)?,
                    place: place.place,
                })
            };
            table.push(ObjectSource {
                found: object.found.iter().map(&mut place).collect::<Result<_, _>>()?,
                new,
                identity: object.identity.clone(),
                further: object.further.clone(),
                description: object.description.clone(),
                has_key: object.has_key,
                held: object.held.clone(),
                is_outermost: object.is_outermost,
                unless: object.unless.iter().map(&mut place).collect::<Result<_, _>>()?,
                missing: object.missing.clone(),
                existing: object.existing.clone(),
            });
        }
        let only_if = set.only_if.as_ref().map(level_of).transpose()?;
        Ok(ObjectTable { set: Arc::clone(set), table: table.into(), only_if, round })
    }
}
