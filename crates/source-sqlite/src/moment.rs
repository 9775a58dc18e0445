//! Days and moments as SQLite's text keeps them: read as PostgreSQL reads them, in one form.

/// A day, `YYYY-MM-DD`.
pub(super) fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    (1..=days_of(year, month)?).contains(&day).then(|| text.into())
}

/// A day, or the day of a moment, which PostgreSQL takes for one.
pub(super) fn day(text: &str) -> Option<String> {
    date(text).or_else(|| timestamp(text)?.get(..10).map(Into::into))
}

/// A moment in the canonical form, with which the canonical form of a column is compared:
/// `YYYY-MM-DD HH:MM:SS`, with a fraction if it is not zero.
pub(super) fn timestamp(text: &str) -> Option<String> {
    let text = text.trim();
    let day = date(text.get(..10)?)?;
    let time = match text.get(10..)? {
        "" => return Some(format!("{day} 00:00:00")),
        rest => rest.strip_prefix(['T', ' '])?,
    };
    // PostgreSQL reads a timestamp without a zone past any zone that is given.
    let (time, zone) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = clock.split(':');
    let (hour, minute) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |second| number(second, 2))?;
    let in_range = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    let is_fraction = fraction.bytes().all(|digit| digit.is_ascii_digit());
    if !in_range || !is_fraction || !is_zone(zone) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    Some(format!("{day} {hour:02}:{minute:02}:{second:02}{dot}{fraction}"))
}

/// A moment in microseconds since 1970, by its offset; one without an offset is taken for UTC.
pub(super) fn instant(text: &str) -> Option<i64> {
    let text = text.trim();
    let day = date(text.get(..10)?)?;
    let (clock, west) = match text.get(10..)? {
        "" => (0, 0),
        rest => clock_and_zone(rest.strip_prefix(['T', ' '])?)?,
    };
    Some(days_since_1970(&day)? * DAY + clock + west * SECOND)
}

/// A time of day in microseconds.
pub(super) fn clock(text: &str) -> Option<i64> {
    // PostgreSQL reads a time without a zone past any zone that is given.
    clock_and_zone(text.trim()).map(|(clock, _)| clock)
}

/// A number that orders times with an offset as PostgreSQL does: by UTC, then by the offset, west
/// of Greenwich last.
pub(super) fn zoned_clock(text: &str) -> Option<i64> {
    let (clock, west) = clock_and_zone(text.trim())?;
    Some((clock + west * SECOND) * 200_000 + west)
}

pub(super) const SECOND: i64 = 1_000_000;
pub(super) const DAY: i64 = 86_400 * SECOND;

/// `HH:MM[:SS[.f]]` in microseconds, and the offset behind it in seconds west of Greenwich.
pub(super) fn clock_and_zone(text: &str) -> Option<(i64, i64)> {
    let (time, zone) = text.split_at(text.find(['Z', 'z', '+', '-']).unwrap_or(text.len()));
    let (clock, fraction) = time.trim_end().split_once('.').unwrap_or((time.trim_end(), ""));
    let mut parts = clock.split(':');
    let (hour, minute) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |second| number(second, 2))?;
    let is_whole_day = hour == 24 && minute == 0 && second == 0 && fraction.is_empty();
    let in_range = (hour < 24 || is_whole_day) && minute < 60 && second <= 60;
    if !in_range || parts.next().is_some() || !is_zone(&zone.to_ascii_uppercase()) {
        return None;
    }
    let seconds = i64::from(hour * 3600 + minute * 60 + second);
    Some((seconds * SECOND + microseconds(fraction)?, west(zone)))
}

/// The digits of a fraction, rounded.
fn microseconds(fraction: &str) -> Option<i64> {
    let mut value = 0;
    for (place, digit) in fraction.bytes().enumerate() {
        let digit = i64::from(char::from(digit).to_digit(10)?);
        match place {
            0..6 => value = value * 10 + digit,
            6 => value += i64::from(digit >= 5),
            _ => {}
        }
    }
    let missing = 6_usize.saturating_sub(fraction.len());
    Some((0..missing).fold(value, |value, _| value * 10))
}

/// An offset that [`is_zone`] accepts, in seconds west of Greenwich.
fn west(zone: &str) -> i64 {
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let part = |from: usize| digits.get(from..from + 2).and_then(|part| part.parse().ok());
    let seconds = part(0).unwrap_or(0) * 3600 + part(2).unwrap_or(0) * 60;
    if zone.starts_with('-') { seconds } else { -seconds }
}

/// The days from 1970 to a day that [`date`] accepts, in the Gregorian calendar.
fn days_since_1970(day: &str) -> Option<i64> {
    let year: i64 = day.get(..4)?.parse().ok()?;
    let month: i64 = day.get(5..7)?.parse().ok()?;
    let day: i64 = day.get(8..10)?.parse().ok()?;
    // Years begin in March here, so that the day that is not in every year is their last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Empty, `Z`, or an offset of hours and minutes.
fn is_zone(text: &str) -> bool {
    let Some(offset) = text.strip_prefix(['+', '-']) else { return matches!(text, "" | "Z") };
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None => offset.split_at_checked(2).unwrap_or((offset, "")),
    };
    let minutes = if minutes.is_empty() { Some(0) } else { number(minutes, 2) };
    number(hours, 2).is_some_and(|hours| hours < 16) && minutes.is_some_and(|part| part < 60)
}

/// A number of exactly this number of digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    let is_plain = text.len() == digits && text.bytes().all(|digit| digit.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}

fn days_of(year: u32, month: u32) -> Option<u32> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if is_leap { 29 } else { 28 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY, SECOND, clock, date, day, instant, timestamp, zoned_clock};

    #[test]
    fn the_day_of_a_moment_is_a_day() {
        assert_eq!(day("2020-02-29").as_deref(), Some("2020-02-29"));
        assert_eq!(day("2020-02-29T12:00:00").as_deref(), Some("2020-02-29"));
        assert_eq!(day("2020-02-30T12:00:00"), None);
    }

    #[test]
    fn days_that_are_none_are_refused() {
        for text in ["2020-02-29", "2000-02-29", "0001-12-31"] {
            assert_eq!(date(text).as_deref(), Some(text));
        }
        for text in ["2021-02-29", "1900-02-29", "2021-13-01", "2021-99-99", "2021-1-01", "2021-13"]
        {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn moments_with_offsets_are_numbers() {
        let check = |text: &str, expect: Option<i64>| assert_eq!(instant(text), expect, "{text}");
        check("1970-01-01T00:00:00Z", Some(0));
        check("1970-01-02 00:00+00", Some(DAY));
        check("1970-01-01 02:00:00.5+02:00", Some(SECOND / 2));
        check("1969-12-31T19:00:00-0500", Some(0));
        check("2000-03-01T00:00:00Z", Some(951_868_800 * SECOND));
        check("0001-01-01T00:00:00Z", Some(-62_135_596_800 * SECOND));
        check("2020-01-01T00:00:00.1234567Z", Some(1_577_836_800 * SECOND + 123_457));
        check("2020-01-01", Some(1_577_836_800 * SECOND));
        check("2020-13-01T00:00:00Z", None);
        check("2020-01-01T00:00:00Zz", None);
        check("2020-01-01é", None);
    }

    #[test]
    fn times_of_day_are_numbers() {
        assert_eq!(clock("00:00:01.5"), Some(1_500_000));
        assert_eq!(clock("12:34"), Some(45_240 * SECOND));
        assert_eq!(clock("24:00:00"), Some(DAY));
        assert_eq!(clock("24:00:01"), None);
        assert_eq!(clock("25:00"), None);
        // The same moment of a day; the one west of Greenwich is the greater.
        assert!(zoned_clock("12:00:00-01") > zoned_clock("13:00:00+00"));
        assert!(zoned_clock("12:00:00-01") < zoned_clock("13:00:01+00"));
        assert_eq!(zoned_clock("12:00:00Z"), zoned_clock("12:00+00:00"));
    }

    #[test]
    fn moments_take_one_form() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(timestamp(text).as_deref(), expect, "{text}");
        };
        check("2021-01-02T03:04:05.500", Some("2021-01-02 03:04:05.5"));
        check("2021-01-02 03:04", Some("2021-01-02 03:04:00"));
        check("2021-01-02", Some("2021-01-02 00:00:00"));
        check("2021-01-02T03:04:05Z", Some("2021-01-02 03:04:05"));
        check("2021-01-02T03:04:05+02:00", Some("2021-01-02 03:04:05"));
        check("2021-01-02T03:04:05-0330", Some("2021-01-02 03:04:05"));
        check("2021-01-02T03:04:05Zfoo", None);
        check("2021-01-02T25:00:00", None);
        check("2021-01-02T03:60:00", None);
        check("2021-01-02T03:04:05+99", None);
        check("2021-01-02T3:04:05", None);
        check("2021-01-02T03:04:05:06", None);
        check("yesterday", None);
    }
}
