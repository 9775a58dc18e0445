//! Distances of vectors, and the rows with the nearest ones.

use catalog::FieldId;
use ir::{Candidates, Distance, Metric, Nearest, OtherVector, ValueRef, VectorOfRow};
use source::CompileError;
use sql::flavor::{VECTOR_COSINE, VECTOR_DOT_PRODUCT, VECTOR_EUCLIDEAN};
use sql::{Alias, Comparison, Direction, Expression, FromItem, OrderItem, Select, SelectItem};

use super::compile::Compiler;
use super::items::numbered;
use super::level::ParameterSource;
use super::row_set::Scope;
use super::statement::Statement;
use super::value::ParameterKind;

impl Compiler<'_> {
    /// The distance of a row's vector.
    pub(super) fn distance(
        &self,
        distance: &Distance,
        scope: &Scope,
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
            OtherVector::OfRow(rows) => {
                let each = rows.iter().map(|row| self.vector_of_row(row, statement));
                Expression::first_of(each.collect::<Result<_, _>>()?)
            }
        };
        let (_, vector) = self.vector(distance, scope)?;
        Ok(self.own_function(name, [vector, other]))
    }

    /// The vector of a row, and the field that it is.
    pub(super) fn vector(
        &self,
        distance: &Distance,
        scope: &Scope,
    ) -> Result<(FieldId, Expression), CompileError> {
        match &distance.vector {
            ValueRef::Field { path, field } if path.is_empty() => {
                Ok((*field, self.field(scope.alias, *field)))
            }
            ValueRef::Common(place) => scope.common(*place),
            _ => Err(CompileError::not_built("the vector of a related row")),
        }
    }

    fn vector_of_row(
        &self,
        row: &VectorOfRow,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let VectorOfRow { field, filter } = row;
        let (entity, alias) = (self.catalog[*field].entity, statement.alias());
        let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
        let condition = self.filter(filter, &mut scope, statement)?;
        let mut select = scope.select;
        let expression = self.field(alias, *field);
        select.items = vec![SelectItem { expression, name: None }];
        select.and_where(condition);
        select.limit = Some(Expression::Number(1));
        Ok(Expression::Subquery(Box::new(select)))
    }

    /// Returns true if a row is one of the nearest.
    pub(super) fn nearest(
        &self,
        nearest: &Nearest,
        own: Alias,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let Nearest { key, among, most: _, count } = nearest;
        let each = among.iter().map(|one| self.candidates(one, nearest, statement));
        let mut each = each.collect::<Result<Vec<_>, _>>()?;
        let (mut select, key_of, distance) = match each.len() {
            1 => each.remove(0),
            _ => {
                let selects = each.into_iter().map(|(mut select, key, distance)| {
                    select.items = numbered([key, distance].into_iter());
                    select
                });
                let (selects, alias) = (selects.collect(), statement.alias());
                let (key, distance) =
                    (Expression::numbered(alias, 0), Expression::numbered(alias, 1));
                (Select::from(FromItem::Union { selects, alias }), key, distance)
            }
        };
        select.items = vec![SelectItem { expression: key_of.clone(), name: None }];
        select.order_by = [distance, key_of].into_iter().map(ascending).collect();
        let source = ParameterSource::Operand(count.clone());
        let kind = ParameterKind::Limit { look_ahead: false };
        select.limit = Some(Expression::Parameter(statement.parameter(source, kind)));
        let expression = Box::new(self.field(own, *key));
        Ok(Expression::InRows { expression, rows: Box::new(select) })
    }

    /// The rows of an entity that have a distance, with their keys and distances.
    fn candidates(
        &self,
        candidates: &Candidates,
        nearest: &Nearest,
        statement: &mut Statement,
    ) -> Result<(Select, Expression, Expression), CompileError> {
        let Candidates { key, distance, filter } = candidates;
        let alias = statement.alias();
        let mut scope =
            Scope::new(Select::from(self.table(self.catalog[*key].entity, alias)), alias);
        let condition = self.filter(filter, &mut scope, statement)?;
        let value = self.distance(distance, &scope, statement)?;
        let mut select = scope.select;
        select.and_where(condition);
        let is_null = Expression::IsNull(Box::new(value.clone()));
        select.and_where(Expression::Not(Box::new(is_null)));
        if let Some(most) = &nearest.most {
            let source = ParameterSource::Operand(most.clone());
            let most = statement.parameter(source, ParameterKind::Float);
            select.and_where(Expression::Compare {
                left: Box::new(value.clone()),
                comparison: Comparison::LessOrEqual,
                right: Box::new(Expression::Parameter(most)),
            });
        }
        Ok((select, self.field(alias, *key), value))
    }
}

fn ascending(expression: Expression) -> OrderItem {
    OrderItem { expression, direction: Direction::Ascending, nulls: None }
}
