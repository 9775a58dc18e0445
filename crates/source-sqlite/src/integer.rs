//! Sums of integers within a type: integers of SQLite have 64 bits whatever their declaration says, and
//! become floats beyond that.

use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error};
use sql::flavor::{ADD_INT16, ADD_INT32, ADD_INT64};

/// The beginning of the texts of such errors: with a text, an error of a function has no code.
pub(super) const REFUSED: &str = "sum beyond its type: ";

/// A type by the function that adds its integers, with its least and greatest value.
struct Bounds {
    function: &'static str,
    name: &'static str,
    least: i64,
    greatest: i64,
}

const TYPES: [Bounds; 3] = [
    Bounds {
        function: ADD_INT16,
        name: "smallint",
        least: i16::MIN as i64,
        greatest: i16::MAX as i64,
    },
    Bounds {
        function: ADD_INT32,
        name: "integer",
        least: i32::MIN as i64,
        greatest: i32::MAX as i64,
    },
    Bounds { function: ADD_INT64, name: "bigint", least: i64::MIN, greatest: i64::MAX },
];

/// Defines the functions.
pub(super) fn add(connection: &Connection, flags: FunctionFlags) -> Result<(), Error> {
    for bounds in &TYPES {
        connection.create_scalar_function(bounds.function, 2, flags, move |arguments| {
            sum(arguments.get_raw(0), arguments.get_raw(1), bounds)
        })?;
    }
    Ok(())
}

/// The sum of two integers. A column can hold other values, which stay what SQLite makes of them: the
/// sum of floats, and null of null.
fn sum(left: ValueRef<'_>, right: ValueRef<'_>, bounds: &Bounds) -> Result<Value, Error> {
    let number = match (left, right) {
        (ValueRef::Integer(left), ValueRef::Integer(right)) => {
            let within = bounds.least..=bounds.greatest;
            let sum = left.checked_add(right).filter(|sum| within.contains(sum));
            return sum.map(Value::Integer).ok_or_else(|| refused(bounds, "out of range"));
        }
        (ValueRef::Null, _) | (_, ValueRef::Null) => return Ok(Value::Null),
        (ValueRef::Real(left), ValueRef::Real(right)) => left + right,
        (ValueRef::Real(left), ValueRef::Integer(right)) => left + right as f64,
        (ValueRef::Integer(left), ValueRef::Real(right)) => left as f64 + right,
        (ValueRef::Text(_) | ValueRef::Blob(_), _) | (_, ValueRef::Text(_) | ValueRef::Blob(_)) => {
            return Err(refused(bounds, "is expected"));
        }
    };
    Ok(Value::Real(number))
}

/// An error of the request, in PostgreSQL's words.
fn refused(bounds: &Bounds, reason: &str) -> Error {
    let mismatch = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_MISMATCH);
    Error::SqliteFailure(mismatch, Some(format!("{REFUSED}{} {reason}", bounds.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, expected: &str) {
        let connection = Connection::open_in_memory().unwrap();
        add(&connection, FunctionFlags::SQLITE_UTF8).unwrap();
        let found =
            connection.query_row(&format!("SELECT {statement}"), [], |row| row.get::<_, Value>(0));
        let found = match found {
            Ok(value) => format!("{value:?}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{statement}");
    }

    #[test]
    fn sums_are_within_their_type() {
        check("thalweg_add_int16(32767, 0)", "Integer(32767)");
        check("thalweg_add_int16(32767, 1)", "sum beyond its type: smallint out of range");
        check("thalweg_add_int32(-2147483647, -1)", "Integer(-2147483648)");
        check("thalweg_add_int32(-2147483648, -1)", "sum beyond its type: integer out of range");
        check("thalweg_add_int64(9223372036854775806, 1)", "Integer(9223372036854775807)");
        check(
            "thalweg_add_int64(9223372036854775807, 1)",
            "sum beyond its type: bigint out of range",
        );
    }

    #[test]
    fn other_values_stay_what_they_are() {
        check("thalweg_add_int32(NULL, 1)", "Null");
        check("thalweg_add_int32(1.5, 1)", "Real(2.5)");
        check("thalweg_add_int32('text', 1)", "sum beyond its type: integer is expected");
    }
}
