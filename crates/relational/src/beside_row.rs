//! Pages that begin after a row, or end before one, which is given by its key.
//!
//! The row is joined by its key, and the values of the order's terms are compared with its own.
//! Without such a row there are no rows beside it.

use catalog::FieldId;
use ir::{Comparison, Filter, Nulls, Operand, Rows, ValueRef};
use source::CompileError;
use sql::{Expression, FromItem, Join, JoinKind, Select, SelectItem};

use super::compile::Compiler;
use super::keyset::Side;
use super::row_set::Scope;
use super::statement::Statement;

/// A term of the order, of a row and of the one beside which it is.
struct Term {
    own: Expression,
    others: Expression,
    nullable: bool,
    ascending: bool,
    nulls_last: bool,
}

impl Compiler<'_> {
    /// Keeps the rows on one side of the one with this key.
    pub(super) fn beside_row(
        &self,
        rows: &Rows,
        (key, side): (&[(FieldId, Operand)], Side),
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let entity = self.entity(rows)?;
        let fields: Vec<FieldId> = key.iter().map(|(field, _)| *field).collect();
        if !self.catalog[entity].is_unique(&fields) {
            return Err(CompileError::not_built("a page beside one of several rows"));
        }
        let alias = statement.alias();
        let mut other = Scope::new(Select::once(), alias);
        let equal = key.iter().map(|(field, operand)| Filter::Compare {
            place: ValueRef::field(*field),
            comparison: Comparison::Equal,
            operand: operand.clone(),
        });
        let is_it = Filter::and(equal.collect());
        // A row that may not be seen shows nothing, not even what is beside it.
        let is_it = match rows.filter.first() {
            Some(first) => Filter::barrier(first.clone(), is_it),
            None => is_it,
        };
        other.guards.first = rows.filter.first().cloned();
        let mut item = self.table(entity, alias);
        let is_it = match self.catalog.is_distributed() {
            false => self.filter(&is_it, &mut other, statement)?,
            true => {
                // The database finds the row first, and sends it to all servers.
                let inner = statement.alias();
                let mut one = Scope::new(Select::from(self.table(entity, inner)), inner);
                one.guards.first = rows.filter.first().cloned();
                let is_it = self.filter(&is_it, &mut one, statement)?;
                one.select.and_where(is_it);
                let row = Expression::Row(inner);
                one.select.items = vec![SelectItem { expression: row, name: None }];
                item = FromItem::Subquery { select: Box::new(one.select), alias };
                statement.sent.push(alias);
                Expression::Boolean(true)
            }
        };
        let mut terms = Vec::with_capacity(rows.order.len());
        let mut is_harmless = true;
        for term in &rows.order {
            is_harmless &= self.is_harmless_order(&term.key, scope);
            let own = self.order_item(term, scope, statement)?;
            terms.push(Term {
                nullable: own.nulls.is_some(),
                own: own.expression,
                others: self.order_item(term, &mut other, statement)?.expression,
                // Before a row is after it in the order read from its end.
                ascending: (term.direction == ir::Direction::Ascending) == (side == Side::After),
                nulls_last: (term.nulls == Nulls::Last) == (side == Side::After),
            });
        }
        let after = match is_harmless {
            true => after(&terms),
            false => self.guarded(after(&terms), scope, statement)?,
        };
        let kind = JoinKind::Inner(Expression::Boolean(true));
        scope.select.joins.push(Join { kind, item });
        scope.select.joins.append(&mut other.select.joins);
        scope.select.and_where(is_it);
        scope.select.and_where(after);
        Ok(())
    }
}

/// Whether a row comes after the other one.
fn after(terms: &[Term]) -> Expression {
    let mut ways = Vec::with_capacity(terms.len());
    for (place, term) in terms.iter().enumerate() {
        let equal = terms[..place].iter().map(Term::is_equal);
        ways.push(Expression::all(equal.chain([term.is_beyond()]).collect()));
    }
    let bound = match terms {
        // An index can serve it; a disjunction hides it from the database.
        [first, _, ..] if !first.nullable => Some(first.is_at_or_beyond()),
        _ => None,
    };
    let ways = match ways.len() {
        1 => ways.swap_remove(0),
        _ => Expression::Or(ways),
    };
    match bound {
        Some(bound) => Expression::And(vec![bound, ways]),
        None => ways,
    }
}

impl Term {
    fn compare(&self, comparison: sql::Comparison) -> Expression {
        let (left, right) = (Box::new(self.own.clone()), Box::new(self.others.clone()));
        Expression::Compare { left, comparison, right }
    }

    fn is_equal(&self) -> Expression {
        self.compare(match self.nullable {
            true => sql::Comparison::NotDistinctFrom,
            false => sql::Comparison::Equal,
        })
    }

    fn is_beyond(&self) -> Expression {
        let beyond = self.compare(match self.ascending {
            true => sql::Comparison::Greater,
            false => sql::Comparison::Less,
        });
        if !self.nullable {
            return beyond;
        }
        let is_null = |value: &Expression| Expression::IsNull(Box::new(value.clone()));
        let (null, value) = match self.nulls_last {
            true => (&self.own, &self.others),
            false => (&self.others, &self.own),
        };
        let is_value = Expression::Not(Box::new(is_null(value)));
        Expression::Or(vec![beyond, Expression::And(vec![is_null(null), is_value])])
    }

    fn is_at_or_beyond(&self) -> Expression {
        self.compare(match self.ascending {
            true => sql::Comparison::GreaterOrEqual,
            false => sql::Comparison::LessOrEqual,
        })
    }
}
