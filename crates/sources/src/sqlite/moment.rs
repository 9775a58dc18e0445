//! Days and moments as SQLite's text keeps them: read as PostgreSQL reads them, in one form.

/// A day, `YYYY-MM-DD`.
pub(super) fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    (1..=days_of(year, month)?).contains(&day).then(|| text.into())
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

/// Nothing, `Z`, or an offset of hours and minutes.
fn is_zone(text: &str) -> bool {
    let Some(offset) = text.strip_prefix(['+', '-']) else { return matches!(text, "" | "Z") };
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None => offset.split_at_checked(2).unwrap_or((offset, "")),
    };
    let minutes = if minutes.is_empty() { Some(0) } else { number(minutes, 2) };
    number(hours, 2).is_some_and(|hours| hours < 16) && minutes.is_some_and(|part| part < 60)
}

/// A number of just so many digits.
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
    use super::{date, timestamp};

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
