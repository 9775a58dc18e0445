//! Functions that are called for what they do.

use catalog::FunctionResult;
use ir::{Call, Step};
use source::CompileError;
use sql::{Expression, Select, SelectItem};

use super::super::compile::Compiler;
use super::super::function::Row;
use super::super::row_set::Scope;
use super::super::statement::Statement;
use super::returned::Wanted;

impl Compiler<'_> {
    /// A call is one statement, so that the function runs once, whatever is read of its result.
    pub(super) fn call(
        &mut self,
        step: &Step,
        call: &Call,
        wanted: &Wanted<'_>,
    ) -> Result<(), CompileError> {
        if call.of_row.is_some() {
            return Err(CompileError::not_built("a function of no row"));
        }
        let name = format!("{}()", self.catalog.function_name(call.function));
        let mut statement = Statement::default();
        let entity = match &self.catalog[call.function].result {
            FunctionResult::Nothing => {
                let call = self.plain_call(call, &mut statement)?;
                let mut select = Select::once();
                select.items = vec![SelectItem { expression: Expression::Call(call), name: None }];
                self.push_write(name, &select.into(), statement)?;
                return Ok(());
            }
            FunctionResult::Value(field) | FunctionResult::Values(field) => {
                self.catalog[*field].entity
            }
            FunctionResult::Row(entity)
            | FunctionResult::Rows(entity)
            | FunctionResult::RowArray(entity) => *entity,
        };
        let alias = statement.alias();
        let item = self.function_item(call, Row::default(), alias, &mut statement)?;
        let mut scope = Scope::new(Select::from(item), alias);
        let of = (entity, true);
        let (returned, items) =
            self.returned_items(step.id, of, wanted, &mut scope, &mut statement)?;
        scope.select.items = super::returning(&items);
        let level = self.push_write(name, &scope.select.into(), statement)?;
        self.keep_returned(step.id, level, returned, items);
        Ok(())
    }
}
