//! Dates, times of day and timestamps in the forms of SQLite's own functions, in microseconds as
//! PostgreSQL has them.

use crate::moment::{self, DAY, SECOND, clock_and_zone};

/// The years that have four digits.
const YEARS: std::ops::RangeInclusive<i64> = 1..=9_999;

/// `2020-02-29`
pub(super) fn date(text: &str) -> Option<String> {
    // Of a moment its day, whatever the time and the offset.
    let (day, _, _) = parts(text)?;
    (!day.starts_with("0000")).then_some(day)
}

/// `2020-02-29 12:34:56.5`
pub(super) fn timestamp(text: &str) -> Option<String> {
    let (day, clock, _) = parts(text)?;
    print(moment::instant(&day)? + clock)
}

/// `2020-02-29 12:34:56.5+00:00`
pub(super) fn instant(text: &str) -> Option<String> {
    let (day, clock, west) = parts(text)?;
    Some(print(moment::instant(&day)? + clock + west * SECOND)? + "+00:00")
}

/// The day, the time of day in microseconds, and the offset in seconds west of Greenwich.
fn parts(text: &str) -> Option<(String, i64, i64)> {
    let text = text.trim();
    let day = moment::date(text.get(..10)?)?;
    let (clock, west) = match text.get(10..)? {
        "" => (0, 0),
        rest => clock_and_zone(rest.strip_prefix(['T', 't', ' '])?)?,
    };
    Some((day, clock, west))
}

/// `12:34:56.5`
pub(super) fn clock(text: &str) -> Option<String> {
    let time = moment::clock(text).filter(|time| *time <= DAY)?;
    let mut out = String::new();
    push_clock(time, &mut out);
    Some(out)
}

/// `12:34:56.5-03:30`
pub(super) fn zoned_clock(text: &str) -> Option<String> {
    let (time, west) = clock_and_zone(text.trim())?;
    if time > DAY {
        return None;
    }
    let mut out = String::new();
    push_clock(time, &mut out);
    out.push(if west > 0 { '-' } else { '+' });
    let minutes = west.abs() / 60;
    push_padded(minutes / 60, 2, &mut out);
    out.push(':');
    push_padded(minutes % 60, 2, &mut out);
    Some(out)
}

/// A moment of this number of microseconds since 1970 began.
fn print(microseconds: i64) -> Option<String> {
    let (year, month, day) = day_of(microseconds.div_euclid(DAY));
    if !YEARS.contains(&year) {
        return None;
    }
    let mut out = String::new();
    push_padded(year, 4, &mut out);
    out.push('-');
    push_padded(month, 2, &mut out);
    out.push('-');
    push_padded(day, 2, &mut out);
    out.push(' ');
    push_clock(microseconds.rem_euclid(DAY), &mut out);
    Some(out)
}

/// The year, the month and the day of this number of days since 1970 began, in the Gregorian
/// calendar.
fn day_of(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that the day that is not in every year is their last.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

fn push_clock(microseconds: i64, out: &mut String) {
    let seconds = microseconds / SECOND;
    push_padded(seconds / 3_600, 2, out);
    out.push(':');
    push_padded(seconds / 60 % 60, 2, out);
    out.push(':');
    push_padded(seconds % 60, 2, out);
    let fraction = microseconds % SECOND;
    if fraction > 0 {
        out.push('.');
        push_padded(fraction, 6, out);
        out.truncate(out.trim_end_matches('0').len());
    }
}

fn push_padded(number: i64, width: usize, out: &mut String) {
    let digits = number.to_string();
    out.extend(std::iter::repeat_n('0', width.saturating_sub(digits.len())));
    out.push_str(&digits);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_that_are_counted() {
        let check = |day: &str| {
            let text = [day, " 00:00:00"].concat();
            assert_eq!(print(moment::instant(day).unwrap()), Some(text));
        };
        for day in [
            "1970-01-01",
            "1969-12-31",
            "2000-02-29",
            "2000-03-01",
            "1900-02-28",
            "1900-03-01",
            "0001-01-01",
            "9999-12-31",
        ] {
            check(day);
        }
        for first in (0..4_000_i64).map(|step| step * 97) {
            let text = print(first * DAY).unwrap();
            assert_eq!(moment::instant(&text), Some(first * DAY), "{text}");
        }
    }

    #[test]
    fn years_of_more_digits_are_refused() {
        assert_eq!(instant("0001-01-01T00:00:00+01:00"), None);
        assert_eq!(instant("9999-12-31T23:59:59-01:00"), None);
    }
}
