//! Conditions on places: see [`source::geo`].

use catalog::FieldId;
use ir::{GeoOperator, Operand};
use source::CompileError;
use sql::flavor::{GEO_BOX, GEO_CONTAINS, GEO_INTERSECTS, GEO_NEAR, GEO_WITHIN};
use sql::own::{own_object, prefixed};
use sql::{
    Alias, Call, CallArgument, Column, Expression, Identifier, InPlaceIndex, TableName, WordIndexes,
};

use super::compile::Compiler;
use super::level::ParameterSource;
use super::row_set::Scope;
use super::statement::Statement;
use super::value::ParameterKind;

impl Compiler<'_> {
    /// Returns true if the place of a field passes a condition.
    pub(super) fn located(
        &self,
        (field, value): (FieldId, Expression),
        operator: GeoOperator,
        operand: &Operand,
        scope: &Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let name = match operator {
            GeoOperator::Near => GEO_NEAR,
            GeoOperator::Within => GEO_WITHIN,
            GeoOperator::Contains => GEO_CONTAINS,
            GeoOperator::Intersects => GEO_INTERSECTS,
            GeoOperator::Distance(_) | GeoOperator::Spatial(_) => {
                return Err(CompileError::not_built("a geographic filter"));
            }
        };
        let source = ParameterSource::Operand(operand.clone());
        // An index finds candidates by their boxes.
        let bounds = (source.clone(), ParameterKind::GeoBox(operator));
        let candidate = match self.flavor.definitions.words {
            WordIndexes::Indexes => Some(Expression::Compare {
                left: Box::new(self.own_function(field, GEO_BOX, [value.clone()])),
                comparison: sql::Comparison::Overlaps,
                right: Box::new(Expression::Parameter(statement.parameter(bounds.0, bounds.1))),
            }),
            WordIndexes::VirtualTables => match &value {
                Expression::Column { alias, column: Column::Named(_) } if !scope.guards.made => {
                    self.boxed((*alias, field), bounds, statement)
                }
                _ => None,
            },
        };
        let operand = statement.parameter(source, ParameterKind::Geo(operator));
        let passes = self.own_function(field, name, [value, Expression::Parameter(operand)]);
        Ok(Expression::all(candidate.into_iter().chain([passes]).collect()))
    }

    /// Whether a row is among those of which an index has a box that overlaps another.
    fn boxed(
        &self,
        (alias, field): (Alias, FieldId),
        (source, kind): (ParameterSource, ParameterKind),
        statement: &mut Statement,
    ) -> Option<Expression> {
        let mut indexes = self.catalog[self.catalog[field].entity].place_indexes().iter();
        let index = indexes.find(|index| index.field == field)?;
        Some(Expression::InPlaceIndex(Box::new(InPlaceIndex {
            number: self.field(alias, index.row_number),
            index: TableName { schema: None, name: Identifier(index.name.clone()) },
            bounds: statement.parameter(source, kind),
        })))
    }

    /// A call of one of Thalweg's functions for a field: in PostgreSQL they belong to a schema,
    /// elsewhere they have its name before their own.
    pub(super) fn own_function<const N: usize>(
        &self,
        field: FieldId,
        name: &str,
        arguments: [Expression; N],
    ) -> Expression {
        let function = match self.flavor.definitions.words {
            WordIndexes::Indexes => self.own_object(field, name),
            WordIndexes::VirtualTables => prefixed(name),
        };
        let arguments = arguments.map(|value| CallArgument { name: None, value }).into();
        Expression::Call(Call { function, arguments })
    }

    /// The name of one of Thalweg's objects for the tables among which a field is.
    pub(super) fn own_object(&self, field: FieldId, name: &str) -> TableName {
        own_object(self.catalog[self.catalog[field].entity].namespace.as_deref(), name)
    }
}
