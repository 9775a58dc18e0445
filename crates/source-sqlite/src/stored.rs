//! Values as SQLite keeps them.
//!
//! Stored values are read back as the same values, by the same types. SQLite accepts any value in
//! any column, and makes a number of a text where a column's affinity is numeric: texts that would
//! lose digits there are refused.
//!
//! * `number`: decimals and floating point numbers
//! * `moment`: dates, times of day and timestamps

mod moment;
mod number;

use catalog::{Catalog, Field, FieldId, Scalar, Storage, Type};
use relational::{ParameterKind, Program, ValueKind};
use rusqlite::types::Value;
use rustc_hash::FxHashMap;
use source::SourceError;
use source::operand::Resolved;

use super::encode::encode_value;
use super::json::{self, Json};
use number::Digits;

/// Details of columns' declared types beyond their kinds.
#[derive(Debug, Default)]
pub(super) struct Stored(FxHashMap<FieldId, Beyond>);

/// Details of a column's declared type beyond its kind.
#[derive(Clone, Copy, Debug)]
enum Beyond {
    Digits(Digits),
    /// SQLite makes numbers of texts that look like some.
    NumbersOfTexts,
}

impl Stored {
    /// The details of the columns that a program writes.
    pub(super) fn of(catalog: &Catalog, program: &Program) -> Self {
        let parameters = program.levels.iter().flat_map(|level| &level.parameters);
        let digits = parameters.filter_map(|parameter| match parameter.kind {
            ParameterKind::Stored { field, .. } => Some((field, beyond(catalog, field)?)),
            _ => None,
        });
        Self(digits.collect())
    }

    /// A value in the form in which it is stored in a column of its kind.
    pub(super) fn encode(
        &self,
        value: &Resolved<'_>,
        field: FieldId,
        kind: ValueKind,
    ) -> Result<Value, SourceError> {
        stored(value, kind, self.0.get(&field).copied())
    }
}

/// A text with an offset in the form in which timestamps are compared, in UTC.
pub(super) fn in_utc(text: &str) -> Option<String> {
    let text = moment::instant(text)?;
    text.strip_suffix("+00:00").map(Into::into)
}

fn beyond(catalog: &Catalog, field: FieldId) -> Option<Beyond> {
    let Field { r#type, storage, .. } = &catalog[field];
    match (r#type, storage) {
        (Type::Scalar(Scalar::Decimal { precision: Some(precision), scale: Some(scale) }), _) => {
            Some(Beyond::Digits(Digits { precision: *precision, scale: *scale }))
        }
        (Type::Scalar(Scalar::Text), Storage::Number) => Some(Beyond::NumbersOfTexts),
        _ => None,
    }
}

fn stored(
    value: &Resolved<'_>,
    kind: ValueKind,
    declared: Option<Beyond>,
) -> Result<Value, SourceError> {
    let Some(text) = value.text() else {
        return match value {
            Resolved::Null => Ok(Value::Null),
            Resolved::File(_) => encode_value(value, kind),
            Resolved::List(items) if kind == ValueKind::Json => json_list(items),
            _ => Err(SourceError::input("a value that has parts cannot be stored here")),
        };
    };
    let invalid = || SourceError::invalid(kind.type_name(), &text);
    let moment = |read: fn(&str) -> Option<String>| read(&text).map(Value::Text);
    match kind {
        ValueKind::Text
            if matches!(declared, Some(Beyond::NumbersOfTexts)) && number::is_remade(&text) =>
        {
            Err(SourceError::input(format!("the column would make another text of \"{text}\"")))
        }
        ValueKind::Boolean
        | ValueKind::Integer { .. }
        | ValueKind::Uuid
        | ValueKind::Bytes
        | ValueKind::Text
        | ValueKind::Epoch(_)
        | ValueKind::List
        | ValueKind::Composite
        | ValueKind::Other => encode_value(value, kind),
        ValueKind::Decimal => {
            let digits = match declared {
                Some(Beyond::Digits(digits)) => Some(digits),
                Some(Beyond::NumbersOfTexts) | None => None,
            };
            number::decimal(text.trim(), digits)
        }
        ValueKind::Float => number::float(text.trim()),
        ValueKind::Date => moment(moment::date).ok_or_else(invalid),
        ValueKind::Timestamp => moment(moment::timestamp).ok_or_else(invalid),
        ValueKind::TimestampWithZone => moment(moment::instant).ok_or_else(invalid),
        ValueKind::Time => moment(moment::clock).ok_or_else(invalid),
        ValueKind::TimeWithZone => moment(moment::zoned_clock).ok_or_else(invalid),
        ValueKind::Json => content(&text).ok_or_else(invalid)?,
    }
}

/// A list of values as a JSON list.
fn json_list(items: &[Resolved<'_>]) -> Result<Value, SourceError> {
    let mut out = Vec::from(*b"[");
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        match item {
            Resolved::Null => out.extend_from_slice(b"null"),
            Resolved::Boolean(value) => out.extend_from_slice(value.to_string().as_bytes()),
            Resolved::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Resolved::Number(text) | Resolved::Json(text) => out.extend_from_slice(text.as_bytes()),
            Resolved::Text(text) => response::escape::write_string(text, &mut out),
            Resolved::List(_) | Resolved::Parts(_) => {
                return Err(SourceError::input("a list of values that have parts"));
            }
            Resolved::File(file) => return Err(SourceError::input(file.misplaced("json"))),
        }
    }
    out.push(b']');
    String::from_utf8(out).map(Value::Text).map_err(|_| SourceError::input("an invalid text"))
}

/// JSON in its own notation. A number by itself becomes one of SQLite's, as a column that is
/// declared as JSON would make it one anyway. `None` if the text is no JSON.
fn content(text: &str) -> Option<Result<Value, SourceError>> {
    let text = text.trim_ascii();
    Some(match json::read(text)? {
        Json::Number(_) => number::decimal(text, None),
        _ => Ok(Value::Text(text.into())),
    })
}

#[cfg(test)]
mod tests {
    use response::{JsonForm, Leaf};
    use rusqlite::Connection;
    use rusqlite::types::ValueRef;

    use super::*;
    use source::SourceErrorKind;

    /// The value that a column of a type returns after writing one, with its storage class.
    fn round_trip(declared: &str, kind: ValueKind, leaf: &Leaf, given: &str) -> String {
        round_trip_of(declared, kind, None, leaf, given)
    }

    fn round_trip_of(
        declared: &str,
        kind: ValueKind,
        digits: Option<Digits>,
        leaf: &Leaf,
        given: &str,
    ) -> String {
        let given = Resolved::Text(given.into());
        let value = match stored(&given, kind, digits.map(Beyond::Digits)) {
            Ok(value) => value,
            Err(error) => {
                assert_eq!(error.kind, SourceErrorKind::Input);
                return format!("refused: {error}");
            }
        };
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&["CREATE TABLE t (v ", declared, ")"].concat()).unwrap();
        connection.execute("INSERT INTO t VALUES (?1)", [value]).unwrap();
        let read = |row: &rusqlite::Row<'_>| {
            let mut out = Vec::new();
            let value = match row.get_ref(0)? {
                ValueRef::Null => response::Value::Null,
                ValueRef::Integer(number) => response::Value::Integer(number),
                ValueRef::Real(number) => response::Value::Real(number),
                ValueRef::Text(text) => response::Value::Text(text),
                ValueRef::Blob(blob) => response::Value::Blob(blob),
            };
            leaf.write(value, &mut out).unwrap();
            let class: String = row.get(1)?;
            Ok([&*class, " ", &String::from_utf8(out).unwrap()].concat())
        };
        connection.query_row("SELECT v, typeof(v) FROM t", (), read).unwrap()
    }

    #[test]
    fn decimals_keep_every_digit_or_are_refused() {
        let leaf = Leaf::Decimal { scale: None };
        let check = |given: &str, expect: &str| {
            for declared in ["NUMERIC", "DECIMAL(20,5)", "NUMBER"] {
                let read = round_trip(declared, ValueKind::Decimal, &leaf, given);
                assert_eq!(read, expect, "{declared} {given}");
            }
        };
        check("0", "integer \"0\"");
        check("-0.00", "integer \"0\"");
        check("13.860", "real \"13.86\"");
        check("12.00", "integer \"12\"");
        check("1e3", "integer \"1000\"");
        check("+.5", "real \"0.5\"");
        check("9223372036854775807", "integer \"9223372036854775807\"");
        check("-9223372036854775808", "integer \"-9223372036854775808\"");
        check("0.000000123456789012345", "real \"0.000000123456789012345\"");
        check("1e20", "real \"100000000000000000000\"");
        let lost = "refused: the column keeps no more than 15 digits of such a number, and would lose some of ";
        for text in [
            "12345678901234567890.12",
            "0.1234567890123456",
            "9223372036854775808",
            "1e400",
            "1.5e-400",
            "123456789012345e-330",
        ] {
            check(text, &format!("{lost}\"{text}\""));
        }
        for text in
            ["", "NaN", "Infinity", "1e", "1.2.3", "--1", "0x1", "1 2", "1e99999999999999999999"]
        {
            check(text, &format!("refused: invalid input syntax for type numeric: \"{text}\""));
        }
    }

    #[test]
    fn texts_stay_as_they_are_in_a_column_of_numbers_or_are_refused() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (i INTEGER, n NUMERIC, b BOOLEAN)").unwrap();
        for text in [
            "",
            " ",
            "a",
            "007",
            "7",
            "-7",
            "+7",
            "1.5",
            "1.50",
            "-0",
            "0",
            ".5",
            "5.",
            "1e3",
            "1E+3",
            " 7",
            "7 ",
            "\t7",
            "0x1F",
            "1_000",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "0.1234567890123456",
            "123456.789",
            "1e400",
            "1.0",
            "--1",
            "1e",
            "10.25",
            "NaN",
            "Infinity",
            "inf",
            "true",
            "7\u{a0}",
            "1.5e0",
            "123456789012345678",
        ] {
            let given = Resolved::Text(text.into());
            let stored = stored(&given, ValueKind::Text, Some(Beyond::NumbersOfTexts));
            for column in ["i", "n", "b"] {
                connection.execute("DELETE FROM t", ()).unwrap();
                let insert = ["INSERT INTO t (", column, ") VALUES (?1)"].concat();
                connection.execute(&insert, [text]).unwrap();
                let select = ["SELECT CAST(", column, " AS TEXT) FROM t"].concat();
                let kept: String = connection.query_row(&select, (), |row| row.get(0)).unwrap();
                // In doubt it is refused, but never the most usual.
                assert!(kept == text || stored.is_err(), "{text} becomes {kept}");
                let is_usual = kept == text && text.len() < 12;
                assert!(stored.is_ok() || !is_usual, "{text}: {stored:?}");
            }
        }
    }

    #[test]
    fn decimals_have_the_digits_that_are_declared() {
        let check = |precision, scale, given: &str, expect: &str| {
            let leaf = Leaf::Decimal { scale: None };
            let digits = Some(Digits { precision, scale });
            let read = round_trip_of("NUMERIC", ValueKind::Decimal, digits, &leaf, given);
            assert_eq!(read, expect, "{given}");
        };
        check(5, 2, "1.005", "real \"1.01\"");
        check(5, 2, "-1.005", "real \"-1.01\"");
        check(5, 2, "1.004999999999999999999", "integer \"1\"");
        check(5, 2, "0.004", "integer \"0\"");
        check(5, 2, "0.005", "real \"0.01\"");
        check(5, 2, "0.0005", "integer \"0\"");
        check(5, 2, "9.995", "integer \"10\"");
        check(5, 2, "999.994", "real \"999.99\"");
        check(5, 2, "999.995", "refused: numeric field overflow");
        check(5, 2, "1e3", "refused: numeric field overflow");
        check(5, 2, "0e9", "integer \"0\"");
        check(5, 0, "99999.4", "integer \"99999\"");
        check(2, 4, "0.00994", "real \"0.0099\"");
        check(2, 4, "0.01", "refused: numeric field overflow");
        check(20, 10, "12345.67890123456789", "real \"12345.6789012346\"");
    }

    #[test]
    fn floating_point_numbers_are_those_of_the_machine() {
        let check = |given: &str, expect: &str| {
            let read = round_trip("REAL", ValueKind::Float, &Leaf::Float, given);
            assert_eq!(read, expect, "{given}");
        };
        check("0.1", "real 0.1");
        check("1e308", "real 1e+308");
        check("3", "real 3");
        check("5e-324", "real 5e-324");
        for text in ["1e309", "-1e309"] {
            let refused = format!("refused: \"{text}\" is out of range for type double precision");
            check(text, &refused);
        }
        for text in ["NaN", "inf", "Infinity", "1,5", ""] {
            let refused =
                format!("refused: invalid input syntax for type double precision: \"{text}\"");
            check(text, &refused);
        }
    }

    #[test]
    fn moments_are_stored_in_the_forms_of_sqlite() {
        let check = |kind, declared: &str, leaf: &Leaf, given: &str, expect: &str| {
            assert_eq!(round_trip(declared, kind, leaf, given), expect, "{given}");
        };
        let date = |given: &str, expect: &str| {
            check(ValueKind::Date, "DATE", &Leaf::Date, given, expect);
        };
        date("2020-02-29", "text \"2020-02-29\"");
        date("2020-02-29T12:00:00", "text \"2020-02-29\"");
        date("0000-01-01", "refused: invalid input syntax for type date: \"0000-01-01\"");
        let timestamp = |given: &str, expect: &str| {
            check(ValueKind::Timestamp, "DATETIME", &Leaf::Timestamp, given, expect);
        };
        timestamp("2020-01-02T03:04:05.500", "text \"2020-01-02T03:04:05.5\"");
        timestamp("2020-01-02T03:04:05+05:00", "text \"2020-01-02T03:04:05\"");
        timestamp("2020-12-31t24:00:00", "text \"2021-01-01T00:00:00\"");
        timestamp("2020-12-31 23:59:60Z", "text \"2021-01-01T00:00:00\"");
        timestamp("2020-12-31", "text \"2020-12-31T00:00:00\"");
        timestamp("2020-12-31T23:59:59.9999999", "text \"2021-01-01T00:00:00\"");
        let refused =
            "refused: invalid input syntax for type timestamp: \"9999-12-31T23:59:59.9999999\"";
        timestamp("9999-12-31T23:59:59.9999999", refused);
        let instant = |given: &str, expect: &str| {
            let kind = ValueKind::TimestampWithZone;
            check(kind, "TIMESTAMPTZ", &Leaf::TimestampWithZone, given, expect);
        };
        instant("2020-01-02T03:04:05.25+02:00", "text \"2020-01-02T01:04:05.25+00:00\"");
        instant("2020-01-01T00:30:00+01:00", "text \"2019-12-31T23:30:00+00:00\"");
        let clock = |given: &str, expect: &str| {
            check(ValueKind::Time, "TIME", &Leaf::Time, given, expect);
        };
        clock("03:04", "text \"03:04:00\"");
        clock("03:04:05.678000", "text \"03:04:05.678\"");
        clock("24:00:00", "text \"24:00:00\"");
        clock("25:00", "refused: invalid input syntax for type time: \"25:00\"");
        let zoned = |given: &str, expect: &str| {
            check(ValueKind::TimeWithZone, "TIMETZ", &Leaf::TimeWithZone, given, expect);
        };
        zoned("03:04:05-03:30", "text \"03:04:05-03:30\"");
        zoned("03:04:05Z", "text \"03:04:05+00\"");
    }

    #[test]
    fn other_kinds_have_one_form() {
        let check = |kind, declared: &str, leaf: &Leaf, given: &str, expect: &str| {
            assert_eq!(round_trip(declared, kind, leaf, given), expect, "{given}");
        };
        let integer = ValueKind::Integer { bits: 16 };
        check(ValueKind::Boolean, "BOOLEAN", &Leaf::Boolean, "true", "integer true");
        check(integer, "SMALLINT", &Leaf::Int, "-32768", "integer -32768");
        let refused = "refused: value \"32768\" is out of range for type smallint";
        check(integer, "SMALLINT", &Leaf::Int, "32768", refused);
        let id = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
        let read = format!("text \"{id}\"");
        check(ValueKind::Uuid, "UUID", &Leaf::Uuid, &id.to_uppercase(), &read);
        check(ValueKind::Bytes, "BYTEA", &Leaf::Bytes, "\\x00fF", "blob \"\\\\x00ff\"");
        check(ValueKind::Bytes, "BLOB", &Leaf::Bytes, "\\x", "blob \"\\\\x\"");
        check(ValueKind::Text, "VARCHAR(2)", &Leaf::Text, "007", "text \"007\"");
        check(ValueKind::Other, "", &Leaf::Any, "007", "text \"007\"");
    }

    #[test]
    fn json_is_stored_as_it_is_given() {
        let leaf = Leaf::Json(JsonForm::Embedded);
        let check = |given: &str, expect: &str| {
            assert_eq!(round_trip("JSON", ValueKind::Json, &leaf, given), expect, "{given}");
        };
        check(r#" {"b": 1.50, "a": "é"} "#, r#"text {"b":1.5,"a":"é"}"#);
        check("\"12\"", "text \"12\"");
        check("null", "text null");
        check("12", "integer 12");
        check("1.50", "real 1.5");
        check("{", "refused: invalid input syntax for type json: \"{\"");
        let digits = "0.12345678901234567";
        let lost = "refused: the column keeps no more than 15 digits of such a number, and would lose some of ";
        check(digits, &format!("{lost}\"{digits}\""));
    }

    #[test]
    fn null_is_null_and_parts_are_refused() {
        assert_eq!(stored(&Resolved::Null, ValueKind::Json, None), Ok(Value::Null));
        let list = Resolved::List(vec![Resolved::Integer(1)]);
        assert!(stored(&list, ValueKind::Text, None).is_err());
    }
}
