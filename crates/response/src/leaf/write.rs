//! Dispatch: the writing module of each leaf.

use super::{
    GraphLeaf, Leaf, LeafError, array, boolean, bytes, composite, datetime, decimal, epoch, figure,
    geometry, interval, json, json_part, key_value, milliseconds, number, point, range, sealed,
    text, uuid,
};
use crate::append::append;
use crate::cursor::Value;
use crate::escape;

impl Leaf {
    /// Fast path for the most frequent leaves; `false` if nothing is written.
    #[inline]
    pub(crate) fn write_usual(&self, value: Value<'_>, out: &mut Vec<u8>) -> bool {
        match (self, value) {
            (Leaf::Text | Leaf::Graph(GraphLeaf::String | GraphLeaf::Id), Value::Text(text))
                if escape::is_plain(text) =>
            {
                out.reserve(text.len() + 2);
                out.push(b'"');
                append(text, out);
                out.push(b'"');
            }
            (Leaf::Int | Leaf::Graph(GraphLeaf::Int), Value::Integer(integer))
                if i32::try_from(integer).is_ok() =>
            {
                number::write_integer(integer, out);
            }
            _ => return false,
        }
        true
    }

    /// Appends `value` as JSON. After an error `out` may hold a part of it.
    pub fn write(&self, value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
        match self {
            Leaf::Literal(literal) => {
                out.extend_from_slice(literal);
                Ok(())
            }
            _ if value == Value::Null => {
                out.extend_from_slice(b"null");
                Ok(())
            }
            Leaf::Int => number::write_int(value, out),
            Leaf::BigInt => number::write_big_int(value, out),
            Leaf::LongNumber => number::write_long(value, out),
            Leaf::HexadecimalId => number::write_hexadecimal(value, out),
            Leaf::Float => number::write_float(value, out),
            Leaf::Decimal { scale } => decimal::write_decimal(*scale, value, out),
            Leaf::Number { scale } => decimal::write_number(*scale, value, out),
            Leaf::Digits => decimal::write_digits(value, out),
            Leaf::FloatText => number::write_float_text(value, out),
            Leaf::KeyInteger => number::write_key_integer(value, out),
            Leaf::KeyNumber => decimal::write_key_number(value, out),
            Leaf::Boolean => boolean::write_boolean(value, out),
            Leaf::Text => text::write_text(value, out),
            Leaf::Uuid => uuid::write_uuid(value, out),
            Leaf::Bytes => bytes::write_bytes(value, out),
            Leaf::Date => datetime::write_date(value, out),
            Leaf::Time => datetime::write_time(value, out),
            Leaf::TimeWithZone => datetime::write_time_with_zone(value, out),
            Leaf::Timestamp => datetime::write_timestamp(value, out),
            Leaf::Epoch(epoch) => epoch::write_epoch(*epoch, value, out),
            Leaf::TimestampWithZone => datetime::write_timestamp_with_zone(value, out),
            Leaf::UtcTimestamp => datetime::write_utc_timestamp(value, out),
            Leaf::UtcMilliseconds(epoch) => milliseconds::write(*epoch, value, out),
            Leaf::Enum(names) => text::write_enum(names, value, out),
            Leaf::Json(form) => json::write_json(*form, value, out),
            Leaf::JsonPart(path) => json_part::write_json_part(path, value, out),
            Leaf::KeyValue => key_value::write_key_value(value, out),
            Leaf::Any => text::write_any(value, out),
            Leaf::List(inner) => array::write_list(inner, value, out),
            Leaf::Row(_) if !composite::has_value(value) => {
                out.extend_from_slice(b"null");
                Ok(())
            }
            Leaf::Composite(members) | Leaf::Row(members) => {
                composite::write_composite(members, value, out)
            }
            Leaf::Sealed(sealed) => sealed::write_sealed(sealed, value, out),
            Leaf::Range(members) => range::write_range(members, value, out),
            Leaf::Bound(_) => Err(LeafError::new("Range", "a bound without its range", value)),
            Leaf::Interval(members) => interval::write_interval(members, value, out),
            Leaf::Point(members) => point::write_point(members, value, out),
            Leaf::Figure(figure, members) => figure::write_figure(*figure, members, value, out),
            Leaf::Geometry(members) => geometry::write_geometry(members, value, out),
            Leaf::Graph(leaf) => leaf.write(value, out),
        }
    }
}
