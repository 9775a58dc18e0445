//! Moments as texts: RFC 3339, and the beginnings of it that Dgraph reads (`2024`, `2024-05`).

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// A moment that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Since 1970, in UTC.
    pub micros: i64,
    /// True if digits beyond microseconds were left out.
    pub is_truncated: bool,
}

/// Reads a moment. Missing parts are those of the beginning, in UTC.
#[must_use]
pub fn read(text: &str) -> Option<Moment> {
    let (year, mut rest) = number(text, 4)?;
    let (mut month, mut day) = (1, 1);
    if let Some(after) = rest.strip_prefix('-') {
        (month, rest) = number(after, 2)?;
        if let Some(after) = rest.strip_prefix('-') {
            (day, rest) = number(after, 2)?;
        }
    }
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    let midnight = days_since_1970(year, month, day) * DAY;
    if rest.is_empty() {
        return within_years(Moment { micros: midnight, is_truncated: false });
    }
    let (hour, rest) = number(rest.strip_prefix(['T', 't', ' '])?, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(after) => number(after, 2)?,
        None => (0, rest),
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (fraction, is_truncated, rest) = match rest.strip_prefix('.') {
        Some(after) => fraction(after)?,
        None => (0, false, rest),
    };
    let east = zone(rest)?;
    let clock = (hour * 3_600 + minute * 60 + second - east) * SECOND + fraction;
    within_years(Moment { micros: midnight + clock, is_truncated })
}

/// A moment of the years 1 to 9999 in UTC: GraphQL and databases have four digits, and PostgreSQL no
/// year 0.
fn within_years(moment: Moment) -> Option<Moment> {
    let years = days_since_1970(1, 1, 1) * DAY..days_since_1970(10_000, 1, 1) * DAY;
    years.contains(&moment.micros).then_some(moment)
}

/// Writes a moment in UTC, with a fraction if it is not zero. The separator is `T`, and the zone
/// `Z`.
pub fn write(micros: i64, out: &mut Vec<u8>) {
    write_with(micros, (b'T', b"Z"), out);
}

/// Writes a moment as databases have it: `2024-05-06 07:08:09+00:00`.
pub fn write_for_database(micros: i64, out: &mut Vec<u8>) {
    write_with(micros, (b' ', b"+00:00"), out);
}

fn write_with(micros: i64, (separator, zone): (u8, &[u8]), out: &mut Vec<u8>) {
    let (days, clock) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
    let (year, month, day) = date(days);
    let (seconds, fraction) = (clock / SECOND, clock % SECOND);
    digits(year, 4, out);
    out.push(b'-');
    digits(month, 2, out);
    out.push(b'-');
    digits(day, 2, out);
    out.push(separator);
    digits(seconds / 3_600, 2, out);
    out.push(b':');
    digits(seconds / 60 % 60, 2, out);
    out.push(b':');
    digits(seconds % 60, 2, out);
    if fraction > 0 {
        out.push(b'.');
        digits(fraction, 6, out);
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
    out.extend_from_slice(zone);
}

fn digits(number: i64, width: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(number);
    out.extend(std::iter::repeat_n(b'0', width.saturating_sub(text.len())));
    out.extend_from_slice(text.as_bytes());
}

/// The number of exactly so many digits, and the rest.
fn number(text: &str, width: usize) -> Option<(i64, &str)> {
    let (digits, rest) = text.split_at_checked(width)?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    Some((digits.parse().ok().filter(|_| is_number)?, rest))
}

/// Microseconds of a fraction, whether it has more digits than zeros beyond, and the rest.
fn fraction(text: &str) -> Option<(i64, bool, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(length)?;
    if digits.is_empty() {
        return None;
    }
    let (kept, beyond) = digits.split_at(digits.len().min(6));
    let scale = 10_i64.pow(6 - u32::try_from(kept.len()).ok()?);
    Some((kept.parse::<i64>().ok()? * scale, beyond.bytes().any(|digit| digit != b'0'), rest))
}

/// Seconds east of Greenwich.
fn zone(text: &str) -> Option<i64> {
    let (sign, rest) = match text.as_bytes().first() {
        None => return Some(0),
        Some(b'Z' | b'z') => return (text.len() == 1).then_some(0),
        Some(b'+') => (1, text.get(1..)?),
        Some(b'-') => (-1, text.get(1..)?),
        Some(_) => return None,
    };
    let (hours, rest) = number(rest, 2)?;
    let minutes = match rest.strip_prefix(':').unwrap_or(rest) {
        "" => 0,
        rest => number(rest, 2).filter(|(_, rest)| rest.is_empty())?.0,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the proleptic Gregorian calendar: <https://howardhinnant.github.io/date_algorithms.html>.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days - era * 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let mut out = Vec::new();
        match read(text) {
            Some(moment) => {
                write(moment.micros, &mut out);
                out.extend_from_slice(if moment.is_truncated { b"..." } else { b"" });
            }
            None => out.extend_from_slice(b"none"),
        }
        assert_eq!(String::from_utf8(out).unwrap(), expect, "{text}");
    }

    #[test]
    fn moments_are_read_as_dgraph_reads_them() {
        check("2024", "2024-01-01T00:00:00Z");
        check("2024-05", "2024-05-01T00:00:00Z");
        check("2024-02-29", "2024-02-29T00:00:00Z");
        check("2023-02-29", "none");
        check("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z");
        check("2024-05-06T07:08:09.120+02:30", "2024-05-06T04:38:09.12Z");
        check("2024-05-06T07:08:09.1234567Z", "2024-05-06T07:08:09.123456Z...");
        check("2024-05-06T07:08:09.123456000Z", "2024-05-06T07:08:09.123456Z");
        check("2024-05-06 07:08", "2024-05-06T07:08:00Z");
        check("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z");
        check("0001-01-01", "0001-01-01T00:00:00Z");
        check("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z");
        for text in [
            "",
            "24",
            "2024-13",
            "2024-00-01",
            "2024-05-06T",
            "2024-05-06T24:00:00Z",
            "x",
            "2024é",
            "2024-05-06T07:08:09.Z",
            "2024-05-06T07:08:09+",
            "20240506",
        ] {
            check(text, "none");
        }
    }
}
