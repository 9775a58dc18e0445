//! Values that definitions say: those of `@default` and `@coalesce`.

use std::sync::Arc;

use graphql::definitions::{EnumValueDefinition, Literal};

use super::types::Types;
use super::written::WrittenBody;
use crate::model::{ApiVersion, Constant, PropertyType};

/// What a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Default,
    Coalesce,
}

impl Use {
    fn directive(self) -> &'static str {
        match self {
            Self::Default => "@default",
            Self::Coalesce => "@coalesce",
        }
    }
}

/// A value of the type of a field, or what is wrong with it.
pub(super) fn constant(
    types: &Types<'_>,
    r#use: Use,
    r#type: &PropertyType,
    is_list: bool,
    literal: &Literal,
) -> Result<Constant, String> {
    let directive = r#use.directive();
    if !takes(types.version, r#use, r#type) {
        return Err(format!("`{directive}` cannot say values of its type"));
    }
    if !is_list {
        let wrong = || format!("`{directive}(value:)` is {}", expected(types, r#type));
        return value(types, r#type, literal).ok_or_else(wrong);
    }
    if types.version == ApiVersion::V3 && !matches!(r#type, PropertyType::Enum(_)) {
        return Err(format!("`{directive}` says lists of enums only"));
    }
    let wrong = || format!("`{directive}(value:)` is a list, each {}", expected(types, r#type));
    let Literal::List(items) = literal else { return Err(wrong()) };
    let items: Option<Vec<Constant>> =
        items.iter().map(|item| value(types, r#type, item)).collect();
    items.map(Constant::List).ok_or_else(wrong)
}

/// Whether there are such values of a type.
fn takes(version: ApiVersion, r#use: Use, r#type: &PropertyType) -> bool {
    match r#type {
        PropertyType::Boolean
        | PropertyType::Id
        | PropertyType::Int
        | PropertyType::Float
        | PropertyType::String
        | PropertyType::Enum(_) => true,
        PropertyType::BigInt => r#use == Use::Default && version == ApiVersion::V7,
        PropertyType::Date | PropertyType::DateTime | PropertyType::LocalDateTime => {
            r#use == Use::Default
        }
        // version 3 takes moments only.
        PropertyType::Time | PropertyType::LocalTime => {
            r#use == Use::Default && version == ApiVersion::V7
        }
        PropertyType::Duration
        | PropertyType::Point
        | PropertyType::CartesianPoint
        | PropertyType::Scalar(_) => false,
    }
}

fn value(types: &Types<'_>, r#type: &PropertyType, literal: &Literal) -> Option<Constant> {
    match (r#type, literal) {
        (PropertyType::Boolean, Literal::Boolean(value)) => Some(Constant::Boolean(*value)),
        (PropertyType::Int, Literal::Int(digits)) => {
            digits.parse::<i32>().ok().map(|value| Constant::Integer(value.into()))
        }
        (PropertyType::BigInt, Literal::Int(digits) | Literal::String(digits)) => {
            digits.parse().ok().map(Constant::Integer)
        }
        (PropertyType::Float, Literal::Float(digits)) => float(digits),
        (PropertyType::Float, Literal::Int(digits)) if types.version == ApiVersion::V7 => {
            float(digits)
        }
        (PropertyType::Id | PropertyType::String, Literal::String(text)) => {
            Some(Constant::Text(text.clone()))
        }
        (
            PropertyType::Date | PropertyType::DateTime | PropertyType::LocalDateTime,
            Literal::String(text),
        ) => is_moment(text).then(|| Constant::Text(text.clone())),
        (PropertyType::Time, Literal::String(text)) => {
            let (clock, zone) = split_zone(text);
            let is_right = is_clock(clock) && is_zone(zone);
            (is_right && (zone.is_empty() || has_seconds(clock)))
                .then(|| Constant::Text(text.clone()))
        }
        (PropertyType::LocalTime, Literal::String(text)) => {
            (is_clock(text) && has_seconds(text)).then(|| Constant::Text(text.clone()))
        }
        (PropertyType::Enum(place), Literal::Enum(name)) => {
            let mut values = enum_values(types, *place).iter();
            values.any(|value| value.name == *name).then(|| Constant::Enum(name.clone()))
        }
        _ => None,
    }
}

fn float(digits: &Arc<str>) -> Option<Constant> {
    let is_finite = digits.parse::<f64>().is_ok_and(f64::is_finite);
    is_finite.then(|| Constant::Float(digits.clone()))
}

fn enum_values<'d>(types: &Types<'d>, place: usize) -> &'d [&'d EnumValueDefinition] {
    match types.enums.get(place).map(|one| &one.written.body) {
        Some(WrittenBody::Enum(values)) => values,
        _ => &[],
    }
}

/// What a value of the type is, as the object of a sentence.
fn expected(types: &Types<'_>, r#type: &PropertyType) -> String {
    match r#type {
        PropertyType::Boolean => "`true` or `false`".into(),
        PropertyType::Int => "a whole number of 32 bits".into(),
        PropertyType::BigInt => "a whole number of 64 bits".into(),
        PropertyType::Float if types.version == ApiVersion::V3 => "a number with a fraction".into(),
        PropertyType::Float => "a number".into(),
        PropertyType::Id | PropertyType::String => "a text in quotes".into(),
        PropertyType::Date | PropertyType::DateTime | PropertyType::LocalDateTime => {
            "a text like \"2020-12-31\" or \"2020-12-31T23:59:59.999Z\"".into()
        }
        PropertyType::Time => "a text like \"23:59:59Z\"".into(),
        PropertyType::LocalTime => "a text like \"23:59:59\"".into(),
        PropertyType::Enum(place) => {
            let values = enum_values(types, *place).iter().take(10);
            let names: Vec<&str> = values.map(|value| &*value.name).collect();
            format!("one of its enum's, as {}", names.join(", "))
        }
        PropertyType::Duration
        | PropertyType::Point
        | PropertyType::CartesianPoint
        | PropertyType::Scalar(_) => "none".into(),
    }
}

/// A date, or a date with a time of day, of ISO 8601.
fn is_moment(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else { return false };
    if !is_date(date) {
        return false;
    }
    match rest.strip_prefix(['T', 't', ' ']) {
        Some(rest) => {
            let (clock, zone) = split_zone(rest);
            is_clock(clock) && is_zone(zone)
        }
        None => rest.is_empty(),
    }
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let year = year.filter(|year| year.len() == 4).and_then(number);
    let month = month.and_then(|month| two_digits(month, 12)).filter(|month| *month > 0);
    let day = day.and_then(|day| two_digits(day, 31)).filter(|day| *day > 0);
    let (Some(year), Some(month), Some(day)) = (year, month, day) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    day <= last && parts.next().is_none()
}

/// Hours and minutes, and perhaps seconds and their fraction.
fn is_clock(text: &str) -> bool {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (text, None),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let is_right = match parts.as_slice() {
        [hours, minutes] => fraction.is_none() && are_hours(hours, minutes),
        [hours, minutes, seconds] => are_hours(hours, minutes) && two_digits(seconds, 59).is_some(),
        _ => false,
    };
    let is_fraction = |digits: &str| (1..=9).contains(&digits.len()) && number(digits).is_some();
    is_right && fraction.is_none_or(is_fraction)
}

fn has_seconds(clock: &str) -> bool {
    clock.len() > "10:00".len()
}

fn split_zone(text: &str) -> (&str, &str) {
    text.split_at(text.find(['Z', 'z', '+', '-']).unwrap_or(text.len()))
}

fn is_zone(text: &str) -> bool {
    match text.strip_prefix(['+', '-']) {
        Some(offset) => {
            offset.split_once(':').is_some_and(|(hours, minutes)| are_hours(hours, minutes))
        }
        None => matches!(text, "" | "Z" | "z"),
    }
}

fn are_hours(hours: &str, minutes: &str) -> bool {
    two_digits(hours, 23).is_some() && two_digits(minutes, 59).is_some()
}

fn two_digits(text: &str, most: u32) -> Option<u32> {
    number(text).filter(|number| text.len() == 2 && *number <= most)
}

fn number(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_iso_8601() {
        for text in [
            "2020-02-29",
            "2020-12-31T23:59",
            "2020-12-31T23:59:59Z",
            "2020-12-31 23:59:59.123456789+01:00",
        ] {
            assert!(is_moment(text), "{text}");
        }
        for text in [
            "",
            "2020",
            "2021-02-29",
            "2020-13-01",
            "2020-00-01",
            "2020-01-32",
            "2020-1-1",
            "2020-01-01T",
            "2020-01-01T24:00",
            "2020-01-01T10",
            "2020-01-01T10:00:00.",
            "2020-01-01T10:00:00+1",
            "20200101",
            "äöüäöü-01-",
            "2020-01-01X10:00",
            "+020-01-01",
        ] {
            assert!(!is_moment(text), "{text}");
        }
    }

    #[test]
    fn times_of_day_have_hours_and_minutes() {
        for text in ["10:00", "23:59:59", "23:59:59.1"] {
            assert!(is_clock(text), "{text}");
        }
        for text in ["", "10", "24:00", "10:60", "10:00.5", "10:00:00.1234567890", "1:00", "10:00Z"]
        {
            assert!(!is_clock(text), "{text}");
        }
    }
}
