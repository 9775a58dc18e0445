//! What must be so, or else nothing is done.

use ir::{Otherwise, OtherwiseKind, Require, Rows};
use source::CompileError;
use sql::Expression;

use super::super::compile::Compiler;
use super::super::level::{LevelKind, Page, ParameterSource, Requirement, Test, Unit};
use super::super::parents::LinkedScope;
use super::super::statement::Statement;
use super::super::value::ParameterKind;
use super::returned::is_plain;

impl Compiler<'_> {
    pub(super) fn require(
        &mut self,
        require: &Require,
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        let Require { rows, filter, exists, otherwise } = require;
        let after = match rows.from {
            ir::From::Returned { step, .. } if is_plain(rows) && filter.is_all() => {
                match self.read.get(&step) {
                    Some(level) => *level,
                    None => self.returned(step)?.level,
                }
            }
            _ => self.looked_for(rows, filter)?,
        };
        unit.requirements.push(Requirement {
            after,
            test: if *exists { Test::RowThere } else { Test::NoRow },
            root: self.root,
            otherwise: otherwise.clone(),
            gaps: self.gaps(otherwise)?,
            when: self.when.as_slice().into(),
        });
        Ok(())
    }

    /// The values of the gaps of a message, which are known when its requirement is tested.
    pub(super) fn gaps(
        &self,
        otherwise: &Otherwise,
    ) -> Result<Box<[ParameterSource]>, CompileError> {
        let mut statement = Statement::default();
        let gaps = otherwise.gaps.iter().map(|gap| self.value_source(gap, &mut statement));
        gaps.collect()
    }

    /// A level with a row if one passes.
    fn looked_for(
        &mut self,
        rows: &Rows,
        filter: &ir::Filter,
    ) -> Result<response::LevelId, CompileError> {
        let mut statement = Statement::default();
        let LinkedScope { mut scope, how, .. } = self.top_scope(rows, &mut statement)?;
        if !filter.is_all() {
            let condition = self.filter(filter, &mut scope, &mut statement)?;
            scope.select.and_where(condition);
        }
        let one = ParameterSource::Operand(ir::Operand::Constant(ir::Value::Integer(1)));
        let one = statement.parameter(one, ParameterKind::Limit { look_ahead: false });
        scope.select.limit = Some(Expression::Parameter(one));
        let kind = LevelKind::Rows(Page::default());
        let level = self.push(rows, None, &scope.select, statement, kind, how)?;
        self.close(level)?;
        Ok(level)
    }
}

/// What is said where more rows would be changed than the request lets.
pub(super) fn too_many() -> Otherwise {
    Otherwise::new(OtherwiseKind::TooMany, "More rows would be changed than the request allows.")
}
