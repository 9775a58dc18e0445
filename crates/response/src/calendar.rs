//! Days and times of day as a graph stores them, from 1970 and from midnight, and their texts.
//! Input and stored values are parsed by the same rules.

mod moment;
mod read;

pub use moment::Moment;

/// A day of the proleptic Gregorian calendar. It has a year zero, as ISO 8601.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    pub year: i64,
    pub month: u8,
    pub day: u8,
}

/// A time of day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub nanosecond: u32,
}

/// The offset of a local time from UTC, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset(pub i32);

/// Limit of a graph's years, on both sides of zero.
const MOST_YEARS: i64 = 999_999_999;
const DAYS_OF_400_YEARS: i64 = 146_097;
/// From the first of March of the year zero, with which leap days come last, to 1970.
const DAYS_BEFORE_1970: i64 = 719_468;
const SECONDS_OF_DAY: i64 = 86_400;
const NANOSECONDS: i64 = 1_000_000_000;

impl Day {
    /// Returns the day, if it exists.
    #[must_use]
    pub fn new(year: i64, month: u8, day: u8) -> Option<Self> {
        let is_there = year.abs() <= MOST_YEARS
            && (1..=12).contains(&month)
            && (1..=days_of_month(year, month)).contains(&day);
        is_there.then_some(Self { year, month, day })
    }

    /// The day so many days after the first of 1970.
    #[must_use]
    pub fn from_epoch(days: i64) -> Option<Self> {
        if days.unsigned_abs() > MOST_YEARS.unsigned_abs() * 366 {
            return None;
        }
        let days = days + DAYS_BEFORE_1970;
        let (era, within) =
            (days.div_euclid(DAYS_OF_400_YEARS), days.rem_euclid(DAYS_OF_400_YEARS));
        let years = (within - within / 1_460 + within / 36_524 - within / 146_096) / 365;
        let of_year = within - (365 * years + years / 4 - years / 100);
        let months = (5 * of_year + 2) / 153;
        let day = u8::try_from(of_year - (153 * months + 2) / 5 + 1).ok()?;
        let month = u8::try_from(if months < 10 { months + 3 } else { months - 9 }).ok()?;
        Self::new(era * 400 + years + i64::from(month <= 2), month, day)
    }

    /// The number of days since the first of 1970.
    #[must_use]
    pub fn to_epoch(self) -> i64 {
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        let year = self.year - i64::from(month <= 2);
        let (era, years) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
        let within = years * 365 + years / 4 - years / 100 + of_year;
        era * DAYS_OF_400_YEARS + within - DAYS_BEFORE_1970
    }

    /// Appends `2020-02-29`; years of other than four digits get a sign and at least six.
    pub fn write(self, out: &mut Vec<u8>) {
        if (0..=9999).contains(&self.year) {
            write_padded(self.year.unsigned_abs(), 4, out);
        } else {
            out.push(if self.year < 0 { b'-' } else { b'+' });
            write_padded(self.year.unsigned_abs(), 6, out);
        }
        for part in [self.month, self.day] {
            out.push(b'-');
            write_padded(part.into(), 2, out);
        }
    }
}

impl Clock {
    /// Returns the time of day, if it exists.
    #[must_use]
    pub fn new(hour: u8, minute: u8, second: u8, nanosecond: u32) -> Option<Self> {
        let is_there =
            hour < 24 && minute < 60 && second < 60 && i64::from(nanosecond) < NANOSECONDS;
        is_there.then_some(Self { hour, minute, second, nanosecond })
    }

    /// The time so many nanoseconds after midnight.
    #[must_use]
    pub fn from_midnight(nanoseconds: i64) -> Option<Self> {
        let (seconds, nanosecond) =
            (nanoseconds.div_euclid(NANOSECONDS), nanoseconds.rem_euclid(NANOSECONDS));
        let part = |number: i64| u8::try_from(number).ok();
        let hour = part(seconds.div_euclid(3_600))?;
        let (minute, second) =
            (part(seconds.rem_euclid(3_600) / 60)?, part(seconds.rem_euclid(60))?);
        Self::new(hour, minute, second, u32::try_from(nanosecond).ok()?)
    }

    /// Nanoseconds since midnight.
    #[must_use]
    pub fn to_midnight(self) -> i64 {
        self.seconds() * NANOSECONDS + i64::from(self.nanosecond)
    }

    /// Whole seconds since midnight.
    #[must_use]
    pub fn seconds(self) -> i64 {
        (i64::from(self.hour) * 60 + i64::from(self.minute)) * 60 + i64::from(self.second)
    }

    /// Appends `12:34:56`, and a fraction of nine digits where there is one.
    pub fn write(self, out: &mut Vec<u8>) {
        self.write_seconds(out);
        if self.nanosecond > 0 {
            out.push(b'.');
            write_padded(self.nanosecond.into(), 9, out);
        }
    }

    /// Appends `12:34:56.789`.
    pub fn write_milliseconds(self, out: &mut Vec<u8>) {
        self.write_seconds(out);
        out.push(b'.');
        write_padded((self.nanosecond / 1_000_000).into(), 3, out);
    }

    fn write_seconds(self, out: &mut Vec<u8>) {
        write_padded(self.hour.into(), 2, out);
        for part in [self.minute, self.second] {
            out.push(b':');
            write_padded(part.into(), 2, out);
        }
    }
}

impl Offset {
    /// Appends `Z`, `+01:00` or, where there are seconds, `+00:53:28`.
    pub fn write(self, out: &mut Vec<u8>) {
        if self.0 == 0 {
            out.push(b'Z');
            return;
        }
        let seconds = u64::from(self.0.unsigned_abs());
        out.push(if self.0 < 0 { b'-' } else { b'+' });
        write_padded(seconds / 3_600, 2, out);
        out.push(b':');
        write_padded(seconds / 60 % 60, 2, out);
        if seconds % 60 > 0 {
            out.push(b':');
            write_padded(seconds % 60, 2, out);
        }
    }
}

/// Splits seconds since the beginning of 1970 into a day and a time of day.
#[must_use]
pub fn split_seconds(seconds: i64, nanosecond: i64) -> Option<(Day, Clock)> {
    let day = Day::from_epoch(seconds.div_euclid(SECONDS_OF_DAY))?;
    if !(0..NANOSECONDS).contains(&nanosecond) {
        return None;
    }
    let of_day = seconds.rem_euclid(SECONDS_OF_DAY) * NANOSECONDS + nanosecond;
    Some((day, Clock::from_midnight(of_day)?))
}

/// Seconds from the beginning of 1970 to a day and a time of day.
#[must_use]
pub fn join_seconds(day: Day, clock: Clock) -> i64 {
    day.to_epoch() * SECONDS_OF_DAY + clock.seconds()
}

fn days_of_month(year: i64, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

fn write_padded(number: u64, digits: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(number);
    out.resize(out.len() + digits.saturating_sub(text.len()), b'0');
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn days_are_counted_from_1970() {
        for (days, expect) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (18_321, "2020-02-29"),
            (11_016, "2000-02-29"),
            (-719_528, "0000-01-01"),
            (-719_529, "-000001-12-31"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "+010000-01-01"),
            (365_241_780_471, "+999999999-12-31"),
            (-365_243_219_162, "-999999999-01-01"),
        ] {
            let day = Day::from_epoch(days).unwrap();
            assert_eq!(written(|out| day.write(out)), expect);
            assert_eq!(day.to_epoch(), days, "{expect}");
        }
        for days in [365_241_780_472, -365_243_219_163, i64::MAX, i64::MIN] {
            assert_eq!(Day::from_epoch(days), None, "{days}");
        }
    }

    #[test]
    fn every_day_of_four_hundred_years_is_counted_once() {
        let mut days = -719_528;
        for year in 0..400 {
            for month in 1..=12 {
                for day in 1..=days_of_month(year, month) {
                    let own = Day { year, month, day };
                    assert_eq!(Day::from_epoch(days), Some(own));
                    assert_eq!(own.to_epoch(), days);
                    days += 1;
                }
            }
        }
        assert_eq!(days, -719_528 + DAYS_OF_400_YEARS);
    }

    #[test]
    fn times_of_day_are_counted_from_midnight() {
        for (nanoseconds, expect, milliseconds) in [
            (0, "00:00:00", "00:00:00.000"),
            (1, "00:00:00.000000001", "00:00:00.000"),
            (86_399_999_999_999, "23:59:59.999999999", "23:59:59.999"),
            (45_296_789_000_000, "12:34:56.789000000", "12:34:56.789"),
        ] {
            let clock = Clock::from_midnight(nanoseconds).unwrap();
            assert_eq!(written(|out| clock.write(out)), expect);
            assert_eq!(written(|out| clock.write_milliseconds(out)), milliseconds);
            assert_eq!(clock.to_midnight(), nanoseconds);
        }
        for nanoseconds in [-1, 86_400_000_000_000, i64::MAX, i64::MIN] {
            assert_eq!(Clock::from_midnight(nanoseconds), None, "{nanoseconds}");
        }
    }

    #[test]
    fn offsets_have_seconds_only_where_they_must() {
        for (seconds, expect) in [
            (0, "Z"),
            (3_600, "+01:00"),
            (-19_800, "-05:30"),
            (3_208, "+00:53:28"),
            (-1, "-00:00:01"),
        ] {
            assert_eq!(written(|out| Offset(seconds).write(out)), expect);
        }
    }

    #[test]
    fn seconds_are_split_into_days_and_times_and_joined_again() {
        for (seconds, nanosecond, expect) in [
            (0, 0, "1970-01-01 00:00:00"),
            (-1, 999_999_999, "1969-12-31 23:59:59.999999999"),
            (1_582_979_696, 5, "2020-02-29 12:34:56.000000005"),
        ] {
            let (day, clock) = split_seconds(seconds, nanosecond).unwrap();
            let text = written(|out| {
                day.write(out);
                out.push(b' ');
                clock.write(out);
            });
            assert_eq!(text, expect);
            assert_eq!(join_seconds(day, clock), seconds);
        }
        assert_eq!(split_seconds(0, NANOSECONDS), None);
        assert_eq!(split_seconds(0, -1), None);
        assert_eq!(split_seconds(i64::MAX, 0), None);
    }
}
