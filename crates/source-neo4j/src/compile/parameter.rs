//! Types of sent values: the type of the property that they are compared with or stored in.

use catalog::{FieldId, Scalar, Type};
use cypher::Expression;
use ir::Operand;
use source::CompileError;

use super::super::program::ParameterType;
use super::statement::Statement;
use super::{Compiler, refused};

impl Compiler<'_> {
    /// The type of a field's values.
    pub(super) fn field_type(&self, field: FieldId) -> Result<ParameterType, CompileError> {
        self.parameter_type(&self.catalog[field].r#type)
    }

    /// The type of an argument, which may be a map.
    pub(super) fn argument_type(&self, r#type: &Type) -> Result<ParameterType, CompileError> {
        match r#type {
            Type::Composite(composite) => {
                let attributes = &self.catalog[*composite].attributes;
                let members = attributes.iter().map(|attribute| {
                    Ok((attribute.name.clone(), self.argument_type(&attribute.r#type)?))
                });
                Ok(ParameterType::Map(members.collect::<Result<_, CompileError>>()?))
            }
            Type::List(element) => Ok(list_of(self.argument_type(element)?)),
            other => self.parameter_type(other),
        }
    }

    fn parameter_type(&self, r#type: &Type) -> Result<ParameterType, CompileError> {
        Ok(match self.catalog.base_type(r#type) {
            Type::Scalar(scalar) => scalar_type(scalar)?,
            Type::Enum(_) => ParameterType::Text,
            Type::List(element) => ParameterType::List(Box::new(self.parameter_type(element)?)),
            Type::Domain(_) | Type::Composite(_) | Type::Range(_) | Type::Row(_) => {
                return Err(refused("a value of this type"));
            }
        })
    }
}

fn scalar_type(scalar: &Scalar) -> Result<ParameterType, CompileError> {
    Ok(match scalar {
        Scalar::Boolean => ParameterType::Boolean,
        Scalar::Int16 | Scalar::Int32 | Scalar::Int64 => ParameterType::Integer,
        Scalar::Float32 | Scalar::Float64 => ParameterType::Float,
        Scalar::Text => ParameterType::Text,
        Scalar::Date => ParameterType::Date,
        Scalar::Time => ParameterType::LocalTime,
        Scalar::TimeWithZone => ParameterType::Time,
        Scalar::Timestamp => ParameterType::LocalDateTime,
        Scalar::TimestampWithZone => ParameterType::DateTime,
        Scalar::Interval => ParameterType::Duration,
        Scalar::GeographicPoint => ParameterType::GeographicPoint,
        Scalar::CartesianPoint => ParameterType::CartesianPoint,
        // A scalar of the schema's own.
        Scalar::Other(_) => ParameterType::Any,
        Scalar::Decimal { .. }
        | Scalar::Money
        | Scalar::Epoch(_)
        | Scalar::Character { .. }
        | Scalar::CaseInsensitiveText
        | Scalar::Uuid
        | Scalar::Json
        | Scalar::Jsonb
        | Scalar::Xml
        | Scalar::Bytes
        | Scalar::Inet
        | Scalar::Cidr
        | Scalar::MacAddress
        | Scalar::MacAddress8
        | Scalar::Bit
        | Scalar::Point
        | Scalar::Spatial(_)
        | Scalar::KeyValue
        | Scalar::ObjectId => return Err(refused("a value of this type")),
    })
}

/// A list of values of a type.
pub(super) fn list_of(r#type: ParameterType) -> ParameterType {
    ParameterType::List(Box::new(r#type))
}

/// The type of a list's elements.
pub(super) fn element_of(r#type: ParameterType) -> Result<ParameterType, CompileError> {
    match r#type {
        ParameterType::List(element) => Ok(*element),
        _ => Err(refused("elements of what is no list")),
    }
}

/// A whole number as a parameter.
pub(super) fn integer(operand: &Operand, statement: &mut Statement) -> Expression {
    statement.parameter(operand.clone(), ParameterType::Integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_a_scalar_of_the_schemas_own_is_sent_as_what_it_is() {
        let own = scalar_type(&Scalar::Other("Anything".into()));
        assert_eq!(own.ok(), Some(ParameterType::Any));
    }
}
