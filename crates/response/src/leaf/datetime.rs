//! Dates, times of day and timestamps.
//!
//! PostgreSQL's texts are copied except for the letter between date and time and the minutes of an
//! offset. The other forms of ISO 8601 that a text of SQLite may have are converted to that form.

use super::LeafError;
use super::offset::Offset;
use crate::calendar;
use crate::cursor::Value;

const DATE: &str = "Date";
const TIME: &str = "Time";
const DATETIME: &str = "Datetime";

/// A day, with its source text.
struct Day<'a> {
    text: &'a [u8],
    year: u32,
    month: u32,
    day: u32,
}

/// A time of day, with its source text.
struct Clock<'a> {
    text: &'a [u8],
    hour: u32,
    minute: u32,
    second: u32,
    /// A million of them after rounding up a longer fraction.
    microsecond: u32,
    /// True if its text is PostgreSQL's own form.
    canonical: bool,
}

/// The era of a year.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Era {
    Common,
    BeforeCommon,
}

pub(super) fn write_date(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let problem = "a value that is not a date";
    write_checked(value, out, DATE, problem, |text, out| {
        let (day, rest) = Day::take(text)?;
        let era = Era::read(rest)?;
        if !day.is_valid(era) {
            return None;
        }
        out.extend_from_slice(text);
        Some(())
    })
}

pub(super) fn write_time(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    write_checked(value, out, TIME, "a value that is not a time of day", |text, out| {
        let (clock, rest) = Clock::take(text)?;
        if !rest.is_empty() || is_infinity(text) {
            return None;
        }
        clock.write(out);
        Some(())
    })
}

pub(super) fn write_time_with_zone(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let problem = "a value that is not a time of day with an offset";
    write_checked(value, out, TIME, problem, |text, out| {
        let (clock, rest) = Clock::take(text)?;
        let (offset, rest) = Offset::take(rest)?;
        if !rest.is_empty() {
            return None;
        }
        clock.write(out);
        offset.write_short(out);
        Some(())
    })
}

pub(super) fn write_timestamp(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let problem = "a value that is not a timestamp without an offset";
    write_checked(value, out, DATETIME, problem, |text, out| {
        let (day, rest) = Day::take(text)?;
        let (clock, rest) = match rest {
            // A day alone means its beginning, as it does to PostgreSQL.
            [] => (Clock::MIDNIGHT, rest),
            [b' ' | b'T' | b't', rest @ ..] => Clock::take(rest)?,
            _ => return None,
        };
        if let [b'Z' | b'z' | b'+' | b'-', ..] = rest {
            write_in_utc(&day, &clock, rest, out)?;
            out.extend_from_slice(b"+00:00");
            return Some(());
        }
        let era = Era::read(rest)?;
        write_day_and_clock(&day, clock, era, out)?;
        era.write(out);
        Some(())
    })
}

/// Appends a moment with an offset, in UTC and without an offset. In a column without offsets, where
/// SQLite accepts any text, all moments are written so, so that they can be compared.
fn write_in_utc(day: &Day<'_>, clock: &Clock<'_>, rest: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (offset, rest) = Offset::take(rest)?;
    if !rest.is_empty() || !day.is_valid(Era::Common) {
        return None;
    }
    let (month, of_month) = (u8::try_from(day.month).ok()?, u8::try_from(day.day).ok()?);
    let days = calendar::Day::new(day.year.into(), month, of_month)?.to_epoch();
    let seconds = i64::from(clock.hour * 3_600 + clock.minute * 60 + clock.second);
    let microseconds =
        (days * 86_400 + seconds - offset.seconds()) * 1_000_000 + i64::from(clock.microsecond);
    write_microseconds(microseconds, out)
}

/// Appends the moment that is so long after 1970 in UTC.
fn write_microseconds(microseconds: i64, out: &mut Vec<u8>) -> Option<()> {
    let (seconds, rest) = (microseconds.div_euclid(1_000_000), microseconds.rem_euclid(1_000_000));
    let (day, clock) = calendar::split_seconds(seconds, rest * 1_000)?;
    if !(1..=9_999).contains(&day.year) {
        return None;
    }
    day.write(out);
    out.push(b'T');
    clock.write(out);
    while rest > 0 && out.last() == Some(&b'0') {
        out.pop();
    }
    Some(())
}

/// SQLite compares moments as numbers of microseconds since 1970, so the largest one of several is
/// such a number.
pub(super) fn write_utc_timestamp(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    const EXPECTED: &str = "DateTime";
    let problem = "a value that is not a timestamp with an offset";
    if let Value::Integer(microseconds) = value {
        out.push(b'"');
        write_microseconds(microseconds, out)
            .ok_or_else(|| LeafError::new(EXPECTED, problem, value))?;
        out.extend_from_slice(b"Z\"");
        return Ok(());
    }
    write_checked(value, out, EXPECTED, problem, |text, out| {
        let (day, rest) = Day::take(text)?;
        let [b' ' | b'T' | b't', rest @ ..] = rest else { return None };
        let (clock, rest) = Clock::take(rest)?;
        write_in_utc(&day, &clock, rest, out)?;
        out.push(b'Z');
        Some(())
    })
}

pub(super) fn write_timestamp_with_zone(
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let problem = "a value that is not a timestamp with an offset";
    write_checked(value, out, DATETIME, problem, |text, out| {
        let (day, rest) = Day::take(text)?;
        let [b' ' | b'T' | b't', rest @ ..] = rest else { return None };
        let (clock, rest) = Clock::take(rest)?;
        let (offset, rest) = Offset::take(rest)?;
        let era = Era::read(rest)?;
        write_day_and_clock(&day, clock, era, out)?;
        offset.write_long(out);
        era.write(out);
        Some(())
    })
}

/// Appends a text in quotes, unless `write` rejects it. PostgreSQL's infinite dates and timestamps
/// stay unchanged.
fn write_checked(
    value: Value<'_>,
    out: &mut Vec<u8>,
    expected: &'static str,
    problem: &'static str,
    write: impl FnOnce(&[u8], &mut Vec<u8>) -> Option<()>,
) -> Result<(), LeafError> {
    let refuse = || LeafError::new(expected, problem, value);
    let Value::Text(text) = value else { return Err(refuse()) };
    out.push(b'"');
    if is_infinity(text) && expected != TIME {
        out.extend_from_slice(text);
    } else {
        write(text, out).ok_or_else(refuse)?;
    }
    out.push(b'"');
    Ok(())
}

fn is_infinity(text: &[u8]) -> bool {
    matches!(text, b"infinity" | b"-infinity")
}

fn write_day_and_clock(
    day: &Day<'_>,
    mut clock: Clock<'_>,
    era: Era,
    out: &mut Vec<u8>,
) -> Option<()> {
    if !day.is_valid(era) {
        return None;
    }
    clock.carry();
    if clock.hour == 24 {
        // PostgreSQL writes this as the beginning of the next day, and never before year one.
        let midnight = Clock { hour: 0, canonical: false, ..clock };
        if era == Era::BeforeCommon {
            return None;
        }
        day.write_next(out);
        out.push(b'T');
        midnight.write(out);
    } else {
        out.extend_from_slice(day.text);
        out.push(b'T');
        clock.write(out);
    }
    Some(())
}

impl<'a> Day<'a> {
    /// Reads `2020-02-29`. The day is validated once the era is known.
    fn take(text: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (year_text, rest) = text.split_at_checked(digits)?;
        let [b'-', month_tens, month_ones, b'-', day_tens, day_ones, rest @ ..] = rest else {
            return None;
        };
        let has_plain_length =
            digits == 4 || ((5..=7).contains(&digits) && !text.starts_with(b"0"));
        let year = year_text.iter().take(7).fold(0, |year, digit| year * 10 + value_of(*digit));
        let month = two_digits(*month_tens, *month_ones)?;
        let day = two_digits(*day_tens, *day_ones)?;
        let text = text.get(..text.len() - rest.len())?;
        has_plain_length.then_some((Self { text, year, month, day }, rest))
    }

    fn is_valid(&self, era: Era) -> bool {
        self.year > 0
            && (1..=12).contains(&self.month)
            && (1..=days_of_month(self.year, self.month, era)).contains(&self.day)
    }

    /// Appends the day after this one, of the common era.
    fn write_next(&self, out: &mut Vec<u8>) {
        let (mut year, mut month, mut day) = (self.year, self.month, self.day + 1);
        if day > days_of_month(year, month, Era::Common) {
            (month, day) = (month + 1, 1);
        }
        if month > 12 {
            (year, month) = (year + 1, 1);
        }
        let mut buffer = itoa::Buffer::new();
        let year = buffer.format(year);
        out.resize(out.len() + 4_usize.saturating_sub(year.len()), b'0');
        out.extend_from_slice(year.as_bytes());
        out.push(b'-');
        push_two_digits(month, out);
        out.push(b'-');
        push_two_digits(day, out);
    }
}

impl<'a> Clock<'a> {
    const MIDNIGHT: Self =
        Self { text: b"00:00:00", hour: 0, minute: 0, second: 0, microsecond: 0, canonical: true };

    /// Reads `12:34`, `12:34:56` or `12:34:56.789`.
    fn take(text: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let [hour_tens, hour_ones, b':', minute_tens, minute_ones, rest @ ..] = text else {
            return None;
        };
        let hour = two_digits(*hour_tens, *hour_ones)?;
        let minute = two_digits(*minute_tens, *minute_ones)?;
        let (second, rest, has_second) = match rest {
            [b':', tens, ones, rest @ ..] => (two_digits(*tens, *ones)?, rest, true),
            _ => (0, rest, false),
        };
        let (microsecond, rest, canonical) = match rest {
            [b'.', fraction @ ..] if has_second => {
                let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (fraction, rest) = fraction.split_at_checked(length)?;
                let canonical = length <= 6 && fraction.last()? != &b'0';
                (microseconds(fraction), rest, canonical)
            }
            _ => (0, rest, has_second),
        };
        let is_valid = minute < 60
            && second < 60
            && (hour < 24 || (hour == 24 && minute == 0 && second == 0 && microsecond == 0));
        let text = text.get(..text.len() - rest.len())?;
        is_valid.then_some((Self { text, hour, minute, second, microsecond, canonical }, rest))
    }

    /// Carries a second of a million microseconds and so on; the hour may become 24.
    fn carry(&mut self) {
        if self.microsecond < 1_000_000 {
            return;
        }
        self.microsecond -= 1_000_000;
        self.second += 1;
        if self.second == 60 {
            (self.minute, self.second) = (self.minute + 1, 0);
        }
        if self.minute == 60 {
            (self.hour, self.minute) = (self.hour + 1, 0);
        }
    }

    fn write(mut self, out: &mut Vec<u8>) {
        if self.canonical {
            out.extend_from_slice(self.text);
            return;
        }
        self.carry();
        push_two_digits(self.hour, out);
        out.push(b':');
        push_two_digits(self.minute, out);
        out.push(b':');
        push_two_digits(self.second, out);
        if self.microsecond > 0 {
            out.push(b'.');
            push_two_digits(self.microsecond / 10_000, out);
            push_two_digits(self.microsecond / 100 % 100, out);
            push_two_digits(self.microsecond % 100, out);
            while out.last() == Some(&b'0') {
                out.pop();
            }
        }
    }
}

impl Era {
    fn read(text: &[u8]) -> Option<Self> {
        match text {
            [] => Some(Self::Common),
            b" BC" => Some(Self::BeforeCommon),
            _ => None,
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Common => {}
            Self::BeforeCommon => out.extend_from_slice(b" BC"),
        }
    }
}

fn days_of_month(year: u32, month: u32, era: Era) -> u32 {
    // The year before year one is a leap year, as year zero would be.
    let year = match era {
        Era::Common => year,
        Era::BeforeCommon => year.saturating_sub(1),
    };
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A fraction of a second, rounded.
fn microseconds(fraction: &[u8]) -> u32 {
    let zeros = std::iter::repeat(&b'0');
    let digits = fraction.iter().chain(zeros).take(6);
    let microseconds = digits.fold(0, |sum, digit| sum * 10 + value_of(*digit));
    microseconds + u32::from(fraction.get(6).is_some_and(|digit| *digit >= b'5'))
}

fn two_digits(tens: u8, ones: u8) -> Option<u32> {
    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| value_of(tens) * 10 + value_of(ones))
}

fn value_of(digit: u8) -> u32 {
    u32::from(digit.wrapping_sub(b'0'))
}

/// Appends a number below 100.
fn push_two_digits(number: u32, out: &mut Vec<u8>) {
    for digit in [number / 10 % 10, number % 10] {
        out.push(b'0' + u8::try_from(digit).unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::Leaf;
    use crate::leaf::check::{check, check_text};

    fn table(leaf: &Leaf, rows: &[(&str, &str)]) {
        for (text, expect) in rows {
            check_text(leaf, text, &format!("\"{expect}\""));
        }
    }

    fn refused(leaf: &Leaf, message: &str, texts: &[&str]) {
        for text in texts {
            check_text(leaf, text, &format!("{message}: \"{text}\""));
        }
    }

    #[test]
    fn dates_are_copied() {
        for text in [
            "2020-02-29",
            "infinity",
            "-infinity",
            "0044-03-15 BC",
            "10000-01-01",
            "5874897-12-31",
            "2000-02-29",
            "0001-02-29 BC",
            "1999-12-31",
        ] {
            check_text(&Leaf::Date, text, &format!("\"{text}\""));
        }
    }

    #[test]
    fn days_that_do_not_exist_are_errors() {
        let message = "Date cannot represent a value that is not a date";
        refused(
            &Leaf::Date,
            message,
            &[
                "",
                "2019-02-29",
                "1900-02-29",
                "2020-04-31",
                "2020-13-01",
                "2020-00-01",
                "2020-01-00",
                "2020-01-32",
                "0000-01-01",
                "0004-02-29 BC",
                "2020-1-1",
                "20-01-01",
                "02020-01-01",
                "20200101",
                "2020-01-01 00:00:00",
                "2020-01-01 ",
                "2020-01-01 AD",
                "Infinity",
            ],
        );
        check(&Leaf::Date, Value::Integer(0), &format!("{message}: 0"));
        check(&Leaf::Date, Value::Real(2_459_000.5), &format!("{message}: 2459000.5"));
    }

    #[test]
    fn times_of_day_have_seconds_and_no_needless_zeros() {
        table(
            &Leaf::Time,
            &[
                ("12:34:56.789012", "12:34:56.789012"),
                ("24:00:00", "24:00:00"),
                ("00:00:00.5", "00:00:00.5"),
                ("12:34", "12:34:00"),
                ("12:34:56.500", "12:34:56.5"),
                ("12:34:56.000", "12:34:56"),
                ("12:34:56.050", "12:34:56.05"),
                ("12:34:56.1234565", "12:34:56.123457"),
                ("12:34:56.1234564", "12:34:56.123456"),
                ("23:59:59.9999999", "24:00:00"),
                ("12:34:59.99999951", "12:35:00"),
            ],
        );
        refused(
            &Leaf::Time,
            "Time cannot represent a value that is not a time of day",
            &[
                "",
                "25:00:00",
                "24:00:01",
                "12:60",
                "12:00:60",
                "12",
                "1:00",
                "12:00:00.",
                "12:00.5",
                "12:00:00+00",
                "12:00:00Z",
                " 12:00",
                "infinity",
            ],
        );
    }

    #[test]
    fn times_of_day_with_an_offset_are_as_postgresql_writes_them() {
        table(
            &Leaf::TimeWithZone,
            &[
                ("12:34:56.7+05:30", "12:34:56.7+05:30"),
                ("00:00:00-12", "00:00:00-12"),
                ("00:00:00.000001+00", "00:00:00.000001+00"),
                ("12:00Z", "12:00:00+00"),
                ("12:00:00-00:00", "12:00:00+00"),
                ("12:00:00+01:00", "12:00:00+01"),
                ("12:00:00+0130", "12:00:00+01:30"),
                ("12:00:00+00:53:28", "12:00:00+00:53:28"),
            ],
        );
        refused(
            &Leaf::TimeWithZone,
            "Time cannot represent a value that is not a time of day with an offset",
            &[
                "12:00:00",
                "12:00:00+16",
                "12:00:00+01:60",
                "12:00:00+1",
                "12:00:00 UTC",
                "-infinity",
            ],
        );
    }

    #[test]
    fn timestamps_have_a_letter_between_date_and_time() {
        table(
            &Leaf::Timestamp,
            &[
                ("2020-01-02 03:04:05.123456", "2020-01-02T03:04:05.123456"),
                ("infinity", "infinity"),
                ("-infinity", "-infinity"),
                ("0044-03-15 01:02:03 BC", "0044-03-15T01:02:03 BC"),
                ("10000-01-01 00:00:00", "10000-01-01T00:00:00"),
                ("2020-01-01T00:00", "2020-01-01T00:00:00"),
                ("2020-01-01 00:00:00.120", "2020-01-01T00:00:00.12"),
                ("2020-01-01", "2020-01-01T00:00:00"),
                ("2020-12-31 24:00:00", "2021-01-01T00:00:00"),
                ("2020-02-28 23:59:59.9999995", "2020-02-29T00:00:00"),
                ("0999-02-28 24:00", "0999-03-01T00:00:00"),
                // The moments of SQLite's texts.
                ("2020-01-01 00:00:00Z", "2020-01-01T00:00:00+00:00"),
                ("2020-01-01T00:00:00.250-03:30", "2020-01-01T03:30:00.25+00:00"),
                ("2020-01-01T00:30+01", "2019-12-31T23:30:00+00:00"),
                ("2020-12-31 24:00:00+00", "2021-01-01T00:00:00+00:00"),
            ],
        );
        refused(
            &Leaf::Timestamp,
            "Datetime cannot represent a value that is not a timestamp without an offset",
            &[
                "",
                "2020-01-01 00:00:00Zz",
                "2020-01-01 00:00:00+16",
                "2019-02-29 00:00:00Z",
                "2020-01-01T",
                "2020-01-01 BC",
                "2019-02-29 00:00:00",
                "2020-01-01 24:00:01",
                "0044-03-15 24:00:00 BC",
                "2020-01-01  00:00",
                "1577836800",
            ],
        );
        let expect =
            "Datetime cannot represent a value that is not a timestamp without an offset: 1";
        check(&Leaf::Timestamp, Value::Integer(1), expect);
    }

    #[test]
    fn offsets_of_timestamps_have_minutes() {
        table(
            &Leaf::TimestampWithZone,
            &[
                ("2020-01-02 01:04:05.12+00", "2020-01-02T01:04:05.12+00:00"),
                ("infinity", "infinity"),
                ("0044-03-15 01:02:03+00 BC", "0044-03-15T01:02:03+00:00 BC"),
                ("1999-12-31 23:59:59.999999+00", "1999-12-31T23:59:59.999999+00:00"),
                ("2020-01-01 00:00:00+05:30", "2020-01-01T00:00:00+05:30"),
                ("1880-01-01 00:00:00+00:53:28", "1880-01-01T00:00:00+00:53:28"),
                ("2020-01-01T00:00Z", "2020-01-01T00:00:00+00:00"),
                ("2020-01-01T00:00:00.10-08:00", "2020-01-01T00:00:00.1-08:00"),
            ],
        );
        refused(
            &Leaf::TimestampWithZone,
            "Datetime cannot represent a value that is not a timestamp with an offset",
            &[
                "2020-01-01 00:00:00",
                "2020-01-01",
                "2020-01-01Z",
                "2020-02-30 00:00:00Z",
                "2020-01-01 00:00:00Zx",
            ],
        );
    }

    #[test]
    fn moments_in_utc_have_the_letter_of_utc() {
        table(
            &Leaf::UtcTimestamp,
            &[
                ("2020-01-02 01:04:05.120+00", "2020-01-02T01:04:05.12Z"),
                ("2020-01-01 00:00:00+05:30", "2019-12-31T18:30:00Z"),
                ("2020-01-01T00:00Z", "2020-01-01T00:00:00Z"),
            ],
        );
        check(
            &Leaf::UtcTimestamp,
            Value::Integer(641_977_689_500_000),
            "\"1990-05-06T07:08:09.5Z\"",
        );
        refused(
            &Leaf::UtcTimestamp,
            "DateTime cannot represent a value that is not a timestamp with an offset",
            &["2020-01-01 00:00:00", "2020-01-01"],
        );
    }
}
