//! The rows above a write, as its statement finds them.

use catalog::{EntityId, FieldId};
use ir::Hop;
use response::LevelId;
use source::CompileError;
use sql::{Alias, Expression, FromItem, Select};

use super::super::super::compile::{Compiler, Strategy, width};
use super::super::super::level::{ParameterSource, Parents};
use super::super::super::statement::Statement;
use super::super::super::value::ParameterKind;

/// Rows that were written, for the writes that hang on them.
#[derive(Debug)]
pub(super) struct Outer {
    pub(super) entity: EntityId,
    pub(super) level: LevelId,
    /// The columns of the fields that are known of them.
    pub(super) keys: Vec<(FieldId, u16)>,
    pub(super) given: Given,
}

/// How many rows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// So many, in the order of an insert.
    Rows(u32),
    /// One at most.
    OneAtMost,
    Any,
}

/// The way from rows above to a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<'r> {
    pub(super) outer: &'r Outer,
    pub(super) hop: Hop,
    /// The rows above that it concerns; empty: all.
    pub(super) parents: &'r [u32],
}

/// Some of the rows above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Row(u32),
    /// Each of them: as rows of one statement, or by a statement for each.
    Each,
}

/// Values of the rows above within a statement.
pub(super) struct OuterRow {
    pub(super) values: Vec<Expression>,
    /// Where the values are columns.
    pub(super) item: Option<FromItem>,
    pub(super) how: Parents,
}

impl Link<'_> {
    /// Whether it concerns one row above at most.
    pub(super) fn is_of_one(&self) -> bool {
        match self.outer.given {
            Given::Rows(above) => above == 1 || self.parents.len() == 1,
            Given::OneAtMost => true,
            Given::Any => false,
        }
    }
}

impl Outer {
    /// The columns of fields.
    pub(super) fn columns(&self, fields: &[FieldId]) -> Result<Vec<u16>, CompileError> {
        let column = |field: &FieldId| {
            let found = self.keys.iter().find(|(own, _)| own == field);
            found.map(|(_, column)| *column)
        };
        let columns: Option<Vec<u16>> = fields.iter().map(column).collect();
        columns.ok_or(CompileError::not_built("this field of the rows of a change"))
    }
}

impl Compiler<'_> {
    /// Values of rows above.
    pub(super) fn outer_row(
        &self,
        outer: &Outer,
        fields: &[FieldId],
        which: Which,
        statement: &mut Statement,
    ) -> Result<OuterRow, CompileError> {
        let level = outer.level;
        let columns = outer.columns(fields)?;
        let round = self.levels.get(usize::from(level.0)).map_or(0, |level| level.round);
        statement.round = statement.round.max(round + 1);
        let all = fields.iter().zip(columns);
        if let (Which::Each, Strategy::Levels(types)) = (which, self.strategy) {
            if !fields.iter().all(|field| types.has_array(*field)) {
                return Err(CompileError::not_built("writes by keys without an array type"));
            }
            let parameters: Vec<_> = all
                .map(|(field, column)| {
                    let kind = ParameterKind::KeyArray { field: *field };
                    statement.parameter(ParameterSource::Rows { level, column }, kind)
                })
                .collect();
            let (alias, columns) = (statement.alias(), width(parameters.len())?);
            let values = (0..columns).map(|number| Expression::numbered(alias, number)).collect();
            let item = FromItem::Arrays { parameters, columns, alias };
            return Ok(OuterRow { values, item: Some(item), how: Parents::Top });
        }
        let values = all.map(|(field, column)| {
            let source = match which {
                Which::Row(row) => ParameterSource::Result { level, row, column },
                Which::Each => ParameterSource::Rows { level, column },
            };
            Expression::Parameter(
                statement.parameter(source, ParameterKind::Returned { field: *field }),
            )
        });
        let how = match which {
            Which::Row(_) => Parents::Top,
            Which::Each => Parents::Returned { write: level },
        };
        Ok(OuterRow { values: values.collect(), item: None, how })
    }

    /// The condition that fields have the values of rows above.
    pub(super) fn belongs(
        &self,
        outer: &Outer,
        (outer_fields, fields): (&[FieldId], &[FieldId]),
        (which, alias): (Which, Alias),
        statement: &mut Statement,
    ) -> Result<(Expression, Parents), CompileError> {
        let OuterRow { values, item, how } =
            self.outer_row(outer, outer_fields, which, statement)?;
        let equal = fields.iter().zip(values);
        let equal = equal.map(|(field, value)| self.field(alias, *field).equals(value));
        let equal = Expression::all(equal.collect());
        let condition = match item {
            None => equal,
            Some(item) => {
                let mut select = Select::from(item);
                select.and_where(equal);
                Expression::Exists(Box::new(select))
            }
        };
        Ok((condition, how))
    }
}

/// The statements for the rows above that a write concerns.
pub(super) fn whiches(parents: &[u32]) -> Vec<Which> {
    match parents.is_empty() {
        true => vec![Which::Each],
        false => parents.iter().map(|row| Which::Row(*row)).collect(),
    }
}
