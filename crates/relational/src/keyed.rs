//! Rows by lists of keys: each element of the lists finds one row or none.
//!
//! The lists are joined to the table as rows with their places, so that one statement finds all
//! rows, however many keys are given, and each row tells which of them found it. What is told beside
//! the keys stands in further columns of these rows.

use catalog::{EntityId, FieldId};
use ir::{ExternalArgument, Operand, Rows};
use source::CompileError;
use sql::{Expression, FromItem, Join, JoinKind, KeyArrays, Select};

use super::compile::Compiler;
use super::level::{Parameter, ParameterSource, Parents};
use super::parents::{LinkedScope, is_paged};
use super::row_set::Scope;
use super::statement::Statement;
use super::value::{ParameterKind, ValueKind};

impl Compiler<'_> {
    /// The rows that lists of keys find, without items, order and page.
    pub(super) fn keyed_scope(
        &self,
        rows: &Rows,
        entity: EntityId,
        (keys, external): (&[(FieldId, Operand)], &[ExternalArgument]),
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        if is_paged(rows) || keys.is_empty() {
            return Err(CompileError::not_built("a page of rows by a list of keys"));
        }
        let parameters = match self.flavor.key_arrays {
            KeyArrays::Unnest => {
                let keys = keys.iter().map(|(field, operand)| {
                    let kind = ValueKind::of(self.catalog, *field);
                    (operand, ParameterKind::KeyList { field: *field, kind })
                });
                let external =
                    external.iter().map(|ExternalArgument { function, place, values }| {
                        (values, ParameterKind::ArgumentList { function: *function, place: *place })
                    });
                let all = keys.chain(external).map(|(operand, kind)| {
                    statement.parameter(ParameterSource::Operand(operand.clone()), kind)
                });
                all.collect()
            }
            KeyArrays::JsonEach | KeyArrays::JsonTable { .. } if !external.is_empty() => {
                return Err(CompileError::not_built("arguments of functions by a list of keys"));
            }
            // Lists of the request's own values: each is encoded as its field stores it.
            KeyArrays::JsonEach | KeyArrays::JsonTable { .. }
                if keys.iter().all(|(_, operand)| matches!(operand, Operand::List(_))) =>
            {
                let columns = keys.iter().map(|(field, operand)| Parameter {
                    source: ParameterSource::Operand(operand.clone()),
                    kind: ParameterKind::StoredArray {
                        field: *field,
                        kind: ValueKind::of(self.catalog, *field),
                    },
                });
                let source = ParameterSource::Columns(columns.collect());
                vec![statement.parameter(source, ParameterKind::KeyRows)]
            }
            KeyArrays::JsonEach | KeyArrays::JsonTable { .. } => {
                let columns = keys.iter().map(|(_, operand)| operand.clone()).collect();
                let source = ParameterSource::Operand(Operand::List(columns));
                vec![statement.parameter(source, ParameterKind::KeyRows)]
            }
        };
        let count = |items: usize| u16::try_from(items).map_err(|_| CompileError::TooManyLevels);
        let (first, columns) = (count(keys.len())?, count(keys.len() + external.len())?);
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
        scope.external =
            (first..columns).map(|column| Expression::numbered(given, column)).collect();
        self.restrict(rows, &mut scope, statement)?;
        Ok(LinkedScope {
            scope,
            lateral: None,
            link: Vec::new(),
            how: Parents::Top,
            numbered: false,
        })
    }
}
