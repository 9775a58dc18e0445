//! Sorting and paging, before anything is computed of the rows.

use cypher::{Clause, Direction, Expression, Operation, OrderItem, Projection};
use ir::{Nulls, OrderKey, OrderTerm, Page, Rows, ValueRef};
use source::CompileError;

use super::super::program::LevelPage;
use super::parameter::integer;
use super::place::Scope;
use super::statement::Statement;
use super::{Compiler, refused};

impl Compiler<'_> {
    /// The clauses that sort rows and cut them to their page, if there are any. Results of author's
    /// statements are computed before: the server does not accept subqueries within an order.
    pub(super) fn sorted(
        &self,
        rows: &Rows,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Vec<Clause>, CompileError> {
        let mut projection = Projection::of(scope.own_variables());
        let mut given = Vec::new();
        for term in &rows.order {
            self.term(term, scope, statement, &mut given, &mut projection.order)?;
        }
        match &rows.page {
            Page::All => {}
            Page::Offset { limit, offset, look_ahead } => {
                projection.skip = offset.as_ref().map(|offset| integer(offset, statement));
                projection.limit = limit.as_ref().map(|limit| {
                    let limit = integer(limit, statement);
                    match look_ahead {
                        true => limit.compute(Operation::Add, Expression::Integer(1)),
                        false => limit,
                    }
                });
            }
            Page::Keyset(_) | Page::BesideRows(_) => {
                return Err(refused("a page after a row"));
            }
        }
        let mut clauses = Vec::new();
        match is_once(rows) {
            // An order of distinct rows may use only their values.
            true if !given.is_empty() => {
                let distinct = true;
                let each = Projection { distinct, ..Projection::of(scope.own_variables()) };
                clauses.push(Clause::With(each));
            }
            is_once => projection.distinct = is_once,
        }
        clauses.append(&mut given);
        let is_needed = projection.distinct
            || !projection.order.is_empty()
            || projection.skip.is_some()
            || projection.limit.is_some();
        if is_needed {
            clauses.push(Clause::With(projection));
        }
        Ok(clauses)
    }

    /// The server takes null for greater than every value; where nulls stand elsewhere, whether
    /// there is a value is sorted by first.
    fn term(
        &self,
        term: &OrderTerm,
        scope: &Scope<'_>,
        statement: &mut Statement,
        given: &mut Vec<Clause>,
        order: &mut Vec<OrderItem>,
    ) -> Result<(), CompileError> {
        let OrderKey::Value(place) = &term.key else {
            return Err(refused("this order"));
        };
        let expression = match place {
            ValueRef::Computed(call) => {
                let (clause, name) = self.given_value(call, scope, statement)?;
                given.push(clause);
                Expression::Variable(name)
            }
            _ => self.place(place, scope)?.1,
        };
        let (direction, nulls) = match term.direction {
            ir::Direction::Ascending => (Direction::Ascending, Nulls::Last),
            ir::Direction::Descending => (Direction::Descending, Nulls::First),
        };
        if term.nulls != nulls {
            let value = Box::new(expression.clone());
            let first = match term.nulls {
                Nulls::First => Expression::IsNotNull(value),
                Nulls::Last => Expression::IsNull(value),
            };
            order.push(OrderItem { expression: first, direction: Direction::Ascending });
        }
        order.push(OrderItem { expression, direction });
        Ok(())
    }
}

/// Whether nodes have to be deduplicated, since several relationships lead to them.
pub(super) fn is_once(rows: &Rows) -> bool {
    rows.once && matches!(rows.from, ir::From::Relation(_))
}

/// The requested page, for the reader of the rows.
pub(super) fn page_of(rows: &Rows) -> LevelPage {
    match &rows.page {
        Page::Offset { limit, offset, look_ahead } => {
            LevelPage { limit: limit.clone(), offset: offset.clone(), look_ahead: *look_ahead }
        }
        Page::All | Page::Keyset(_) | Page::BesideRows(_) => LevelPage::default(),
    }
}
