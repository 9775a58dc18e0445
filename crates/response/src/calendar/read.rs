//! Days, times of day and offsets in the forms of ISO 8601 that have hyphens and colons.

use super::{Clock, Day, Offset};

impl Day {
    /// Reads `2020-02-29`, with a sign and at least six digits for years that do not fit four, and
    /// returns the rest. `None` for a day that does not exist.
    #[must_use]
    pub fn take(text: &[u8]) -> Option<(Self, &[u8])> {
        let (sign, rest) = match text {
            [b'-', rest @ ..] => (-1, rest),
            [b'+', rest @ ..] => (1, rest),
            _ => (0, text),
        };
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let fits = if sign == 0 { count == 4 } else { (6..=9).contains(&count) };
        if !fits {
            return None;
        }
        let (year, rest) = take_digits(rest, count)?;
        let (month, rest) = take_part(rest.strip_prefix(b"-")?)?;
        let (day, rest) = take_part(rest.strip_prefix(b"-")?)?;
        let year = if sign < 0 { -year } else { year };
        Some((Self::new(year, month, day)?, rest))
    }
}

impl Clock {
    /// Reads `12:34`, and returns the rest.
    #[must_use]
    pub fn take_minutes(text: &[u8]) -> Option<(Self, &[u8])> {
        let (hour, rest) = take_part(text)?;
        let (minute, rest) = take_part(rest.strip_prefix(b":")?)?;
        Some((Self::new(hour, minute, 0, 0)?, rest))
    }

    /// Reads `12:34:56` or `12:34:56.789`, and returns the rest. Digits beyond nanoseconds are
    /// dropped.
    #[must_use]
    pub fn take_seconds(text: &[u8]) -> Option<(Self, &[u8])> {
        let (minutes, rest) = Self::take_minutes(text)?;
        let (second, rest) = take_part(rest.strip_prefix(b":")?)?;
        let (nanosecond, rest) = match rest.strip_prefix(b".") {
            Some(fraction) => {
                let count = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (digits, rest) = fraction.split_at_checked(count)?;
                if digits.is_empty() {
                    return None;
                }
                let zeros = std::iter::repeat(&b'0');
                let digits = digits.iter().chain(zeros).take(9);
                (digits.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')), rest)
            }
            None => (0, rest),
        };
        Some((Self::new(minutes.hour, minutes.minute, second, nanosecond)?, rest))
    }
}

impl Offset {
    /// Reads a whole text, as [`Offset::take`] reads the beginning of one.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let (offset, rest) = Self::take(text)?;
        rest.is_empty().then_some(offset)
    }

    /// Reads `Z`, `+01`, `+01:30` or `+0130`, and returns the rest.
    #[must_use]
    pub fn take(text: &[u8]) -> Option<(Self, &[u8])> {
        let (sign, rest) = match text {
            [b'Z' | b'z', rest @ ..] => return Some((Self(0), rest)),
            [b'+', rest @ ..] => (1, rest),
            [b'-', rest @ ..] => (-1, rest),
            _ => return None,
        };
        let (hour, rest) = take_part(rest)?;
        let (minute, rest) = match rest {
            [b':', rest @ ..] => take_part(rest)?,
            [b'0'..=b'9', ..] => take_part(rest)?,
            _ => (0, rest),
        };
        // Neo4j's own limit.
        if minute > 59 || hour > 18 || (hour == 18 && minute > 0) {
            return None;
        }
        Some((Self(sign * (i32::from(hour) * 3_600 + i32::from(minute) * 60)), rest))
    }
}

/// A number of two digits.
fn take_part(text: &[u8]) -> Option<(u8, &[u8])> {
    let (number, rest) = take_digits(text, 2)?;
    Some((u8::try_from(number).ok()?, rest))
}

fn take_digits(text: &[u8], count: usize) -> Option<(i64, &[u8])> {
    let (digits, rest) = text.split_at_checked(count)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some((digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_to_their_end() {
        let day = |year, month, day| Day { year, month, day };
        assert_eq!(Day::take(b"2020-02-29T"), Some((day(2020, 2, 29), b"T".as_slice())));
        assert_eq!(Day::take(b"0000-01-01"), Some((day(0, 1, 1), b"".as_slice())));
        assert_eq!(Day::take(b"+012020-12-31"), Some((day(12_020, 12, 31), b"".as_slice())));
        assert_eq!(Day::take(b"-000001-01-01"), Some((day(-1, 1, 1), b"".as_slice())));
        for text in [
            "",
            "2020",
            "2020-1-1",
            "2019-02-29",
            "2020-13-01",
            "2020-00-10",
            "2020-01-00",
            "20200101",
            "+2020-01-01",
            "-0001-01-01",
            "12020-01-01",
            "2020/01/01",
            "2020-01-",
        ] {
            assert_eq!(Day::take(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn times_of_day_have_minutes_or_seconds() {
        let clock = |hour, minute, second, nanosecond| Clock { hour, minute, second, nanosecond };
        assert_eq!(Clock::take_minutes(b"12:34:56"), Some((clock(12, 34, 0, 0), &b":56"[..])));
        assert_eq!(Clock::take_seconds(b"12:34:56"), Some((clock(12, 34, 56, 0), &b""[..])));
        let half = Some((clock(0, 0, 0, 500_000_000), &b"Z"[..]));
        assert_eq!(Clock::take_seconds(b"00:00:00.5Z"), half);
        let precise = Some((clock(23, 59, 59, 123_456_789), &b""[..]));
        assert_eq!(Clock::take_seconds(b"23:59:59.1234567899"), precise);
        for text in ["", "24:00:00", "12:60:00", "12:00:60", "12:00", "1:00:00", "12:00:00."] {
            assert_eq!(Clock::take_seconds(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn offsets_are_read_in_four_forms() {
        let check = |text: &str, seconds, rest: &str| {
            assert_eq!(Offset::take(text.as_bytes()), Some((Offset(seconds), rest.as_bytes())));
        };
        check("Z", 0, "");
        check("z[", 0, "[");
        check("+01", 3_600, "");
        check("+0130", 5_400, "");
        check("-05:30x", -19_800, "x");
        check("+18:00", 64_800, "");
        for text in ["", "+1", "+18:01", "+19:00", "+01:60", "01:00", "+01:0"] {
            assert_eq!(Offset::take(text.as_bytes()), None, "{text}");
        }
    }
}
