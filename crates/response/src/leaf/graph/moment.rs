//! Dates, times of day and moments.
//!
//! A stored text is parsed in the form in which such a value is written, and written as one.

use super::super::LeafError;
use crate::calendar::{Clock, Day, Offset, join_seconds, split_seconds};
use crate::cursor::Value;
use crate::packed::{Elements, Packed, begin};

/// The tags of structures, <https://neo4j.com/docs/bolt/current/bolt/structure-semantics/>.
const DATE: u8 = b'D';
const LOCAL_TIME: u8 = b't';
const TIME: u8 = b'T';
const LOCAL_DATE_TIME: u8 = b'd';
/// By the seconds of UTC, with an offset and with the name of a zone.
const DATE_TIME: [u8; 2] = [b'I', b'i'];
/// By the seconds of the local clock, with an offset. The variant with the name of a zone is
/// ambiguous without a time zone database.
const LOCAL_DATE_TIME_WITH_OFFSET: u8 = b'F';

/// The maximum distance of a JavaScript date from 1970, in seconds.
const MOST_SECONDS: i64 = 8_640_000_000_000;

pub(super) fn write_date(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let day = match value {
        Value::Text(text) => date_of_text(text),
        _ => structure(value).and_then(|(tag, mut fields)| match tag {
            DATE => Day::from_epoch(integer(&mut fields)?),
            _ => None,
        }),
    };
    let is_known = |day: &Day| day.to_epoch().abs() * 86_400 <= MOST_SECONDS;
    let day = day.filter(is_known).ok_or_else(|| LeafError::new("Date", "value", value))?;
    quote(out, |out| day.write(out));
    Ok(())
}

pub(super) fn write_local_time(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let refuse = || LeafError::new("LocalTime", "value", value);
    if let Value::Text(text) = value {
        let (_, rest) = Clock::take_seconds(text).ok_or_else(refuse)?;
        return write_checked(text, rest.is_empty() && has_short_fraction(text), out, refuse);
    }
    let clock = structure(value).and_then(|(tag, mut fields)| match tag {
        LOCAL_TIME => Clock::from_midnight(integer(&mut fields)?),
        _ => None,
    });
    let clock = clock.ok_or_else(refuse)?;
    quote(out, |out| clock.write(out));
    Ok(())
}

pub(super) fn write_time(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let refuse = || LeafError::new("Time", "value", value);
    if let Value::Text(text) = value {
        return write_checked(text, is_time(text), out, refuse);
    }
    let time = structure(value).and_then(|(tag, mut fields)| match tag {
        TIME => {
            let clock = Clock::from_midnight(integer(&mut fields)?)?;
            let offset = i32::try_from(integer(&mut fields)?).ok()?;
            // The library's form of a time has hours and minutes in its offset.
            let is_written = offset % 60 == 0 && offset.unsigned_abs() < 86_400;
            is_written.then_some((clock, Offset(offset)))
        }
        _ => None,
    });
    let (clock, offset) = time.ok_or_else(refuse)?;
    quote(out, |out| {
        clock.write(out);
        offset.write(out);
    });
    Ok(())
}

pub(super) fn write_local_date_time(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let refuse = || LeafError::new("LocalDateTime", "value", value);
    if let Value::Text(text) = value {
        let is_whole = matches!(take_local(text, Clock::take_seconds), Some((_, _, [])));
        let has_sign = text.starts_with(b"+") || text.starts_with(b"-");
        return write_checked(text, is_whole && !has_sign, out, refuse);
    }
    let moment = structure(value).and_then(|(tag, mut fields)| match tag {
        LOCAL_DATE_TIME => split_seconds(integer(&mut fields)?, integer(&mut fields)?),
        _ => None,
    });
    // The library's form has years of four digits.
    let moment = moment.filter(|(day, _)| (0..=9999).contains(&day.year));
    let (day, clock) = moment.ok_or_else(refuse)?;
    quote(out, |out| {
        day.write(out);
        out.push(b'T');
        clock.write(out);
    });
    Ok(())
}

pub(super) fn write_date_time(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let moment = match value {
        Value::Text(text) => moment_of_text(text),
        _ => structure(value).and_then(|(tag, mut fields)| {
            let (seconds, nanosecond) = (integer(&mut fields)?, integer(&mut fields)?);
            if DATE_TIME.contains(&tag) {
                Some((seconds, nanosecond))
            } else if tag == LOCAL_DATE_TIME_WITH_OFFSET {
                Some((seconds.checked_sub(integer(&mut fields)?)?, nanosecond))
            } else {
                None
            }
        }),
    };
    let is_known = |(seconds, _): &(i64, i64)| (-MOST_SECONDS..=MOST_SECONDS).contains(seconds);
    let split = moment
        .filter(is_known)
        .and_then(|(seconds, nanosecond)| split_seconds(seconds, nanosecond));
    let (day, clock) = split.ok_or_else(|| LeafError::new("DateTime", "value", value))?;
    quote(out, |out| {
        day.write(out);
        out.push(b'T');
        clock.write_milliseconds(out);
        out.push(b'Z');
    });
    Ok(())
}

/// The day of a text, at its time of day in UTC where it has one.
fn date_of_text(text: &[u8]) -> Option<Day> {
    match Day::take(text)? {
        (day, []) => Some(day),
        _ => moment_of_text(text)
            .and_then(|(seconds, _)| split_seconds(seconds, 0))
            .map(|(day, _)| day),
    }
}

/// The moment of a text: seconds since 1970 and nanoseconds.
fn moment_of_text(text: &[u8]) -> Option<(i64, i64)> {
    let (day, clock, rest) =
        take_local(text, Clock::take_seconds).or_else(|| take_local(text, Clock::take_minutes))?;
    let (offset, rest) = Offset::take(rest)?;
    // A zone's name in brackets is redundant beside the offset.
    let is_whole = rest.is_empty() || (rest.starts_with(b"[") && rest.ends_with(b"]"));
    let seconds = join_seconds(day, clock) - i64::from(offset.0);
    is_whole.then_some((seconds, clock.nanosecond.into()))
}

fn take_local(
    text: &[u8],
    take_clock: impl Fn(&[u8]) -> Option<(Clock, &[u8])>,
) -> Option<(Day, Clock, &[u8])> {
    let (day, rest) = Day::take(text)?;
    let (clock, rest) = take_clock(rest.strip_prefix(b"T")?)?;
    Some((day, clock, rest))
}

/// True for `12:34`, `12:34:56` and `12:34:56.789`, the latter two with an optional offset.
fn is_time(text: &[u8]) -> bool {
    if let Some((_, rest)) = Clock::take_seconds(text) {
        let has_offset = || matches!(Offset::take(rest), Some((_, [])));
        return has_short_fraction(text) && (rest.is_empty() || has_offset());
    }
    matches!(Clock::take_minutes(text), Some((_, [])))
}

/// True if a fraction has at most nine digits.
fn has_short_fraction(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'.').skip(1);
    parts
        .next()
        .is_none_or(|part| part.iter().take_while(|byte| byte.is_ascii_digit()).count() < 10)
}

fn write_checked(
    text: &[u8],
    is_valid: bool,
    out: &mut Vec<u8>,
    refuse: impl FnOnce() -> LeafError,
) -> Result<(), LeafError> {
    if !is_valid {
        return Err(refuse());
    }
    quote(out, |out| out.extend_from_slice(text));
    Ok(())
}

fn quote(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    write(out);
    out.push(b'"');
}

fn structure(value: Value<'_>) -> Option<(u8, Elements<'_>)> {
    let Value::Packed(bytes) = value else { return None };
    match begin(bytes).ok()? {
        Packed::Structure { tag, fields } => Some((tag, fields)),
        _ => None,
    }
}

fn integer(fields: &mut Elements<'_>) -> Option<i64> {
    match fields.next()?.ok()? {
        Packed::Integer(integer) => Some(integer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text};
    use crate::leaf::{GraphLeaf, Leaf};

    /// A structure of integers of 64 bits.
    fn packed(tag: u8, parts: &[i64]) -> Vec<u8> {
        let mut out = vec![0xb0 + u8::try_from(parts.len()).unwrap(), tag];
        for part in parts {
            out.push(0xcb);
            out.extend(part.to_be_bytes());
        }
        out
    }

    fn check_parts(leaf: GraphLeaf, tag: u8, parts: &[i64], expect: &str) {
        check(&Leaf::Graph(leaf), Value::Packed(&packed(tag, parts)), expect);
    }

    fn check_texts(leaf: GraphLeaf, texts: &[(&str, &str)]) {
        let leaf = Leaf::Graph(leaf);
        for (text, expect) in texts {
            check_text(&leaf, text, &format!("\"{expect}\""));
        }
    }

    fn check_refused(leaf: GraphLeaf, expected: &str, texts: &[&str]) {
        let leaf = Leaf::Graph(leaf);
        for text in texts {
            check_text(&leaf, text, &format!("{expected} cannot represent value: \"{text}\""));
        }
        check(&leaf, Value::Integer(1), &format!("{expected} cannot represent value: 1"));
        let list = format!("{expected} cannot represent value: a list");
        check(&leaf, Value::Packed(b"\x90"), &list);
    }

    #[test]
    fn dates_are_days() {
        check_parts(GraphLeaf::Date, b'D', &[18_321], "\"2020-02-29\"");
        check_parts(GraphLeaf::Date, b'D', &[-719_529], "\"-000001-12-31\"");
        check_parts(GraphLeaf::Date, b'D', &[2_932_897], "\"+010000-01-01\"");
        let beyond = "Date cannot represent value: a Date";
        check_parts(GraphLeaf::Date, b'D', &[100_000_001], beyond);
        check_parts(GraphLeaf::Date, b'D', &[i64::MAX], beyond);
        check_parts(GraphLeaf::Date, b't', &[0], "Date cannot represent value: a LocalTime");
        check_texts(
            GraphLeaf::Date,
            &[("2020-02-29", "2020-02-29"), ("2020-02-29T23:30:00-01:00", "2020-03-01")],
        );
        check_refused(GraphLeaf::Date, "Date", &["", "2020-02-30", "2020-02-29x", "x"]);
    }

    #[test]
    fn local_times_have_a_fraction_of_nine_digits_or_none() {
        check_parts(GraphLeaf::LocalTime, b't', &[0], "\"00:00:00\"");
        check_parts(GraphLeaf::LocalTime, b't', &[45_296_500_000_000], "\"12:34:56.500000000\"");
        let expect = "LocalTime cannot represent value: a LocalTime";
        check_parts(GraphLeaf::LocalTime, b't', &[86_400_000_000_000], expect);
        check_texts(GraphLeaf::LocalTime, &[("12:34:56.5", "12:34:56.5")]);
        let refused = ["12:34", "12:34:56Z", "12:34:56.1234567890", "25:00:00"];
        check_refused(GraphLeaf::LocalTime, "LocalTime", &refused);
    }

    #[test]
    fn times_have_an_offset_of_minutes() {
        check_parts(GraphLeaf::Time, b'T', &[0, 0], "\"00:00:00Z\"");
        check_parts(GraphLeaf::Time, b'T', &[1, 3_600], "\"00:00:00.000000001+01:00\"");
        check_parts(GraphLeaf::Time, b'T', &[0, -19_800], "\"00:00:00-05:30\"");
        let expect = "Time cannot represent value: a Time";
        check_parts(GraphLeaf::Time, b'T', &[0, 3_208], expect);
        check_parts(GraphLeaf::Time, b'T', &[0, 86_400], expect);
        check_texts(
            GraphLeaf::Time,
            &[
                ("12:34", "12:34"),
                ("12:34:56", "12:34:56"),
                ("12:34:56.7+01:00", "12:34:56.7+01:00"),
            ],
        );
        let refused = ["12:34Z", "12:34:56x", "12:34:56.1234567890Z", ""];
        check_refused(GraphLeaf::Time, "Time", &refused);
    }

    #[test]
    fn local_moments_have_years_of_four_digits() {
        let leaf = || GraphLeaf::LocalDateTime;
        check_parts(leaf(), b'd', &[0, 0], "\"1970-01-01T00:00:00\"");
        check_parts(leaf(), b'd', &[-1, 5], "\"1969-12-31T23:59:59.000000005\"");
        let expect = "LocalDateTime cannot represent value: a LocalDateTime";
        check_parts(leaf(), b'd', &[253_402_300_800, 0], expect);
        check_texts(leaf(), &[("2020-02-29T12:34:56.5", "2020-02-29T12:34:56.5")]);
        check_refused(
            leaf(),
            "LocalDateTime",
            &["2020-02-29", "2020-02-29T12:34:56Z", "-000001-02-28T00:00:00", "2020-02-29T12:34"],
        );
    }

    #[test]
    fn moments_are_those_of_javascript() {
        let leaf = || GraphLeaf::DateTime;
        check_parts(leaf(), b'I', &[0, 0, 3_600], "\"1970-01-01T00:00:00.000Z\"");
        check_parts(leaf(), b'I', &[-1, 999_999_999, 0], "\"1969-12-31T23:59:59.999Z\"");
        check_parts(leaf(), b'F', &[3_600, 7_000_000, 3_600], "\"1970-01-01T00:00:00.007Z\"");
        let mut zoned = packed(b'i', &[1_582_979_696, 0]);
        zoned[0] = 0xb3;
        zoned.extend(b"\x8dEurope/Berlin");
        check(&Leaf::Graph(leaf()), Value::Packed(&zoned), "\"2020-02-29T12:34:56.000Z\"");
        let expect = "DateTime cannot represent value: a DateTime";
        check_parts(leaf(), b'f', &[0, 0, 0], expect);
        check_parts(leaf(), b'I', &[8_640_000_000_001, 0, 0], expect);
        check_parts(leaf(), b'F', &[i64::MIN, 0, 1], expect);
        let other = "DateTime cannot represent value: a LocalDateTime";
        check_parts(leaf(), b'd', &[0, 0], other);
        check_texts(
            leaf(),
            &[
                ("2020-02-29T12:34:56Z", "2020-02-29T12:34:56.000Z"),
                ("2020-02-29T12:34+01:00", "2020-02-29T11:34:00.000Z"),
                ("2020-02-29T00:00:00.1239+01:00[Europe/Paris]", "2020-02-28T23:00:00.123Z"),
            ],
        );
        let refused = ["", "2020-02-29", "2020-02-29T12:34:56", "2020-02-30T00:00:00Z"];
        check_refused(leaf(), "DateTime", &refused);
    }
}
