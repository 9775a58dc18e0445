//! Kinds of values: the types of properties that have the same operators and functions.

use crate::model::PropertyType;

/// Kind of the values of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Id,
    String,
    /// `Int` and `BigInt`.
    Integer,
    Float,
    Date,
    /// Times with and without a date.
    Time,
    Duration,
    Point,
    Enum,
    Scalar,
}

impl PropertyType {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Boolean => Kind::Boolean,
            Self::Id => Kind::Id,
            Self::String => Kind::String,
            Self::Int | Self::BigInt => Kind::Integer,
            Self::Float => Kind::Float,
            Self::Date => Kind::Date,
            Self::Time | Self::LocalTime | Self::DateTime | Self::LocalDateTime => Kind::Time,
            Self::Duration => Kind::Duration,
            Self::Point | Self::CartesianPoint => Kind::Point,
            Self::Enum(_) => Kind::Enum,
            Self::Scalar(_) => Kind::Scalar,
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self.kind(), Kind::Integer | Kind::Float)
    }

    /// Whether the API has functions that aggregate it, other than those of `ID` in version 3.
    pub(crate) fn is_aggregated(&self) -> bool {
        match self.kind() {
            Kind::String | Kind::Integer | Kind::Float | Kind::Time | Kind::Duration => true,
            Kind::Boolean | Kind::Id | Kind::Date | Kind::Point | Kind::Enum | Kind::Scalar => {
                false
            }
        }
    }
}
