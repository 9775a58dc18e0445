//! A value in the type of its statement's parameter.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ir::Operand;
use response::calendar::Moment;
use serde_json_bytes::Value as Json;
use source::SourceError;
use source::operand::{Resolved, Variables, resolve};

use super::super::program::ParameterType;
use super::super::wire::Pack;
use super::{duration, moment, point};

/// Appends the value of an operand, whose parts may have several sources.
pub(super) fn pack_operand(
    operand: &Operand,
    r#type: &ParameterType,
    variables: Variables<'_>,
    out: &mut Pack,
) -> Result<(), SourceError> {
    match (r#type, operand) {
        (ParameterType::List(element), Operand::List(items)) => {
            out.list(items.len());
            items.iter().try_for_each(|item| pack_operand(item, element, variables, out))
        }
        (ParameterType::Row(members), Operand::Object(own)) => {
            out.map(members.len());
            for (name, r#type) in members {
                out.text(name);
                match own.iter().find(|(given, _)| given == name) {
                    Some((_, operand)) => pack_operand(operand, r#type, variables, out)?,
                    // Neither stores a property.
                    None => out.null(),
                }
            }
            Ok(())
        }
        (_, Operand::Claims) => match variables.claims {
            Some(claims) => pack_json(claims.all(), r#type, out),
            None => {
                out.map(0);
                Ok(())
            }
        },
        _ => pack(&resolve(operand, variables)?, r#type, out),
    }
}

/// Appends a value; null is of every type.
pub(super) fn pack(
    value: &Resolved<'_>,
    r#type: &ParameterType,
    out: &mut Pack,
) -> Result<(), SourceError> {
    match (r#type, value) {
        (_, Resolved::Null) => {
            out.null();
            Ok(())
        }
        (_, Resolved::Json(text)) => pack_json(&parse(text)?, r#type, out),
        (ParameterType::Any, Resolved::List(items)) => {
            out.list(items.len());
            items.iter().try_for_each(|item| pack(item, r#type, out))
        }
        (ParameterType::List(element), Resolved::List(items)) => {
            out.list(items.len());
            items.iter().try_for_each(|item| pack(item, element, out))
        }
        // A single value is coerced to a list of one.
        (ParameterType::List(element), _) => {
            out.list(1);
            pack(value, element, out)
        }
        (_, Resolved::List(_) | Resolved::Parts(_)) => {
            Err(SourceError::input("a value that has parts stands where it must have none"))
        }
        (_, Resolved::File(file)) => Err(SourceError::input(file.misplaced("property of a graph"))),
        _ => scalar(value, r#type, out),
    }
}

/// Appends a value that is given as JSON.
fn pack_json(value: &Json, r#type: &ParameterType, out: &mut Pack) -> Result<(), SourceError> {
    match (r#type, value) {
        (_, Json::Null) => {
            out.null();
            Ok(())
        }
        (ParameterType::List(element), Json::Array(items)) => {
            out.list(items.len());
            items.iter().try_for_each(|item| pack_json(item, element, out))
        }
        (ParameterType::List(element), _) => {
            out.list(1);
            pack_json(value, element, out)
        }
        (ParameterType::Row(members), Json::Object(object)) => {
            out.map(members.len());
            for (name, own) in members {
                out.text(name);
                pack_json(object.get(&**name).unwrap_or(&Json::Null), own, out)?;
            }
            Ok(())
        }
        (ParameterType::Map(members), Json::Object(object)) => {
            let given = |(name, own)| object.get::<str>(name).map(|value| (name, own, value));
            let given: Vec<(&str, &ParameterType, &Json)> =
                members.iter().filter_map(|(name, own)| given((&**name, own))).collect();
            out.map(given.len());
            for (name, own, value) in given {
                out.text(name);
                pack_json(value, own, out)?;
            }
            Ok(())
        }
        (ParameterType::Any, Json::Array(items)) => {
            out.list(items.len());
            items.iter().try_for_each(|item| pack_json(item, r#type, out))
        }
        (ParameterType::Any, Json::Object(object)) => {
            out.map(object.len());
            for (name, value) in object {
                out.text(name.as_str());
                pack_json(value, r#type, out)?;
            }
            Ok(())
        }
        (ParameterType::GeographicPoint, Json::Object(object)) => {
            point::pack_geographic(object, out)
        }
        (ParameterType::CartesianPoint, Json::Object(object)) => point::pack_cartesian(object, out),
        (_, Json::Bool(boolean)) => scalar(&Resolved::Boolean(*boolean), r#type, out),
        (_, Json::Number(number)) => {
            scalar(&Resolved::Number(number.to_string().into()), r#type, out)
        }
        (_, Json::String(text)) => scalar(&Resolved::Text(text.as_str().into()), r#type, out),
        (_, Json::Array(_) | Json::Object(_)) => {
            Err(SourceError::input("a value that has parts stands where it must have none"))
        }
    }
}

fn parse(text: &str) -> Result<Json, SourceError> {
    serde_json::from_str(text).map_err(|error| SourceError::input(error.to_string()))
}

/// Whether a text is a whole number of any size.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// Appends a value without parts.
fn scalar(value: &Resolved<'_>, r#type: &ParameterType, out: &mut Pack) -> Result<(), SourceError> {
    let text = value.text().unwrap_or_default();
    let refuse = |what: &str| Err(SourceError::input([what, ": ", &text].concat()));
    match r#type {
        ParameterType::Boolean => match value {
            Resolved::Boolean(boolean) => out.boolean(*boolean),
            _ => return refuse("Boolean cannot represent a non boolean value"),
        },
        ParameterType::Integer => match integer(value) {
            Some(integer) => out.integer(integer),
            None if is_whole(&text) => return refuse("Overflow: a BigInt has 64 bits"),
            None => return refuse("Value must be a BigInt, or a string representing one"),
        },
        ParameterType::Float => match text.parse::<f64>() {
            Ok(float) if float.is_finite() => out.float(float),
            Ok(_) | Err(_) => return refuse("Float cannot represent non numeric value"),
        },
        ParameterType::Text => out.text(&text),
        ParameterType::Date => match moment::day(&text) {
            Some(day) => moment::pack_day(day, out),
            None => return refuse("Date cannot represent non temporal value"),
        },
        ParameterType::LocalTime => match moment::clock(&text) {
            Some(clock) => moment::pack_clock(clock, out),
            None => return refuse("Value must be formatted as LocalTime"),
        },
        ParameterType::Time => match moment::zoned_clock(&text) {
            Some(clock) => moment::pack_zoned_clock(clock, out),
            None => return refuse("Value must be formatted as Time"),
        },
        ParameterType::LocalDateTime => match moment::local(&text) {
            Some(moment) => moment::pack_local(moment, out),
            None => return refuse("Value must be formatted as LocalDateTime"),
        },
        ParameterType::DateTime => match Moment::read(&text) {
            Some(moment) => moment::pack_moment(&moment, out),
            None => return refuse("DateTime cannot represent non temporal value"),
        },
        ParameterType::Duration => match duration::Duration::read(&text) {
            Some(duration) => duration.pack(out),
            None => return refuse("Value must be formatted as Duration"),
        },
        ParameterType::Any => any(value, &text, out),
        ParameterType::Packed => match STANDARD.decode(&*text) {
            Ok(packed) => out.raw(&packed),
            Err(error) => return refuse(&error.to_string()),
        },
        ParameterType::GeographicPoint
        | ParameterType::CartesianPoint
        | ParameterType::Row(_)
        | ParameterType::Map(_)
        | ParameterType::List(_) => {
            return Err(SourceError::input("a value without parts stands where it must have some"));
        }
    }
    Ok(())
}

/// Appends a value by its own type.
fn any(value: &Resolved<'_>, text: &str, out: &mut Pack) {
    match value {
        Resolved::Boolean(boolean) => out.boolean(*boolean),
        Resolved::Integer(integer) => out.integer(*integer),
        Resolved::Number(_) => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(integer), _) => out.integer(integer),
            (Err(_), Ok(float)) => out.float(float),
            (Err(_), Err(_)) => out.text(text),
        },
        _ => out.text(text),
    }
}

/// A whole number, however it is written.
fn integer(value: &Resolved<'_>) -> Option<i64> {
    /// Every whole number up to here has a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Resolved::Integer(integer) => Some(*integer),
        Resolved::Text(text) => text.parse().ok(),
        Resolved::Number(text) => text.parse().ok().or_else(|| {
            let float = text.parse::<f64>().ok()?;
            (float.trunc() == float && float.abs() <= EXACT).then_some(float as i64)
        }),
        Resolved::Null
        | Resolved::Boolean(_)
        | Resolved::List(_)
        | Resolved::Json(_)
        | Resolved::Parts(_)
        | Resolved::File(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Claims;

    fn packed(value: &Resolved<'_>, r#type: &ParameterType) -> Result<Vec<u8>, String> {
        let mut out = Pack::new();
        match pack(value, r#type, &mut out) {
            Ok(()) => Ok(out.as_bytes().to_vec()),
            Err(error) => Err(error.message.into()),
        }
    }

    #[track_caller]
    fn check(value: &Resolved<'_>, r#type: &ParameterType, expect: &[u8]) {
        assert_eq!(packed(value, r#type).as_deref(), Ok(expect), "{value:?}");
    }

    #[track_caller]
    fn check_refused(value: &Resolved<'_>, r#type: &ParameterType, expect: &str) {
        assert_eq!(packed(value, r#type), Err(expect.to_owned()));
    }

    fn text(text: &str) -> Resolved<'_> {
        Resolved::Text(text.into())
    }

    #[test]
    fn values_are_packed_as_their_types() {
        check(&Resolved::Null, &ParameterType::Date, b"\xc0");
        check(&Resolved::Boolean(true), &ParameterType::Boolean, b"\xc3");
        check(&Resolved::Integer(300), &ParameterType::Integer, b"\xc9\x01\x2c");
        check(&text("-9"), &ParameterType::Integer, b"\xf7");
        check(&Resolved::Number("2e1".into()), &ParameterType::Integer, b"\x14");
        check(&Resolved::Integer(1), &ParameterType::Float, b"\xc1\x3f\xf0\0\0\0\0\0\0");
        check(&Resolved::Number("1.5".into()), &ParameterType::Float, b"\xc1\x3f\xf8\0\0\0\0\0\0");
        check(&text("a"), &ParameterType::Text, b"\x81a");
        check(&Resolved::Integer(12), &ParameterType::Text, b"\x8212");
        check(&text("1970-01-02"), &ParameterType::Date, b"\xb1D\x01");
        check(&text("00:00:00"), &ParameterType::LocalTime, b"\xb1t\x00");
        check(&text("00:00:00+00:01"), &ParameterType::Time, b"\xb2T\x00\x3c");
        check(&text("1970-01-01T00:00:01"), &ParameterType::LocalDateTime, b"\xb2d\x01\x00");
        check(&text("1970-01-01T00:00:01Z"), &ParameterType::DateTime, b"\xb3I\x01\x00\x00");
        check(&text("P1D"), &ParameterType::Duration, b"\xb4E\x00\x01\x00\x00");
    }

    #[test]
    fn lists_rows_and_points_are_packed_part_by_part() {
        let list = ParameterType::List(Box::new(ParameterType::Integer));
        let items = Resolved::List(vec![Resolved::Integer(1), Resolved::Null]);
        check(&items, &list, b"\x92\x01\xc0");
        check(&Resolved::Integer(1), &list, b"\x91\x01");
        let row = ParameterType::Row(vec![
            ("a".into(), ParameterType::Text),
            ("b".into(), list),
            ("c".into(), ParameterType::Boolean),
        ]);
        let rows = ParameterType::List(Box::new(row));
        check(
            &Resolved::Json(r#"[{"b":[1,2],"a":"x","ignored":0},{}]"#.into()),
            &rows,
            b"\x92\xa3\x81a\x81x\x81b\x92\x01\x02\x81c\xc0\xa3\x81a\xc0\x81b\xc0\x81c\xc0",
        );
        let own = Operand::Object(vec![
            ("b".into(), Operand::List(vec![Operand::Constant(ir::Value::Integer(7))])),
            ("a".into(), Operand::Variable { slot: ir::Slot(0), path: Vec::new() }),
        ]);
        let slots = [Some(Json::String("x".into()))];
        let mut out = Pack::new();
        pack_operand(&Operand::List(vec![own]), &rows, Variables::of(&slots), &mut out).unwrap();
        assert_eq!(out.as_bytes(), b"\x91\xa3\x81a\x81x\x81b\x91\x07\x81c\xc0");
        let point = Resolved::Json(r#"{"longitude":1,"latitude":2}"#.into());
        let expect = b"\xb3X\xc9\x10\xe6\xc1\x3f\xf0\0\0\0\0\0\0\xc1\x40\0\0\0\0\0\0\0";
        check(&point, &ParameterType::GeographicPoint, expect);
    }

    #[test]
    fn maps_have_what_is_given_and_nothing_else() {
        let map = ParameterType::Map(vec![
            ("a".into(), ParameterType::Integer),
            ("b".into(), ParameterType::Date),
            ("c".into(), ParameterType::Map(vec![("d".into(), ParameterType::Any)])),
        ]);
        let given = r#"{"c":{"d":[1,2.5,"x",null,{"e":true}]},"a":"7","ignored":1}"#;
        let expect =
            b"\xa2\x81a\x07\x81c\xa1\x81d\x95\x01\xc1\x40\x04\0\0\0\0\0\0\x81x\xc0\xa1\x81e\xc3";
        check(&Resolved::Json(given.into()), &map, expect);
        check(&Resolved::Json(r#"{"b":null}"#.into()), &map, b"\xa1\x81b\xc0");
        check(&Resolved::Json("{}".into()), &map, b"\xa0");
        check_refused(
            &Resolved::Json(r#"{"a":"x"}"#.into()),
            &map,
            "Value must be a BigInt, or a string representing one: x",
        );
        check(&Resolved::List(vec![Resolved::Integer(1)]), &ParameterType::Any, b"\x91\x01");
        check(&text("x"), &ParameterType::Any, b"\x81x");
    }

    #[test]
    fn claims_are_a_map_of_what_they_are_and_an_empty_one_without_any() {
        let packed = |claims: Option<&Claims>| {
            let mut out = Pack::new();
            let variables = Variables { claims, ..Variables::of(&[]) };
            pack_operand(&Operand::Claims, &ParameterType::Any, variables, &mut out).unwrap();
            out.as_bytes().to_vec()
        };
        let claims = Claims::new(serde_json_bytes::json!({"n": [7, null], "sub": "a"}));
        // By name, as maps of JSON are sorted in some builds.
        assert_eq!(packed(Some(&claims)), b"\xa2\x81n\x92\x07\xc0\x83sub\x81a");
        assert_eq!(packed(None), b"\xa0");
    }

    #[test]
    fn values_of_other_types_are_refused_in_the_words_of_the_library() {
        check_refused(
            &text("2020-02-30"),
            &ParameterType::Date,
            "Date cannot represent non temporal value: 2020-02-30",
        );
        check_refused(
            &text("now"),
            &ParameterType::DateTime,
            "DateTime cannot represent non temporal value: now",
        );
        check_refused(&text("1"), &ParameterType::Time, "Value must be formatted as Time: 1");
        check_refused(
            &text("P"),
            &ParameterType::Duration,
            "Value must be formatted as Duration: P",
        );
        check_refused(
            &text("99999999999999999999"),
            &ParameterType::Integer,
            "Overflow: a BigInt has 64 bits: 99999999999999999999",
        );
        check_refused(
            &Resolved::Number("1.5".into()),
            &ParameterType::Integer,
            "Value must be a BigInt, or a string representing one: 1.5",
        );
        let parts = "a value that has parts stands where it must have none";
        check_refused(&Resolved::List(Vec::new()), &ParameterType::Text, parts);
        check_refused(&Resolved::Json("{}".into()), &ParameterType::Text, parts);
        let none = "a value without parts stands where it must have some";
        check_refused(&text("x"), &ParameterType::CartesianPoint, none);
    }
}
