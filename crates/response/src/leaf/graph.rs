//! Values of a graph in the form of `@neo4j/graphql`: its resolvers and scalars applied to the
//! driver's values, also to values of another type than the declared one.
//!
//! * `number`, `text`: numbers, texts and booleans
//! * `moment`, `duration`: dates, times and durations
//! * `point`; `list`
//! * `any`: values without a declared type
//! * `kind`: booleans, and names of values with parts in errors

mod any;
mod duration;
mod kind;
mod list;
mod moment;
mod number;
mod point;
mod text;

use super::LeafError;
use crate::cursor::Value;

pub(super) use kind::{boolean, kind};
pub(super) use list::write_list;
pub(super) use point::write_point;

/// The conversion of a stored value to JSON by the rules of that library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GraphLeaf {
    /// A string; floats and booleans are converted as JavaScript prints them, integers are an
    /// error.
    String,
    /// A string; numbers are converted as JavaScript prints them.
    Id,
    /// A JSON number of 32 bits. A text counts as its leading number, true as 1.
    Int,
    /// An integer as a string.
    BigInt,
    /// A JSON number; not finite is an error. A text counts as its leading integer.
    Float,
    Boolean,
    /// `2020-02-29`.
    Date,
    /// `12:34:56.789000000`.
    LocalTime,
    /// The same with `Z` or an offset.
    Time,
    /// `2020-02-29T12:34:56.789000000`.
    LocalDateTime,
    /// `2020-02-29T12:34:56.789Z`: JavaScript's `toISOString`.
    DateTime,
    /// `P1Y2M3DT4H5M6S`, without zero parts.
    Duration,
    /// `P14M3DT14706S`, with all parts: the form of drivers before version 6.
    PlainDuration,
    /// Any value, as JSON.
    Any,
}

impl GraphLeaf {
    pub(super) fn write(self, value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
        match self {
            Self::String => text::write_string(value, out),
            Self::Id => text::write_id(value, out),
            Self::Int => number::write_int(value, out),
            Self::BigInt => number::write_big_int(value, out),
            Self::Float => number::write_float(value, out),
            Self::Boolean => text::write_boolean(value, out),
            Self::Date => moment::write_date(value, out),
            Self::LocalTime => moment::write_local_time(value, out),
            Self::Time => moment::write_time(value, out),
            Self::LocalDateTime => moment::write_local_date_time(value, out),
            Self::DateTime => moment::write_date_time(value, out),
            Self::Duration => duration::write_duration(value, out),
            Self::PlainDuration => duration::write_plain_duration(value, out),
            Self::Any => any::write_any(value, out),
        }
    }
}
