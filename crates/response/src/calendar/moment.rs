//! Moments: a day, a time of day, and an offset from UTC.

use super::{Clock, Day, Offset, join_seconds, split_seconds};

/// A moment in UTC, with its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since the beginning of 1970.
    pub seconds: i64,
    pub nanosecond: u32,
    pub offset: Offset,
}

impl Moment {
    /// Reads a day, or a day and a time of day, which may have an offset.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (day, rest) = Day::take(text.as_bytes())?;
        let (clock, rest) = match rest {
            [] => (Clock::default(), rest),
            rest => {
                let rest = rest.strip_prefix(b"T")?;
                Clock::take_seconds(rest).or_else(|| Clock::take_minutes(rest))?
            }
        };
        let offset = match rest {
            [] => Offset(0),
            rest => Offset::read(rest)?,
        };
        let seconds = join_seconds(day, clock) - i64::from(offset.0);
        Some(Self { seconds, nanosecond: clock.nanosecond, offset })
    }

    /// The same in UTC and whole milliseconds: `2020-02-29T12:34:56.789Z`.
    #[must_use]
    pub fn in_utc(self) -> Option<String> {
        let (day, clock) = split_seconds(self.seconds, self.nanosecond.into())?;
        let mut out = Vec::with_capacity("2020-02-29T12:34:56.789Z".len());
        day.write(&mut out);
        out.push(b'T');
        clock.write_milliseconds(&mut out);
        out.push(b'Z');
        String::from_utf8(out).ok()
    }

    /// The moment as text in UTC with microseconds, rounded, without zeros at the end:
    /// `2020-02-29T12:34:56.5Z`. `None` for years of other than four digits.
    #[must_use]
    pub fn in_microseconds(self) -> Option<String> {
        let microseconds = (self.nanosecond + 500) / 1_000;
        let seconds = self.seconds + i64::from(microseconds / 1_000_000);
        let (day, clock) = split_seconds(seconds, 0)?;
        let mut out = Vec::with_capacity("2020-02-29T12:34:56.789012Z".len());
        day.write(&mut out);
        out.push(b'T');
        clock.write(&mut out);
        if !out.first()?.is_ascii_digit() {
            return None;
        }
        let mut text = String::from_utf8(out).ok()?;
        match microseconds % 1_000_000 {
            0 => {}
            fraction => text.push_str(format!(".{fraction:06}").trim_end_matches('0')),
        }
        text.push('Z');
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_utc() {
        let check = |text: &str, seconds, nanosecond, offset| {
            let expect = Moment { seconds, nanosecond, offset: Offset(offset) };
            assert_eq!(Moment::read(text), Some(expect), "{text}");
        };
        check("1970-01-02", 86_400, 0, 0);
        check("1970-01-01T01:00+01:00", 0, 0, 3_600);
        check("1970-01-01T00:00:00.000000001Z", 0, 1, 0);
        check("1970-01-01T00:00:05", 5, 0, 0);
        check("1969-12-31T23:59:59-00:30", 1_799, 0, -1_800);
        for text in ["", "x", "1970-01-01T", "1970-01-01 00:00", "1970-02-30", "1970-01-01Zx"] {
            assert_eq!(Moment::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_moment_is_written_in_utc() {
        let check = |text: &str, expected: &str| {
            let written = Moment::read(text).and_then(Moment::in_utc);
            assert_eq!(written.as_deref(), Some(expected), "{text}");
        };
        check("2021-12-31T01:00:00.123456789+02:00", "2021-12-30T23:00:00.123Z");
        check("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z");
        check("-000001-12-31", "-000001-12-31T00:00:00.000Z");
    }

    #[test]
    fn microseconds_are_rounded() {
        let check = |text: &str, expected: Option<&str>| {
            let written = Moment::read(text).and_then(Moment::in_microseconds);
            assert_eq!(written.as_deref(), expected, "{text}");
        };
        check("2021-12-31T01:00:00.123456789+02:00", Some("2021-12-30T23:00:00.123457Z"));
        check("1999-12-31T23:59:59.9999999Z", Some("2000-01-01T00:00:00Z"));
        check("2020-01-01T00:00:00.120Z", Some("2020-01-01T00:00:00.12Z"));
        check("2020-01-01", Some("2020-01-01T00:00:00Z"));
        check("-000001-12-31", None);
    }
}
