//! Root fields that read.

use cypher::{Clause, Expression, Projection, ProjectionItem};
use ir::Rows;

use super::super::program::{GraphStatement, LevelRows};
use super::order::page_of;
use super::rows::{Items, call};
use super::statement::Statement;
use super::{Compiler, column};
use crate::relational::CompileError;

impl Compiler<'_> {
    /// The statement of a root field, if anything is asked.
    pub(super) fn read(
        &mut self,
        root: u32,
        rows: &Rows,
    ) -> Result<Option<GraphStatement>, CompileError> {
        let mut statement = Statement::default();
        let number = self.statements;
        let clauses = match self.summary(rows, None, &mut statement)? {
            None if !rows.shown => return Ok(None),
            None => {
                let place = LevelRows::Records { statement: number };
                let level = self.level(place, page_of(rows))?;
                let (mut clauses, items) = self.page_of_rows(rows, None, level, &mut statement)?;
                self.place_level(level, None, column(items.expressions.len())?);
                clauses.push(returned(items, &mut statement));
                clauses
            }
            Some(mut summary) if !rows.shown && summary.bodies.len() == 1 => {
                let place = LevelRows::InRecord { statement: number, column: 0 };
                self.place_level(summary.level, Some(place), summary.width);
                summary.bodies.pop().unwrap_or_default()
            }
            Some(summary) => {
                let mut clauses: Vec<Clause> =
                    summary.bodies.into_iter().map(|body| call(Vec::new(), body)).collect();
                let mut record = Items::default();
                let place =
                    LevelRows::InRecord { statement: number, column: record.push(summary.row)? };
                self.place_level(summary.level, Some(place), summary.width);
                if rows.shown {
                    let (level, name, body, width) = self.collected(rows, None, &mut statement)?;
                    clauses.push(call(Vec::new(), body));
                    let column = record.push(Expression::Variable(name))?;
                    let place = LevelRows::InRecord { statement: number, column };
                    self.place_level(level, Some(place), width);
                }
                clauses.push(returned(record, &mut statement));
                clauses
            }
        };
        self.finish(root, clauses, statement).map(Some)
    }
}

/// The RETURN of the columns of a record, which have short names.
pub(super) fn returned(items: Items, statement: &mut Statement) -> Clause {
    let mut expressions = items.expressions;
    if expressions.is_empty() {
        // A record has a column, whether or not it is read.
        expressions.push(Expression::Boolean(true));
    }
    let items = expressions.into_iter().map(|expression| match expression {
        Expression::Variable(_) => ProjectionItem { expression, name: None },
        _ => ProjectionItem::named(expression, statement.column()),
    });
    Clause::Return(Projection { items: items.collect(), ..Projection::default() })
}
