//! Reading the rows of a change: its nodes, and the server's counters.

use cypher::{Clause, Expression, Function, Projection, ProjectionItem, Variable};
use ir::{Counter, OutputKind, Rows, State, StepId};
use response::ColumnRef;
use source::CompileError;

use super::super::super::program::LevelRows;
use super::super::order::page_of;
use super::super::place::Scope;
use super::super::read::returned as record;
use super::super::rows::{Items, call, returning};
use super::super::statement::Statement;
use super::super::{Compiler, column, refused};
use super::Changed;

impl Compiler<'_> {
    /// Adds the clauses that read the rows of a change.
    pub(super) fn returned(
        &mut self,
        reads: &[&Rows],
        changed: Changed,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let number = self.statements;
        let (counted, shown): (Vec<&Rows>, Vec<&Rows>) =
            reads.iter().copied().partition(|rows| is_counted(rows));
        for rows in counted {
            self.counters(rows, number)?;
        }
        match (shown.as_slice(), changed) {
            ([], Changed::Each(_)) => {
                // A statement may not end with finding rows.
                if let Some(Clause::Match(_)) = clauses.last() {
                    let items =
                        vec![ProjectionItem::named(Expression::CountRows, statement.column())];
                    clauses.push(Clause::Return(Projection { items, ..Projection::default() }));
                }
            }
            ([], Changed::List(list)) => {
                let size = Expression::call(Function::Size, vec![Expression::Variable(list)]);
                clauses.push(returning(size, statement.column()));
            }
            ([rows], changed) => {
                let place = LevelRows::Records { statement: number };
                let level = self.level(place, page_of(rows))?;
                let node = match changed {
                    Changed::Each(node) => {
                        clauses.push(Clause::With(Projection::of([node])));
                        clauses.extend(self.kept(rows, node, statement)?);
                        node
                    }
                    Changed::List(list) => {
                        let node = statement.element();
                        let list = Expression::Variable(list);
                        clauses.push(Clause::Unwind { list, variable: node });
                        clauses.extend(self.kept(rows, node, statement)?);
                        node
                    }
                };
                let scope = self.scope_of(rows, node)?;
                let found = (std::mem::take(clauses), scope);
                let (all, items) = self.page_of_found(rows, found, level, statement)?;
                *clauses = all;
                self.place_level(level, None, column(items.expressions.len())?);
                clauses.push(record(items, statement));
            }
            (_, Changed::Each(_)) => return Err(refused("several lists of the same rows")),
            (several, Changed::List(list)) => {
                let mut all = Items::default();
                for rows in several {
                    self.listed(rows, list, (number, &mut all), clauses, statement)?;
                }
                clauses.push(record(all, statement));
            }
        }
        Ok(())
    }

    /// Adds one of several sets of rows of a change.
    pub(super) fn listed(
        &mut self,
        rows: &Rows,
        list: Variable,
        (number, all): (u16, &mut Items),
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let place = LevelRows::InRecord { statement: number, column: 0 };
        let level = self.level(place, page_of(rows))?;
        let node = statement.element();
        let unwind = Clause::Unwind { list: Expression::Variable(list), variable: node };
        let kept = self.kept(rows, node, statement)?;
        let found = ([unwind].into_iter().chain(kept).collect(), self.scope_of(rows, node)?);
        let (mut body, items) = self.page_of_found(rows, found, level, statement)?;
        let width = column(items.expressions.len())?;
        let name = statement.column();
        let row = Expression::List(items.expressions);
        body.push(returning(Expression::call(Function::Collect, vec![row]), name));
        clauses.push(call(vec![list], body));
        let column = all.push(Expression::Variable(name))?;
        self.place_level(level, Some(LevelRows::InRecord { statement: number, column }), width);
        Ok(())
    }

    /// The clauses that keep those of the rows of a change that are shown.
    fn kept(
        &self,
        rows: &Rows,
        node: Variable,
        statement: &mut Statement,
    ) -> Result<Vec<Clause>, CompileError> {
        let own = self.conditions(&rows.filter, &Scope::of(node, None), statement)?;
        let required = own.required([node]);
        let filter = Expression::condition(own.passes);
        let with = Clause::With(Projection { filter, ..Projection::of([node]) });
        let is_all = rows.filter.is_all();
        Ok((!is_all).then_some(with).into_iter().chain(required).collect())
    }

    fn scope_of<'r>(&self, rows: &'r Rows, node: Variable) -> Result<Scope<'r>, CompileError> {
        let ir::From::Returned { state: State::After, .. } = rows.from else {
            return Err(refused("rows as they were before a change"));
        };
        let is_made_of_all = |output: &ir::Output| {
            matches!(output.kind, OutputKind::Count | OutputKind::Aggregate(_))
        };
        if rows.outputs.iter().any(is_made_of_all) {
            return Err(refused("what is made of all rows of a change"));
        }
        Ok(Scope::of(node, None))
    }

    /// The level of the server's counters.
    pub(super) fn counters(&mut self, rows: &Rows, number: u16) -> Result<(), CompileError> {
        let level = self.level(LevelRows::Summary { statement: number }, page_of(rows))?;
        let mut counters: Vec<Counter> = Vec::new();
        for output in &rows.outputs {
            let OutputKind::Counter { counter, .. } = output.kind else {
                return Err(refused("something beside the counters of a change"));
            };
            let place = column(counters.len())?;
            counters.push(counter);
            self.place_output(output.id, ColumnRef::Column(place));
        }
        self.place_level(level, None, column(counters.len())?);
        if let Some(level) = self.levels.get_mut(usize::from(level.0)) {
            level.counters = counters.into();
        }
        self.place_rows(rows.id, level);
        Ok(())
    }
}

/// Whether rows are counters of a change.
pub(super) fn is_counted(rows: &Rows) -> bool {
    matches!(rows.from, ir::From::Once)
}

/// Whether rows are the counters of a step.
pub(super) fn counts_of(step: StepId, rows: &Rows) -> bool {
    let is_own = |output: &ir::Output| match output.kind {
        OutputKind::Counter { step: of, .. } => of == step,
        _ => false,
    };
    !rows.outputs.is_empty() && rows.outputs.iter().all(is_own)
}
