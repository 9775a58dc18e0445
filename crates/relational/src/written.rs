//! Queries of the schema's author: their rows by themselves, and those related to other rows.

use catalog::{FunctionId, Statement as Query, StatementPart};
use ir::{Call, Rows};
use source::CompileError;
use sql::{Alias, Expression, FromItem, WrittenPart};

use super::compile::Compiler;
use super::level::ParameterSource;
use super::statement::Statement;
use super::value::ParameterKind;

impl Compiler<'_> {
    /// True for a call that returns rows of a query, which agree with another row in some fields:
    /// they are joined as rows of a table are.
    pub(super) fn is_related(&self, call: &Call) -> bool {
        self.catalog[call.function].related.is_some()
    }

    /// Rows that have a place in FROM without another row: those of a table, and of a query.
    pub(super) fn rows_item(
        &self,
        rows: &Rows,
        alias: Alias,
        statement: &mut Statement,
    ) -> Result<FromItem, CompileError> {
        let ir::From::Function(call) = &rows.from else {
            return Ok(self.table(self.entity(rows)?, alias));
        };
        let function = &self.catalog[call.function];
        let of = function.related.as_ref().map_or(call.function, |related| related.of);
        let query = self.catalog[of].statement.as_ref();
        let query = query.ok_or(CompileError::not_built("related rows of a function"))?;
        self.written_item(query, call, of, alias, statement)
    }

    /// A query as an item of FROM; `of` is the function that has it.
    pub(super) fn written_item(
        &self,
        query: &Query,
        call: &Call,
        of: FunctionId,
        alias: Alias,
        statement: &mut Statement,
    ) -> Result<FromItem, CompileError> {
        // It may call functions.
        statement.calls = true;
        // A call of related rows has the same arguments, and the other row after them.
        let mut parts = Vec::with_capacity(query.parts.len());
        for part in &query.parts {
            parts.push(match part {
                StatementPart::Text(text) => WrittenPart::Text(text.clone()),
                StatementPart::Argument(place) => {
                    let mut given = call.arguments.iter();
                    let given = given.find(|(given, _)| given == place);
                    let (_, operand) =
                        given.ok_or(CompileError::not_built("a query without an argument"))?;
                    let source = ParameterSource::Operand(operand.clone());
                    let kind = ParameterKind::Argument { function: of, place: *place };
                    WrittenPart::Value(Expression::Parameter(statement.parameter(source, kind)))
                }
                StatementPart::Claims | StatementPart::Name(_) | StatementPart::Nothing(_) => {
                    return Err(CompileError::not_built("this part of a query"));
                }
            });
        }
        Ok(FromItem::Written { parts, alias })
    }
}
