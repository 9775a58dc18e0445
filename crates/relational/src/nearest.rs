//! Distances of vectors, and the rows with the nearest ones.

use catalog::{FieldId, VectorIndex, VectorMetric};
use ir::{Candidates, Distance, Metric, Nearest, Operand, OtherVector, ValueRef, VectorOfRow};
use source::CompileError;
use source::operand::LEAST_VISITED;
use sql::flavor::{VECTOR_COSINE, VECTOR_DOT_PRODUCT, VECTOR_EUCLIDEAN};
use sql::{
    Alias, Comparison, Direction, Expression, FromItem, Identifier, OrderItem, Parameter, Select,
    SelectItem, VectorDistance, VectorOperator,
};

use super::compile::Compiler;
use super::items::numbered;
use super::level::ParameterSource;
use super::row_set::Scope;
use super::statement::Statement;
use super::value::ParameterKind;

/// A query of rows, their keys, and their distances.
type KeysAndDistances = (Select, Expression, Expression);

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
        let other = self.other_vector(&distance.to, statement)?;
        let (field, vector) = self.vector(distance, scope)?;
        Ok(self.own_function(field, name, [vector, other]))
    }

    /// The vector from which others have a distance.
    fn other_vector(
        &self,
        other: &OtherVector,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        Ok(match other {
            OtherVector::Given(operand) => {
                let source = ParameterSource::Operand(operand.clone());
                Expression::Parameter(statement.parameter(source, ParameterKind::Vector))
            }
            OtherVector::OfRow(rows) => {
                let each = rows.iter().map(|row| self.vector_of_row(row, statement));
                Expression::first_of(each.collect::<Result<_, _>>()?)
            }
        })
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
        let Nearest { key, among, most: _, count, visited } = nearest;
        let visited = visited.as_ref().map(|visited| {
            let source = ParameterSource::Operand(visited.clone());
            statement.parameter(source, ParameterKind::VisitedVectors)
        });
        let mut is_visited = false;
        let mut each = Vec::with_capacity(among.len());
        for one in among {
            match self.vector_index(one) {
                Some(index) => {
                    is_visited = true;
                    let index = (index, visited);
                    each.extend(self.indexed_candidates(one, nearest, index, statement)?)
                }
                None => each.push(self.candidates(one, nearest, statement)?),
            }
        }
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
        if let (Some(visited), false) = (visited, is_visited) {
            // An exact search visits all of them; a wrong number is an error all the same.
            let is_null = Expression::IsNull(Box::new(Expression::Parameter(visited)));
            select.and_where(Expression::Not(Box::new(is_null)));
        }
        select.order_by = [distance, key_of].into_iter().map(ascending).collect();
        select.limit = Some(count_of(count, statement));
        let expression = Box::new(self.field(own, *key));
        Ok(Expression::InRows { expression, rows: Box::new(select) })
    }

    /// The index of the vectors, if it can find the nearest of all rows. With a condition it would find
    /// fewer, since it is applied to the rows that the index has found.
    fn vector_index(&self, candidates: &Candidates) -> Option<&VectorIndex> {
        let Candidates { key: _, distance, filter } = candidates;
        let ValueRef::Field { path, field } = &distance.vector else { return None };
        let metric = match distance.metric {
            Metric::Euclidean => VectorMetric::Euclidean,
            Metric::Cosine => VectorMetric::Cosine,
            Metric::DotProduct => VectorMetric::DotProduct,
        };
        if !path.is_empty() || !filter.is_all() {
            return None;
        }
        let mut indexes = self.catalog[self.catalog[*field].entity].vector_indexes().iter();
        indexes.find(|index| index.field == *field && index.metric == metric)
    }

    /// The candidates that an index finds, and, where it cannot, all of them.
    fn indexed_candidates(
        &self,
        candidates: &Candidates,
        nearest: &Nearest,
        (index, visited): (&VectorIndex, Option<Parameter>),
        statement: &mut Statement,
    ) -> Result<[KeysAndDistances; 2], CompileError> {
        let VectorIndex { field, dimensions, metric, namespace } = index;
        let (mut found, key, value) = self.candidates(candidates, nearest, statement)?;
        let Some(alias) = found.from.as_ref().map(FromItem::alias) else {
            return Err(CompileError::not_built("vectors of no table"));
        };
        let other = self.other_vector(&candidates.distance.to, statement)?;
        let vector = self.field(alias, *field);
        let is_of_length = |vector: &Expression| {
            Expression::cardinality(vector.clone()).equals(Expression::Number(*dimensions))
        };
        let count = count_of(&nearest.count, statement);
        let is_served = Expression::And(vec![
            is_of_length(&other),
            Expression::Compare {
                left: Box::new(count.clone()),
                comparison: Comparison::LessOrEqual,
                // A scan finds no more rows than it visits vectors.
                right: Box::new(match visited {
                    Some(visited) => Expression::Parameter(visited),
                    None => Expression::Number(LEAST_VISITED),
                }),
            },
        ]);
        found.and_where(is_of_length(&vector));
        found.and_where(is_served.clone());
        if let Some(visited) = visited {
            found.and_where(Expression::VisitsVectors(visited));
        }
        found.items = numbered([key, value].into_iter());
        found.order_by = vec![ascending(Expression::VectorDistance(Box::new(VectorDistance {
            vector,
            // A vector of another length has no distance, where the condition is not decided before.
            other: Expression::When {
                condition: Box::new(is_of_length(&other)),
                then: Box::new(other),
            },
            dimensions: *dimensions,
            operator: match metric {
                VectorMetric::Euclidean => VectorOperator::Euclidean,
                VectorMetric::Cosine => VectorOperator::Cosine,
                VectorMetric::DotProduct => VectorOperator::DotProduct,
            },
            schema: Identifier(namespace.clone()),
        })))];
        found.limit = Some(count);
        let page = statement.alias();
        let select = Select::from(FromItem::Subquery { select: Box::new(found), alias: page });
        let by_index = (select, Expression::numbered(page, 0), Expression::numbered(page, 1));
        let (mut all, key, value) = self.candidates(candidates, nearest, statement)?;
        all.and_where(Expression::IsNotTrue(Box::new(is_served)));
        Ok([by_index, (all, key, value)])
    }

    /// The rows of an entity that have a distance, with their keys and distances.
    fn candidates(
        &self,
        candidates: &Candidates,
        nearest: &Nearest,
        statement: &mut Statement,
    ) -> Result<KeysAndDistances, CompileError> {
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

/// The number of rows that are the nearest.
fn count_of(count: &Operand, statement: &mut Statement) -> Expression {
    let source = ParameterSource::Operand(count.clone());
    let kind = ParameterKind::Limit { look_ahead: false };
    Expression::Parameter(statement.parameter(source, kind))
}

fn ascending(expression: Expression) -> OrderItem {
    OrderItem { expression, direction: Direction::Ascending, nulls: None }
}
