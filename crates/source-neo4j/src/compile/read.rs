//! Root fields that read.

use cypher::{Clause, Expression, Projection, ProjectionItem};
use ir::Rows;
use source::CompileError;

use super::super::program::{GraphStatement, LevelRows};
use super::listed::{Both, Start};
use super::order::page_of;
use super::rows::{Items, call};
use super::statement::Statement;
use super::{Compiler, column};

impl Compiler<'_> {
    /// The statement of a root field, if it has any outputs.
    pub(super) fn read(
        &mut self,
        root: u32,
        rows: &Rows,
    ) -> Result<Option<GraphStatement>, CompileError> {
        let mut statement = Statement::default();
        let number = self.statements;
        let place = |column| Some(LevelRows::InRecord { statement: number, column });
        let start = Start::Root;
        let mut record = Items::default();
        let mut clauses;
        if let Some(Both { body, summary, lists }) = self.both(rows, start, &mut statement)? {
            clauses = body;
            if let Some(summary) = summary {
                let column = record.push(summary.row)?;
                self.place_level(summary.level, place(column), summary.width);
            }
            for list in lists {
                let column = record.push(Expression::Variable(list.name))?;
                self.place_level(list.level, place(column), list.width);
            }
        } else if let Some(summary) = self.summary(rows, start, &mut statement)? {
            if let ([_], false) = (summary.bodies.as_slice(), rows.shown) {
                self.place_level(summary.level, place(0), summary.width);
                clauses = summary.bodies.into_iter().flatten().collect();
                return self.finish(root, clauses, statement).map(Some);
            }
            let bodies = summary.bodies.into_iter();
            clauses = bodies.map(|body| call(Vec::new(), body)).collect();
            let column = record.push(summary.row)?;
            self.place_level(summary.level, place(column), summary.width);
            if rows.shown {
                let shown = self.collected(rows, start, &mut statement)?;
                clauses.push(call(Vec::new(), shown.body));
                let column = record.push(Expression::Variable(shown.name))?;
                self.place_level(shown.level, place(column), shown.width);
            }
        } else if rows.shown {
            let records = LevelRows::Records { statement: number };
            let level = self.level(records, page_of(rows))?;
            (clauses, record) = self.page_of_rows(rows, start, level, &mut statement)?;
            self.place_level(level, None, column(record.expressions.len())?);
        } else {
            return Ok(None);
        }
        clauses.push(returned(record, &mut statement));
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
