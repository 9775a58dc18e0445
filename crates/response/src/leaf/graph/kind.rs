//! Kinds of values in PackStream's form.

use crate::cursor::Value;
use crate::packed::{Packed, begin};

/// A boolean of a graph.
pub(in super::super) fn boolean(value: Value<'_>) -> Option<bool> {
    let Value::Packed(bytes) = value else { return None };
    match begin(bytes) {
        Ok(Packed::Boolean(boolean)) => Some(boolean),
        _ => None,
    }
}

/// The name of a PackStream value in errors.
pub(in super::super) fn kind(bytes: &[u8]) -> &'static str {
    match begin(bytes) {
        Ok(Packed::Boolean(true)) => "true",
        Ok(Packed::Boolean(false)) => "false",
        Ok(Packed::List(_)) => "a list",
        Ok(Packed::Map(_)) => "a map",
        Ok(Packed::Structure { tag, .. }) => match tag {
            b'D' => "a Date",
            b't' => "a LocalTime",
            b'T' => "a Time",
            b'd' => "a LocalDateTime",
            b'I' | b'i' | b'F' | b'f' => "a DateTime",
            b'E' => "a Duration",
            b'X' | b'Y' => "a Point",
            b'N' => "a node",
            b'R' | b'r' => "a relationship",
            b'P' => "a path",
            _ => "a structure",
        },
        Ok(
            Packed::Null
            | Packed::Integer(_)
            | Packed::Float(_)
            | Packed::Bytes(_)
            | Packed::Text(_),
        ) => "a value",
        Err(_) => "malformed bytes",
    }
}
