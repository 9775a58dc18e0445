//! Values of PostGIS: their relations, their conversions and their GeoJSON.
//!
//! Functions and types are named with the schema of the extension, which need not be in the search
//! path. Parameters are cast: PostGIS overloads its functions, and some take any type.

use catalog::{FieldId, Scalar, SpatialKind, SpatialType, Type};
use ir::{Operand, SpatialRelation};
use source::CompileError;
use sql::{Call, CallArgument, Expression, Identifier, SqlType, TableName};

use super::compile::Compiler;
use super::level::ParameterSource;
use super::statement::Statement;
use super::value::ParameterKind;

/// Fraction digits of coordinates in GeoJSON.
const DIGITS: u16 = 15;

/// The option by which GeoJSON names its system of coordinates, as
/// `urn:ogc:def:crs:EPSG::4326`.
const LONG_NAME_OF_SYSTEM: u16 = 4;

/// A type of an argument.
#[derive(Clone, Copy)]
enum ArgumentType {
    Spatial(SpatialKind),
    Float,
    Integer,
    Boolean,
}

impl Compiler<'_> {
    /// Whether a value has a relation. The value is of a type, or was converted to another one.
    pub(super) fn spatial(
        &self,
        (r#type, converted): (&Type, Option<SpatialKind>),
        value: Expression,
        relation: SpatialRelation,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let own = self.require_spatial(r#type)?;
        let kind = converted.unwrap_or(own.kind);
        let types = argument_types(relation, kind)
            .ok_or(CompileError::not_built("this relation of these values"))?;
        let operands = match operand {
            Operand::List(operands) => operands.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut arguments = vec![CallArgument { name: None, value }];
        for (operand, r#type) in operands.iter().zip(types) {
            let source = ParameterSource::Operand(operand.clone());
            let parameter = statement.parameter(source, ParameterKind::Inferred);
            let value = cast(Expression::Parameter(parameter), own.named(*r#type));
            arguments.push(CallArgument { name: None, value });
        }
        Ok(Expression::Call(Call { function: own.object(function(relation)), arguments }))
    }

    /// A geometry as a geography, or the other way round.
    pub(super) fn as_spatial(
        &self,
        r#type: &Type,
        value: Expression,
        to: SpatialKind,
    ) -> Result<Expression, CompileError> {
        let own = self.require_spatial(r#type)?;
        Ok(cast(value, own.named(ArgumentType::Spatial(to))))
    }

    /// The GeoJSON of a field's value; a value of another type is unchanged.
    pub(super) fn as_geojson(&self, field: FieldId, value: Expression) -> Expression {
        let r#type = self.catalog.base_type(&self.catalog[field].r#type);
        let Type::Scalar(Scalar::Spatial(own)) = r#type else { return value };
        let arguments =
            [value, Expression::Number(DIGITS), Expression::Number(LONG_NAME_OF_SYSTEM)];
        let arguments = arguments.map(|value| CallArgument { name: None, value }).into();
        Expression::Call(Call { function: own.object("st_asgeojson"), arguments })
    }

    fn require_spatial<'t>(&'t self, r#type: &'t Type) -> Result<&'t SpatialType, CompileError> {
        match self.catalog.base_type(r#type) {
            Type::Scalar(Scalar::Spatial(own)) => Ok(own),
            _ => Err(CompileError::not_built("a relation of shapes of another value")),
        }
    }
}

/// The name of an extension's type or function.
trait OfExtension {
    fn object(&self, name: &str) -> TableName;

    fn named(&self, r#type: ArgumentType) -> TableName;
}

impl OfExtension for SpatialType {
    fn object(&self, name: &str) -> TableName {
        qualified(&self.namespace, name)
    }

    fn named(&self, r#type: ArgumentType) -> TableName {
        match r#type {
            ArgumentType::Spatial(kind) => self.object(kind.name()),
            ArgumentType::Float => qualified("pg_catalog", "float8"),
            ArgumentType::Integer => qualified("pg_catalog", "int4"),
            ArgumentType::Boolean => qualified("pg_catalog", "bool"),
        }
    }
}

fn qualified(schema: &str, name: &str) -> TableName {
    TableName { schema: Some(Identifier(schema.into())), name: Identifier(name.into()) }
}

fn cast(value: Expression, r#type: TableName) -> Expression {
    Expression::Cast { expression: Box::new(value), r#type: SqlType::Named(r#type) }
}

fn function(relation: SpatialRelation) -> &'static str {
    match relation {
        SpatialRelation::Contains => "st_contains",
        SpatialRelation::Crosses => "st_crosses",
        SpatialRelation::Equals => "st_equals",
        SpatialRelation::Intersects
        | SpatialRelation::BandIntersects
        | SpatialRelation::IntersectsBand => "st_intersects",
        SpatialRelation::Intersects3d => "st_3dintersects",
        SpatialRelation::Overlaps => "st_overlaps",
        SpatialRelation::Touches => "st_touches",
        SpatialRelation::Within => "st_within",
        SpatialRelation::WithinDistance => "st_dwithin",
        SpatialRelation::WithinDistance3d => "st_3ddwithin",
    }
}

/// The types of what a function takes behind the first value; `None` if it takes no such value.
fn argument_types(relation: SpatialRelation, kind: SpatialKind) -> Option<&'static [ArgumentType]> {
    use ArgumentType::{Boolean, Float, Integer, Spatial};
    use SpatialKind::{Geography, Geometry, Raster};
    Some(match (relation, kind) {
        (SpatialRelation::Intersects, Geography) => &[Spatial(Geography)],
        (SpatialRelation::Intersects, Raster) => &[Spatial(Raster)],
        (
            SpatialRelation::Contains
            | SpatialRelation::Crosses
            | SpatialRelation::Equals
            | SpatialRelation::Intersects
            | SpatialRelation::Intersects3d
            | SpatialRelation::Overlaps
            | SpatialRelation::Touches
            | SpatialRelation::Within,
            Geometry,
        ) => &[Spatial(Geometry)],
        (SpatialRelation::WithinDistance | SpatialRelation::WithinDistance3d, Geometry) => {
            &[Spatial(Geometry), Float]
        }
        (SpatialRelation::WithinDistance, Geography) => &[Spatial(Geography), Float, Boolean],
        (SpatialRelation::BandIntersects, Raster) => &[Integer, Spatial(Geometry)],
        (SpatialRelation::IntersectsBand, Raster) => &[Spatial(Geometry), Integer],
        (
            SpatialRelation::Contains
            | SpatialRelation::Crosses
            | SpatialRelation::Equals
            | SpatialRelation::Intersects3d
            | SpatialRelation::Overlaps
            | SpatialRelation::Touches
            | SpatialRelation::Within
            | SpatialRelation::WithinDistance3d,
            Geography | Raster,
        )
        | (SpatialRelation::WithinDistance, Raster)
        | (
            SpatialRelation::BandIntersects | SpatialRelation::IntersectsBand,
            Geometry | Geography,
        ) => return None,
    })
}
