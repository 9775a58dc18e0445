//! What kind of value a parameter is: how it is checked and sent.

use catalog::{Catalog, FieldId, Scalar, Type};

/// What a parameter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// A value compared with a field.
    Value {
        field: FieldId,
        kind: ValueKind,
    },
    /// A list of values of which a field equals one.
    List {
        field: FieldId,
        kind: ValueKind,
    },
    /// A key that came from a row: sent as it came.
    Key {
        field: FieldId,
    },
    /// Keys that came from rows, as one array.
    KeyArray {
        field: FieldId,
    },
    /// A pattern for LIKE on a field.
    Pattern {
        field: FieldId,
    },
    /// The size of a page, one more with `look_ahead`.
    Limit {
        look_ahead: bool,
    },
    Offset,
}

/// A kind of value, as far as checking and sending it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    Boolean,
    Integer {
        bits: u8,
    },
    Decimal,
    Float,
    Text,
    Uuid,
    Date,
    Timestamp,
    Bytes,
    Json,
    /// An array.
    List,
    /// Sent as text; the source knows what it means.
    Other,
}

impl ValueKind {
    /// The kind of a field's values, below domains.
    #[must_use]
    pub fn of(catalog: &Catalog, field: FieldId) -> Self {
        match catalog.base_type(&catalog[field].r#type) {
            Type::Scalar(scalar) => match scalar {
                Scalar::Boolean => Self::Boolean,
                Scalar::Int16 => Self::Integer { bits: 16 },
                Scalar::Int32 => Self::Integer { bits: 32 },
                Scalar::Int64 => Self::Integer { bits: 64 },
                Scalar::Float32 | Scalar::Float64 => Self::Float,
                Scalar::Decimal { .. } => Self::Decimal,
                Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText => Self::Text,
                Scalar::Uuid => Self::Uuid,
                Scalar::Json | Scalar::Jsonb => Self::Json,
                Scalar::Date => Self::Date,
                Scalar::Timestamp => Self::Timestamp,
                Scalar::Bytes => Self::Bytes,
                Scalar::Money
                | Scalar::Xml
                | Scalar::Time
                | Scalar::TimeWithZone
                | Scalar::TimestampWithZone
                | Scalar::Interval
                | Scalar::Inet
                | Scalar::Cidr
                | Scalar::MacAddress
                | Scalar::MacAddress8
                | Scalar::Bit
                | Scalar::Point
                | Scalar::KeyValue
                | Scalar::ObjectId
                | Scalar::Other(_) => Self::Other,
            },
            Type::Enum(_) => Self::Text,
            Type::List(_) => Self::List,
            Type::Domain(_) | Type::Composite(_) | Type::Range(_) => Self::Other,
        }
    }

    /// The name of the type in error messages, as PostgreSQL calls it.
    #[must_use]
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer { bits: 16 } => "smallint",
            Self::Integer { bits: 32 } => "integer",
            Self::Integer { .. } => "bigint",
            Self::Decimal => "numeric",
            Self::Float => "double precision",
            Self::Text | Self::List | Self::Other => "text",
            Self::Uuid => "uuid",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
            Self::Bytes => "bytea",
            Self::Json => "json",
        }
    }
}
