//! Rows to delete.

use catalog::EntityId;
use ir::{Filter, Operand, Step};
use source::CompileError;

use super::super::compile::Compiler;
use super::super::statement::Statement;
use super::returned::Wanted;

impl Compiler<'_> {
    pub(super) fn delete(
        &mut self,
        step: &Step,
        entity: EntityId,
        which: (&Filter, Option<&Operand>),
        wanted: &Wanted<'_>,
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let filter = self.which_rows(entity, alias, which, &mut statement)?;
        let made = self.changed_items(step.id, entity, alias, wanted, &mut statement)?;
        let text = sql::Delete {
            table: self.table_name(entity),
            alias,
            filter,
            returning: super::returning(&made.1),
        };
        self.push_change(step, entity, &sql::Statement::Delete(text), statement, made)
    }
}
