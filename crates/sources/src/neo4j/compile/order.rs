//! Sorting and paging, before anything is made of the rows.

use cypher::{Clause, Direction, Expression, Operation, OrderItem, Projection};
use ir::{Nulls, OrderKey, OrderTerm, Page, Rows};

use super::super::program::LevelPage;
use super::parameter::integer;
use super::place::Scope;
use super::statement::Statement;
use super::{Compiler, refused};
use crate::relational::CompileError;

impl Compiler<'_> {
    /// The clause that sorts rows and cuts them to their page, if one has to.
    pub(super) fn sorted(
        &self,
        rows: &Rows,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Option<Clause>, CompileError> {
        let mut projection = Projection::of(scope.own_variables());
        for term in &rows.order {
            self.term(term, scope, &mut projection.order)?;
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
            Page::Keyset(_) | Page::AfterRow { .. } => {
                return Err(refused("a page after a row"));
            }
        }
        projection.distinct = is_once(rows);
        let is_needed = projection.distinct
            || !projection.order.is_empty()
            || projection.skip.is_some()
            || projection.limit.is_some();
        Ok(is_needed.then_some(Clause::With(projection)))
    }

    /// The server takes null for greater than every value; where nulls stand elsewhere, whether
    /// there is a value is sorted by first.
    fn term(
        &self,
        term: &OrderTerm,
        scope: &Scope<'_>,
        order: &mut Vec<OrderItem>,
    ) -> Result<(), CompileError> {
        let OrderKey::Place(place) = &term.key else {
            return Err(refused("this order"));
        };
        let (_, expression) = self.place(place, scope)?;
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

/// Whether a node that several relationships lead to has to be kept from coming several times.
pub(super) fn is_once(rows: &Rows) -> bool {
    rows.once && matches!(rows.from, ir::From::Relation(_))
}

/// The page that was asked for, for whoever reads the rows.
pub(super) fn page_of(rows: &Rows) -> LevelPage {
    match &rows.page {
        Page::Offset { limit, offset, look_ahead } => {
            LevelPage { limit: limit.clone(), offset: offset.clone(), look_ahead: *look_ahead }
        }
        Page::All | Page::Keyset(_) | Page::AfterRow { .. } => LevelPage::default(),
    }
}
