//! Rows beyond a position in an order, given by the values of the order's terms there.
//!
//! With several terms a row is beyond the position if it is beyond in the first term, or equal in
//! it and beyond in the second, and so on. Each step says where nulls stand, so that no row is
//! skipped or repeated. The first term's bound is said once more by itself, since an index can
//! serve it; a disjunction hides it from the database.

use ir::{KeysetValue, Nulls, OrderKey, OrderTerm};
use source::CompileError;
use sql::{Comparison, Expression};

use super::aggregate::field_of;
use super::compile::Compiler;
use super::level::ParameterSource;
use super::row_set::{Scope, is_on_path};
use super::statement::Statement;
use super::value::{Against, ParameterKind, ValueKind};

/// On which side of the position the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    After,
    Before,
}

/// A term of the order at the position.
struct Position {
    column: Expression,
    nullable: bool,
    /// The value as a parameter; `None` is null.
    value: Option<Expression>,
    /// Whether larger values are beyond.
    up: bool,
    /// Whether it is a row, of which null differs from a row of nulls.
    is_row: bool,
    /// Whether null is beyond every value.
    nulls_beyond: bool,
    /// Whether comparing shows nothing but the outcome.
    is_harmless: bool,
}

impl Compiler<'_> {
    /// The condition that a row is beyond the position.
    pub(super) fn beyond(
        &self,
        order: &[OrderTerm],
        values: &[KeysetValue],
        side: Side,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let mut positions = Vec::with_capacity(order.len());
        for (term, value) in order.iter().zip(values) {
            positions.push(self.position(term, value, side, scope, statement)?);
        }
        let mut ways = Vec::with_capacity(positions.len());
        for (place, position) in positions.iter().enumerate() {
            let Some(beyond) = position.beyond() else { continue };
            let equal = positions[..place].iter().map(Position::equal);
            ways.push(Expression::all(equal.chain([beyond]).collect()));
        }
        let bound = match positions.first() {
            Some(first) if ways.len() > 1 => first.at_or_beyond(),
            Some(_) | None => None,
        };
        let beyond = match ways.len() {
            1 => ways.swap_remove(0),
            _ => Expression::Or(ways),
        };
        let is_first_harmless = positions.first().is_some_and(|first| first.is_harmless);
        let are_harmless = positions.iter().all(|position| position.is_harmless);
        Ok(match bound {
            Some(bound) if is_first_harmless && !are_harmless => {
                let beyond = self.guarded(beyond, scope, statement)?;
                Expression::And(vec![bound, beyond])
            }
            Some(bound) if are_harmless => Expression::And(vec![bound, beyond]),
            Some(bound) => {
                let beyond = Expression::And(vec![bound, beyond]);
                self.guarded(beyond, scope, statement)?
            }
            None if are_harmless => beyond,
            None => self.guarded(beyond, scope, statement)?,
        })
    }

    fn position(
        &self,
        term: &OrderTerm,
        value: &KeysetValue,
        side: Side,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Position, CompileError> {
        let is_harmless = self.is_harmless_order(&term.key, scope);
        let before = scope.set_within(scope.guards.first.is_some() && !is_harmless);
        let (field, kind, column, nullable) = match &term.key {
            OrderKey::Value(place) => {
                let (field, column) = self.place(place, scope, statement)?;
                let kind = ValueKind::of(self.catalog, field);
                let nullable = is_on_path(place) || self.catalog[field].nullable;
                (field, kind, self.comparable(kind, column), nullable)
            }
            OrderKey::Relation { path, hop, filter, aggregate } => {
                let term = aggregate.terms.first();
                // The number of rows is of no field: any field of theirs does.
                let field = term.and_then(|term| term.place.as_ref()).and_then(field_of);
                let field = field.or_else(|| self.hop_fields(*hop).1.first().copied());
                let (Some(term), Some(field)) = (term, field) else {
                    return Err(CompileError::not_built("a cursor in this order"));
                };
                let related = (*hop, filter, aggregate);
                let near = self.joined(scope, statement, path);
                let value = self.related_aggregate(related, true, (near, scope), statement)?;
                let kind = self.aggregate_kind(term.function, field);
                (field, kind, value, Self::is_nullable(aggregate))
            }
            OrderKey::Call(call) => {
                let (field, value) = self.computed_place(call, scope, statement)?;
                let kind = ValueKind::of(self.catalog, field);
                (field, kind, self.comparable(kind, value), true)
            }
            OrderKey::FunctionRows { call, filter, aggregate } => {
                let term = aggregate.terms.first();
                let field = term.and_then(|term| term.place.as_ref()).and_then(field_of);
                // The number of rows is of no field: any field of theirs does.
                let entity = self.rows_of_function(call.function)?;
                let field = field.or_else(|| self.catalog[entity].fields.first().copied());
                let (Some(term), Some(field)) = (term, field) else {
                    return Err(CompileError::not_built("a cursor in this order"));
                };
                let rows = (call, filter, aggregate);
                let value = self.function_aggregate(rows, true, scope, statement)?;
                let kind = self.aggregate_kind(term.function, field);
                (field, kind, value, Self::is_nullable(aggregate))
            }
        };
        scope.set_within(before);
        let value = match value {
            KeysetValue::Null => None,
            KeysetValue::Value(operand) => {
                let source = ParameterSource::Operand(operand.clone());
                let kind = ParameterKind::Value { against: Against::Field(field), kind };
                Some(Expression::Parameter(statement.parameter(source, kind)))
            }
        };
        let ascending = term.direction == ir::Direction::Ascending;
        let nulls_last = term.nulls == Nulls::Last;
        Ok(Position {
            column,
            nullable,
            value,
            is_row: kind == ValueKind::Composite,
            up: ascending == (side == Side::After),
            nulls_beyond: nulls_last == (side == Side::After),
            is_harmless,
        })
    }
}

impl Position {
    fn compare(&self, comparison: Comparison, value: &Expression) -> Expression {
        Expression::Compare {
            left: Box::new(self.column.clone()),
            comparison,
            right: Box::new(value.clone()),
        }
    }

    fn is_null(&self) -> Expression {
        match self.is_row {
            true => Expression::IsNullItself(Box::new(self.column.clone())),
            false => Expression::IsNull(Box::new(self.column.clone())),
        }
    }

    /// Whether a row has the same value; nulls are the same.
    fn equal(&self) -> Expression {
        match &self.value {
            Some(value) => self.compare(Comparison::Equal, value),
            None => self.is_null(),
        }
    }

    /// Whether a row's value is beyond; `None` if no value is.
    fn beyond(&self) -> Option<Expression> {
        match &self.value {
            Some(value) => {
                let comparison = if self.up { Comparison::Greater } else { Comparison::Less };
                Some(self.or_null(self.compare(comparison, value)))
            }
            // Of the nulls none is beyond another; every value is, where nulls come first.
            None if self.nulls_beyond || !self.nullable => None,
            None => Some(Expression::Not(Box::new(self.is_null()))),
        }
    }

    /// Whether a row's value is the same or beyond; `None` if all are.
    fn at_or_beyond(&self) -> Option<Expression> {
        match &self.value {
            Some(value) => {
                let comparison =
                    if self.up { Comparison::GreaterOrEqual } else { Comparison::LessOrEqual };
                Some(self.or_null(self.compare(comparison, value)))
            }
            None if self.nulls_beyond => Some(self.is_null()),
            None => None,
        }
    }

    fn or_null(&self, condition: Expression) -> Expression {
        if self.nullable && self.nulls_beyond {
            Expression::Or(vec![condition, self.is_null()])
        } else {
            condition
        }
    }
}
