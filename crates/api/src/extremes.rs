//! Types with a largest and a smallest value in every database.

use catalog::{Scalar, Type};

/// True if values of a type have MIN and MAX. `base` is below domains.
pub fn has_extremes(base: &Type) -> bool {
    match base {
        Type::Enum(_) => true,
        Type::Scalar(scalar) => match scalar {
            Scalar::Int16
            | Scalar::Int32
            | Scalar::Int64
            | Scalar::Float32
            | Scalar::Float64
            | Scalar::Decimal { .. }
            | Scalar::Money
            | Scalar::Text
            | Scalar::Character { .. }
            | Scalar::CaseInsensitiveText
            | Scalar::Date
            | Scalar::Time
            | Scalar::TimeWithZone
            | Scalar::Timestamp
            | Scalar::TimestampWithZone
            | Scalar::Epoch(_)
            | Scalar::Interval
            | Scalar::Inet
            | Scalar::ObjectId => true,
            Scalar::Boolean
            | Scalar::Uuid
            | Scalar::Json
            | Scalar::Jsonb
            | Scalar::Xml
            | Scalar::Bytes
            | Scalar::Cidr
            | Scalar::MacAddress
            | Scalar::MacAddress8
            | Scalar::Bit
            | Scalar::Point
            | Scalar::GeographicPoint
            | Scalar::CartesianPoint
            | Scalar::Spatial(_)
            | Scalar::KeyValue
            | Scalar::Other(_) => false,
        },
        Type::Domain(_) | Type::Composite(_) | Type::Range(_) | Type::Row(_) | Type::List(_) => {
            false
        }
    }
}
