//! Conditions on places: see [`source::geo`].

use ir::{GeoOperator, Operand};
use source::CompileError;
use sql::flavor::{GEO_CONTAINS, GEO_INTERSECTS, GEO_NEAR, GEO_WITHIN};
use sql::{Call, CallArgument, Expression, Identifier, TableName, WordIndexes};

use super::compile::Compiler;
use super::level::ParameterSource;
use super::statement::Statement;
use super::value::ParameterKind;

impl Compiler<'_> {
    /// Whether the place of a field passes a condition.
    pub(super) fn located(
        &self,
        value: Expression,
        operator: GeoOperator,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let name = match operator {
            GeoOperator::Near => GEO_NEAR,
            GeoOperator::Within => GEO_WITHIN,
            GeoOperator::Contains => GEO_CONTAINS,
            GeoOperator::Intersects => GEO_INTERSECTS,
            GeoOperator::Distance(_) => return Err(CompileError::not_built("a geographic filter")),
        };
        let source = ParameterSource::Operand(operand.clone());
        let operand = statement.parameter(source, ParameterKind::Geo(operator));
        // PostgreSQL's are in the schema of Thalweg, the others have its name before their own.
        let (schema, name) = match self.flavor.definitions.words {
            WordIndexes::Indexes => (Some(Identifier("thalweg".into())), name.into()),
            WordIndexes::VirtualTables => (None, format!("thalweg_{name}").into()),
        };
        let arguments = [value, Expression::Parameter(operand)];
        let arguments = arguments.map(|value| CallArgument { name: None, value }).into();
        let function = TableName { schema, name: Identifier(name) };
        Ok(Expression::Call(Call { function, arguments }))
    }
}
