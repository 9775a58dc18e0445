//! Distances of vectors, and the rows with the nearest ones.

use ir::{Distance, Metric, Nearest, OtherVector};
use source::CompileError;
use sql::flavor::{VECTOR_COSINE, VECTOR_DOT_PRODUCT, VECTOR_EUCLIDEAN};
use sql::{Alias, Comparison, Direction, Expression, OrderItem, Select, SelectItem};

use super::compile::Compiler;
use super::level::ParameterSource;
use super::row_set::Scope;
use super::statement::Statement;
use super::value::ParameterKind;

impl Compiler<'_> {
    /// The distance of a row's vector.
    pub(super) fn distance(
        &self,
        distance: &Distance,
        alias: Alias,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let name = match distance.metric {
            Metric::Euclidean => VECTOR_EUCLIDEAN,
            Metric::Cosine => VECTOR_COSINE,
            Metric::DotProduct => VECTOR_DOT_PRODUCT,
        };
        let other = match &distance.to {
            OtherVector::Given(operand) => {
                let source = ParameterSource::Operand(operand.clone());
                Expression::Parameter(statement.parameter(source, ParameterKind::Vector))
            }
            OtherVector::OfRow(filter) => {
                let (entity, alias) = (self.catalog[distance.field].entity, statement.alias());
                let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
                let condition = self.filter(filter, &mut scope, statement)?;
                let mut select = scope.select;
                let expression = self.field(alias, distance.field);
                select.items = vec![SelectItem { expression, name: None }];
                select.and_where(condition);
                select.limit = Some(Expression::Number(1));
                Expression::Subquery(Box::new(select))
            }
        };
        Ok(self.own_function(distance.field, name, [self.field(alias, distance.field), other]))
    }

    /// Returns true if a row is one of the nearest.
    pub(super) fn nearest(
        &self,
        nearest: &Nearest,
        own: Alias,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let Nearest { key, distance, most, count, filter } = nearest;
        let alias = statement.alias();
        let mut scope =
            Scope::new(Select::from(self.table(self.catalog[*key].entity, alias)), alias);
        let condition = self.filter(filter, &mut scope, statement)?;
        let mut select = scope.select;
        let expression = self.field(alias, *key);
        select.items = vec![SelectItem { expression: expression.clone(), name: None }];
        select.and_where(condition);
        let value = self.distance(distance, alias, statement)?;
        let is_null = Expression::IsNull(Box::new(value.clone()));
        select.and_where(Expression::Not(Box::new(is_null)));
        if let Some(most) = most {
            let source = ParameterSource::Operand(most.clone());
            let most = statement.parameter(source, ParameterKind::Float);
            select.and_where(Expression::Compare {
                left: Box::new(value.clone()),
                comparison: Comparison::LessOrEqual,
                right: Box::new(Expression::Parameter(most)),
            });
        }
        let ascending =
            |expression| OrderItem { expression, direction: Direction::Ascending, nulls: None };
        select.order_by = vec![ascending(value), ascending(expression)];
        let source = ParameterSource::Operand(count.clone());
        let kind = ParameterKind::Limit { look_ahead: false };
        select.limit = Some(Expression::Parameter(statement.parameter(source, kind)));
        let expression = Box::new(self.field(own, *key));
        Ok(Expression::InRows { expression, rows: Box::new(select) })
    }
}
