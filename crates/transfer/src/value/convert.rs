//! Texts and JSON → values of columns.

use serde_json::Value as Json;
use storage::tables::ColumnType;

use super::{Value, moment, place};

/// A value as a file has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Raw<'r> {
    Text(&'r str),
    /// The digits of a number of JSON.
    Number(&'r str),
    Boolean(bool),
    /// An object or a list, as JSON.
    Json(&'r str),
    /// A list without elements.
    EmptyList,
}

/// The reason why a value is none of a column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{0} is expected")]
    Other(&'static str),
    #[error("{0} is a value of the enum")]
    OtherLabel(String),
    #[error("a number within 32 bits is expected")]
    Beyond32Bits,
    #[error("a text has no character NUL in PostgreSQL")]
    Nul,
    #[error("the hash of a password is expected, as Dgraph exports it")]
    Password,
}

/// A value of a type of columns, of an element if the column has lists.
pub fn convert(raw: Raw<'_>, r#type: &ColumnType) -> Result<Value, Refused> {
    match r#type {
        ColumnType::Boolean => match raw {
            Raw::Boolean(value) => Ok(Value::Boolean(value)),
            Raw::Text(text) | Raw::Number(text) => boolean(text),
            Raw::Json(_) | Raw::EmptyList => Err(Refused::Other("a Boolean")),
        },
        ColumnType::Int32 | ColumnType::Serial { .. } => match integer(raw) {
            Some(number) if i32::try_from(number).is_ok() => Ok(Value::Integer(number)),
            Some(_) => Err(Refused::Beyond32Bits),
            None => Err(Refused::Other("an integer")),
        },
        ColumnType::Int64 => {
            integer(raw).map(Value::Integer).ok_or(Refused::Other("an integer of 64 bits"))
        }
        ColumnType::Float64 | ColumnType::Decimal => float(raw).ok_or(Refused::Other("a number")),
        ColumnType::Text | ColumnType::Identifier | ColumnType::Uuid | ColumnType::JsonText => {
            Ok(Value::Text(text(raw)?.into()))
        }
        ColumnType::Enum(labels) => {
            let text = text(raw)?;
            match labels.iter().any(|label| **label == *text) {
                true => Ok(Value::Text(text.into())),
                false => Err(Refused::OtherLabel(labels.join(" or "))),
            }
        }
        ColumnType::DateTime | ColumnType::Timestamp => {
            let read = match raw {
                Raw::Text(text) | Raw::Number(text) => moment::read(text),
                Raw::Boolean(_) | Raw::Json(_) | Raw::EmptyList => None,
            };
            read.map(|moment| Value::Moment(moment.micros)).ok_or(Refused::Other("a date and time"))
        }
        ColumnType::Json => {
            json(raw).map(|json| Value::Json(json.to_string())).ok_or(Refused::Other("JSON"))
        }
        ColumnType::Point | ColumnType::Polygon | ColumnType::MultiPolygon => {
            let place = json(raw).and_then(|json| place::read(&json, r#type));
            place.map(Value::Json).ok_or(Refused::Other("a place as GeoJSON"))
        }
        ColumnType::Vector => vector(raw).ok_or(Refused::Other("a list of numbers")),
        // Hashes begin with their method: `$2a$10$…` is one of bcrypt.
        ColumnType::Password => match text(raw)? {
            hash if hash.starts_with('$') && hash.len() > 20 => Ok(Value::Text(hash.into())),
            _ => Err(Refused::Password),
        },
    }
}

/// The forms that Dgraph reads.
fn boolean(text: &str) -> Result<Value, Refused> {
    match text {
        "true" | "TRUE" | "True" | "t" | "T" | "1" => Ok(Value::Boolean(true)),
        "false" | "FALSE" | "False" | "f" | "F" | "0" => Ok(Value::Boolean(false)),
        _ => Err(Refused::Other("a Boolean")),
    }
}

fn integer(raw: Raw<'_>) -> Option<i64> {
    let text = match raw {
        Raw::Text(text) | Raw::Number(text) => text,
        Raw::Boolean(_) | Raw::Json(_) | Raw::EmptyList => return None,
    };
    text.parse().ok()
}

fn float(raw: Raw<'_>) -> Option<Value> {
    let text = match raw {
        Raw::Text(text) | Raw::Number(text) => text,
        Raw::Boolean(_) | Raw::Json(_) | Raw::EmptyList => return None,
    };
    text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::float)
}

fn text<'r>(raw: Raw<'r>) -> Result<&'r str, Refused> {
    match raw {
        Raw::Text(text) if memchr::memchr(0, text.as_bytes()).is_some() => Err(Refused::Nul),
        Raw::Text(text) | Raw::Number(text) => Ok(text),
        Raw::Boolean(true) => Ok("true"),
        Raw::Boolean(false) => Ok("false"),
        Raw::Json(_) | Raw::EmptyList => Err(Refused::Other("a text")),
    }
}

fn json(raw: Raw<'_>) -> Option<Json> {
    match raw {
        Raw::Json(text) => serde_json::from_str(text).ok(),
        // Dgraph reads texts in single quotes, too.
        Raw::Text(text) => {
            let read = serde_json::from_str(text).ok();
            read.or_else(|| serde_json::from_str(&text.replace('\'', "\"")).ok())
        }
        Raw::Number(_) | Raw::Boolean(_) | Raw::EmptyList => None,
    }
}

/// A vector, as JSON or as Dgraph writes it: with commas or spaces.
fn vector(raw: Raw<'_>) -> Option<Value> {
    let text = match raw {
        Raw::Text(text) | Raw::Json(text) => text,
        Raw::EmptyList => return Some(Value::List(Vec::new())),
        Raw::Number(_) | Raw::Boolean(_) => return None,
    };
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let parts = inner.split([',', ' ']).filter(|part| !part.is_empty());
    let numbers = parts.map(|part| {
        let number: f64 = part.trim().parse().ok()?;
        number.is_finite().then(|| Value::float(number))
    });
    numbers.collect::<Option<Vec<Value>>>().map(Value::List)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: Raw<'_>, r#type: &ColumnType, expect: &str) {
        let shown = match convert(raw, r#type) {
            Ok(value) => {
                let mut bytes = Vec::new();
                value.write(&mut bytes);
                let mut out = Vec::new();
                for value in super::super::Row::new(&bytes) {
                    super::super::text::write_json(value, &mut out);
                }
                String::from_utf8(out).unwrap()
            }
            Err(refused) => refused.to_string(),
        };
        assert_eq!(shown, expect, "{raw:?}");
    }

    #[test]
    fn values_are_of_the_type_of_their_column() {
        check(Raw::Text("7"), &ColumnType::Int32, "7");
        check(Raw::Number("7"), &ColumnType::Text, "\"7\"");
        check(Raw::Text("3000000000"), &ColumnType::Int32, "a number within 32 bits is expected");
        check(Raw::Text("3000000000"), &ColumnType::Int64, "3000000000");
        check(Raw::Text("x"), &ColumnType::Int64, "an integer of 64 bits is expected");
        check(Raw::Text("NaN"), &ColumnType::Float64, "a number is expected");
        check(Raw::Number("-0.0"), &ColumnType::Float64, "0");
        check(Raw::Text("T"), &ColumnType::Boolean, "true");
        check(Raw::Text("yes"), &ColumnType::Boolean, "a Boolean is expected");
        check(Raw::Text("a\0"), &ColumnType::Text, "a text has no character NUL in PostgreSQL");
        let labels = ColumnType::Enum(vec!["A".into(), "B".into()]);
        check(Raw::Text("A"), &labels, "\"A\"");
        check(Raw::Text("C"), &labels, "A or B is a value of the enum");
        check(Raw::Text("[1, 2.5 3 -0.0]"), &ColumnType::Vector, "[1,2.5,3,0]");
        check(
            Raw::Text("secret"),
            &ColumnType::Password,
            "the hash of a password is expected, as Dgraph exports it",
        );
        let point = "{'type':'Point','coordinates':[8.5,47.0]}";
        check(Raw::Text(point), &ColumnType::Point, r#"{"type":"Point","coordinates":[8.5,47.0]}"#);
        let zero = "{'type':'Point','coordinates':[-0.0,0.0]}";
        check(Raw::Text(zero), &ColumnType::Point, r#"{"type":"Point","coordinates":[0.0,0.0]}"#);
        check(Raw::Text(point), &ColumnType::Polygon, "a place as GeoJSON is expected");
        let input = r#"{"coordinates":[{"points":[{"longitude":1,"latitude":2}]}]}"#;
        check(
            Raw::Json(input),
            &ColumnType::Polygon,
            r#"{"type":"Polygon","coordinates":[[[1,2]]]}"#,
        );
    }
}
