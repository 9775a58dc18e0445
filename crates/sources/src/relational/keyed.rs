//! Rows by lists of keys: each element of the lists finds one row or none.
//!
//! The lists are joined to the table as rows with their places, so that one statement finds all
//! rows, however many keys are given, and each row tells which of them found it.

use catalog::{EntityId, FieldId};
use ir::{Operand, Rows};
use sql::{Arrays, Expression, FromItem, Join, JoinKind, Select};

use super::compile::{CompileError, Compiler};
use super::level::{ParameterSource, Parents};
use super::parents::{LinkedScope, is_paged};
use super::source::Scope;
use super::statement::Statement;
use super::value::{ParameterKind, ValueKind};

impl Compiler<'_> {
    /// The rows that lists of keys find, without items, order and page.
    pub(super) fn keyed_scope(
        &self,
        rows: &Rows,
        entity: EntityId,
        keys: &[(FieldId, Operand)],
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        if is_paged(rows) || keys.is_empty() {
            return Err(CompileError::not_built("a page of rows by a list of keys"));
        }
        let parameters = match self.flavor.arrays {
            Arrays::Native => keys
                .iter()
                .map(|(field, operand)| {
                    let kind = ValueKind::of(self.catalog, *field);
                    let kind = ParameterKind::KeyList { field: *field, kind };
                    statement.parameter(ParameterSource::Operand(operand.clone()), kind)
                })
                .collect(),
            Arrays::Json => {
                let columns = keys.iter().map(|(_, operand)| operand.clone()).collect();
                let source = ParameterSource::Operand(Operand::List(columns));
                vec![statement.parameter(source, ParameterKind::KeyRows)]
            }
        };
        let columns = u16::try_from(keys.len()).map_err(|_| CompileError::TooManyLevels)?;
        let given = statement.alias();
        let item = FromItem::Keys { parameters, columns, alias: given };
        let alias = statement.alias();
        let on = keys.iter().zip(0_u16..).map(|((field, _), column)| {
            let kind = ValueKind::of(self.catalog, *field);
            let own = self.comparable(kind, self.field(alias, *field));
            own.equals(Expression::numbered(given, column))
        });
        let kind = JoinKind::Inner(Expression::all(on.collect()));
        let mut select = Select::from(item);
        select.joins.push(Join { kind, item: self.table(entity, alias) });
        let mut scope = Scope::new(select, alias);
        scope.ordinal = Some(Expression::numbered(given, columns));
        self.restrict(rows, &mut scope, statement)?;
        Ok(LinkedScope { scope, lateral: None, link: Vec::new(), how: Parents::Top })
    }
}
