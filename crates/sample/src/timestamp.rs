//! A point of time without time zone, as SQL's `TIMESTAMP`.

use std::fmt;

/// A date of the Gregorian calendar and a time of day; prints as `YYYY-MM-DD HH:MM:SS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
    /// The hour, 0 to 23.
    pub hour: u8,
    /// The minute, 0 to 59.
    pub minute: u8,
    /// The second, 0 to 59.
    pub second: u8,
}

impl Timestamp {
    /// The beginning of a day.
    pub(crate) fn midnight(year: u16, month: u8, day: u8) -> Timestamp {
        Timestamp { year, month, day, hour: 0, minute: 0, second: 0 }
    }

    /// The beginning of the day so many days after the first of January of `year`.
    pub(crate) fn days_after(mut year: u16, mut days: u16) -> Timestamp {
        let mut month = 1;
        loop {
            let length = days_in_month(year, month);
            if days < u16::from(length) {
                // Below 31 here, so the conversion cannot fail.
                return Timestamp::midnight(year, month, u8::try_from(days + 1).unwrap_or(1));
            }
            days -= u16::from(length);
            (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        }
    }

    /// The beginning of the day written as `YYYY-MM-DD`.
    pub(crate) fn parse_date(date: &str) -> Option<Timestamp> {
        let mut parts = date.split('-');
        let year = parts.next()?.parse().ok()?;
        let month = parts.next()?.parse().ok()?;
        let day = parts.next()?.parse().ok()?;
        Some(Timestamp::midnight(year, month, day))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Timestamp { year, month, day, hour, minute, second } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }
}

fn days_in_month(year: u16, month: u8) -> u8 {
    let leap = (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(days: u16, date: &str) {
        let timestamp = Timestamp::days_after(2021, days);
        assert_eq!(Some(timestamp), Timestamp::parse_date(date));
        assert_eq!(timestamp.to_string(), format!("{date} 00:00:00"));
    }

    #[test]
    fn days_are_counted_across_months_and_leap_years() {
        check(0, "2021-01-01");
        check(31, "2021-02-01");
        check(365, "2022-01-01");
        check(1_154, "2024-02-29");
        check(1_155, "2024-03-01");
        check(1_825, "2025-12-31");
    }
}
