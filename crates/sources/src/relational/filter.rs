//! Conditions: the request's filters as SQL expressions.

use catalog::FieldId;
use ir::{Comparison, Filter, Operand, Place, TextMatch, TimeUnit};
use sql::{Expression, SqlType};

use super::compile::{CompileError, Compiler};
use super::level::ParameterSource;
use super::source::Scope;
use super::statement::Statement;
use super::value::{ParameterKind, ValueKind};

impl Compiler<'_> {
    pub(super) fn filter(
        &self,
        filter: &Filter,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        Ok(match filter {
            Filter::And(filters) => {
                connected(self.filters(filters, scope, statement)?, Expression::all)
            }
            Filter::Or(filters) => {
                connected(self.filters(filters, scope, statement)?, Expression::Or)
            }
            Filter::Not(filter) => {
                Expression::Not(Box::new(self.filter(filter, scope, statement)?))
            }
            Filter::Except(filter) => {
                Expression::IsNotTrue(Box::new(self.filter(filter, scope, statement)?))
            }
            Filter::IsNull(place) => {
                let (_, column) = self.place(place, scope, statement)?;
                Expression::IsNull(Box::new(column))
            }
            Filter::Compare {
                place: Place::Aggregated { function, place },
                comparison,
                operand,
            } => {
                let compared = (*comparison, operand);
                self.compare_aggregate(*function, place, compared, scope, statement)?
            }
            Filter::Compare { place, comparison, operand } => {
                let (field, column) = self.place(place, scope, statement)?;
                self.compare(field, column, *comparison, operand, statement)?
            }
            Filter::Text { place, r#match: TextMatch::Like, ignore_case: false, operand } => {
                let (field, column) = self.place(place, scope, statement)?;
                let source = ParameterSource::Operand(operand.clone());
                let pattern = statement.parameter(source, ParameterKind::Pattern { field });
                let column = match (ValueKind::of(self.catalog, field), self.flavor.typed_text) {
                    (ValueKind::Text, _) => column,
                    // As PostgreSQL prints them.
                    (ValueKind::Uuid, false) => Expression::Lower(Box::new(column)),
                    (kind @ ValueKind::Timestamp, false) => self.comparable(kind, column),
                    (_, true | false) => {
                        Expression::Cast { expression: Box::new(column), r#type: SqlType::Text }
                    }
                };
                Expression::Like { expression: Box::new(column), pattern }
            }
            Filter::Text { .. } => return Err(CompileError::not_built("this text filter")),
            Filter::Relation { .. } => return Err(CompileError::not_built("a relation filter")),
            Filter::AggregateCompare { .. } => {
                return Err(CompileError::not_built("a filter by an aggregate"));
            }
            Filter::Geo { .. } => return Err(CompileError::not_built("a geographic filter")),
        })
    }

    fn filters(
        &self,
        filters: &[Filter],
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Vec<Expression>, CompileError> {
        filters.iter().map(|filter| self.filter(filter, scope, statement)).collect()
    }

    fn compare(
        &self,
        field: FieldId,
        column: Expression,
        comparison: Comparison,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let kind = ValueKind::of(self.catalog, field);
        self.compared((field, kind), column, comparison, operand, statement)
    }

    /// The same for a value of another kind than the field's.
    pub(super) fn compared(
        &self,
        (field, kind): (FieldId, ValueKind),
        column: Expression,
        comparison: Comparison,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let source = ParameterSource::Operand(operand.clone());
        let column = self.comparable(kind, column);
        let comparison = match comparison {
            Comparison::In | Comparison::NotIn => {
                let list = statement.parameter(source, ParameterKind::List { field, kind });
                let within = Expression::InList { expression: Box::new(column), list };
                return Ok(match comparison {
                    Comparison::NotIn => Expression::Not(Box::new(within)),
                    _ => within,
                });
            }
            Comparison::Equal => sql::Comparison::Equal,
            Comparison::NotEqual => sql::Comparison::NotEqual,
            Comparison::DistinctFrom => sql::Comparison::DistinctFrom,
            Comparison::NotDistinctFrom => sql::Comparison::NotDistinctFrom,
            Comparison::Less => sql::Comparison::Less,
            Comparison::LessOrEqual => sql::Comparison::LessOrEqual,
            Comparison::Greater => sql::Comparison::Greater,
            Comparison::GreaterOrEqual => sql::Comparison::GreaterOrEqual,
            Comparison::Contains
            | Comparison::ContainedBy
            | Comparison::Overlaps
            | Comparison::HasKey
            | Comparison::HasAnyKey
            | Comparison::HasAllKeys => {
                return Err(CompileError::not_built("this comparison"));
            }
        };
        let parameter = statement.parameter(source, ParameterKind::Value { field, kind });
        Ok(Expression::Compare {
            left: Box::new(column),
            comparison,
            right: Box::new(Expression::Parameter(parameter)),
        })
    }

    /// The column as this database can compare values of its kind.
    pub(super) fn comparable(&self, kind: ValueKind, column: Expression) -> Expression {
        match (self.flavor.typed_text, kind) {
            (false, ValueKind::Timestamp) => Expression::CanonicalTimestamp(Box::new(column)),
            (false, ValueKind::Uuid) => Expression::IgnoreCase(Box::new(column)),
            (true | false, _) => column,
        }
    }

    pub(super) fn place(
        &self,
        place: &Place,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(FieldId, Expression), CompileError> {
        match place {
            Place::Field { path, field } => {
                Ok((*field, self.column(scope, statement, path, *field)))
            }
            Place::Edge(_) => Err(CompileError::not_built("a relationship's own property")),
            Place::Truncated { place, unit } => {
                let (field, column) = self.place(place, scope, statement)?;
                let moment = Box::new(self.comparable(ValueKind::of(self.catalog, field), column));
                let unit = match unit {
                    TimeUnit::Hour => sql::TimeUnit::Hour,
                    TimeUnit::Day => sql::TimeUnit::Day,
                };
                Ok((field, Expression::Truncated { unit, moment }))
            }
            Place::Aggregated { .. } => Err(CompileError::not_built("an aggregate of no group")),
            Place::Computed(_) => Err(CompileError::not_built("a computed field")),
            Place::Common(_) => Err(CompileError::not_built("a field of several entities")),
        }
    }
}

/// How many conditions are connected at once.
const CONNECTED: usize = 64;

/// Conditions connected in groups: `a OR b OR c …` is as deep as it is long to SQLite, which
/// takes a thousand levels.
fn connected(
    mut conditions: Vec<Expression>,
    connect: fn(Vec<Expression>) -> Expression,
) -> Expression {
    while conditions.len() > CONNECTED {
        let mut groups = Vec::with_capacity(conditions.len() / CONNECTED + 1);
        let mut rest = conditions.into_iter().peekable();
        while rest.peek().is_some() {
            groups.push(connect(rest.by_ref().take(CONNECTED).collect()));
        }
        conditions = groups;
    }
    connect(conditions)
}

#[cfg(test)]
mod tests {
    use super::{CONNECTED, connected};
    use sql::Expression;

    /// The number of conditions, and how deep they are in groups.
    fn measure(expression: &Expression) -> (usize, usize) {
        match expression {
            Expression::Or(conditions) => {
                let parts = conditions.iter().map(measure);
                let (number, depth) =
                    parts.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1.max(part.1)));
                assert!(conditions.len() <= CONNECTED);
                (number, depth + 1)
            }
            _ => (1, 0),
        }
    }

    #[test]
    fn many_conditions_are_connected_in_groups() {
        let check = |number: usize, depth: usize| {
            let conditions = vec![Expression::Boolean(true); number];
            assert_eq!(measure(&connected(conditions, Expression::Or)), (number, depth));
        };
        check(1, 1);
        check(CONNECTED, 1);
        check(CONNECTED + 1, 2);
        check(5_000, 3);
    }
}
