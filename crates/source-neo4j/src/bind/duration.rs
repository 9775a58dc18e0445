//! Texts that mean quantities of time, in the three forms of ISO 8601 that the library reads, and
//! with its arithmetic for fractions of units.

use super::super::wire::Pack;

/// Months, days and seconds are separate: none of them is a fixed number of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Duration {
    months: i64,
    days: i64,
    seconds: i64,
    nanoseconds: i64,
}

/// The number of each unit in a text.
#[derive(Default)]
struct Units {
    years: f64,
    months: f64,
    weeks: f64,
    days: f64,
    hours: f64,
    minutes: f64,
    seconds: f64,
}

const DAYS_OF_MONTH: f64 = 365.2425 / 12.0;
const NANOSECONDS: i64 = 1_000_000_000;

impl Duration {
    pub(super) fn read(text: &str) -> Option<Self> {
        let (is_negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let rest = rest.strip_prefix('P')?;
        let units = Units::read(rest).or_else(|| Units::read_digits(rest))?;
        units.sum(if is_negative { -1.0 } else { 1.0 })
    }

    pub(super) fn pack(self, out: &mut Pack) {
        out.structure(b'E', 4);
        out.integer(self.months);
        out.integer(self.days);
        out.integer(self.seconds);
        out.integer(self.nanoseconds);
    }
}

impl Units {
    /// Reads `1Y2M3W4DT5H6M7.5S`, of which each part may be left out but not all, and only the last
    /// one have a fraction.
    fn read(text: &str) -> Option<Self> {
        if matches!(text, "" | "T") {
            return None;
        }
        let mut units = Self::default();
        let (date, time) = match text.split_once('T') {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let time_is_none = time.is_none();
        let date = take_unit(date, 'Y', &mut units.years)?;
        let date = take_unit(date, 'M', &mut units.months)?;
        let date = take_unit(date, 'W', &mut units.weeks)?;
        let date = take_unit(date, 'D', &mut units.days)?;
        let weeks = units.weeks.abs();
        let is_whole = [units.years, units.months, units.weeks, units.days].map(f64::fract);
        let time = take_unit(time.unwrap_or_default(), 'H', &mut units.hours)?;
        let time = take_unit(time, 'M', &mut units.minutes)?;
        let time = take_unit(time, 'S', &mut units.seconds)?;
        let is_valid = date.is_empty()
            && time.is_empty()
            && (weeks == 0.0 || (1.0..54.0).contains(&weeks))
            && (time_is_none || is_whole == [0.0; 4]);
        is_valid.then_some(units)
    }

    /// Reads `0001-02-03T04:05:06` or `00010203T040506`; ignores the rest.
    fn read_digits(text: &str) -> Option<Self> {
        let mut rest = text;
        let has_marks = text.as_bytes().get(4) == Some(&b'-');
        let mut take = |count: usize, mark: &str| {
            let (digits, after) = rest.split_at_checked(count)?;
            if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            rest = after.strip_prefix(mark)?;
            digits.parse::<f64>().ok()
        };
        let (hyphen, colon) = if has_marks { ("-", ":") } else { ("", "") };
        Some(Self {
            years: take(4, hyphen)?,
            months: take(2, hyphen)?,
            days: take(2, "T")?,
            hours: take(2, colon)?,
            minutes: take(2, colon)?,
            seconds: take(2, "")?,
            weeks: 0.0,
        })
    }

    /// The sum by months, days and seconds; the fraction of a unit goes to the next smaller one.
    /// `None` where one of them is beyond 64 bits.
    fn sum(&self, sign: f64) -> Option<Duration> {
        let (months, of_month) = split(self.months + self.years * 12.0);
        let (days, of_day) = split(self.days + self.weeks * 7.0 + of_month * DAYS_OF_MONTH);
        let parts = [
            split((self.hours + of_day * 24.0) * 3_600.0),
            split(self.minutes * 60.0),
            split(self.seconds),
        ];
        let seconds: f64 = parts.iter().map(|(whole, _)| whole).sum();
        let of_second: f64 = parts.iter().map(|(_, rest)| rest).sum();
        let nanoseconds = integer(sign * nine_digits(of_second) * NANOSECONDS as f64)?;
        Some(Duration {
            months: integer(sign * months)?,
            days: integer(sign * days)?,
            seconds: integer(sign * seconds)?.checked_add(nanoseconds.div_euclid(NANOSECONDS))?,
            nanoseconds: nanoseconds.rem_euclid(NANOSECONDS),
        })
    }
}

/// The whole part of a number, if it has 64 bits at most.
fn integer(number: f64) -> Option<i64> {
    /// Two to the power of 63, the first number that is too large.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    (-LIMIT..LIMIT).contains(&number).then_some(number as i64)
}

/// Takes a number before the letter of its unit, if there is one.
fn take_unit<'t>(text: &'t str, letter: char, unit: &mut f64) -> Option<&'t str> {
    let Some((number, rest)) = text.split_once(letter) else { return Some(text) };
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (unsigned, None),
    };
    let are_digits =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // Another unit may come first, or nothing after a fraction.
    if !are_digits(whole) || fraction.is_some_and(|digits| !are_digits(digits) || !rest.is_empty())
    {
        return None;
    }
    *unit = number.parse().ok()?;
    Some(rest)
}

/// The whole part of a number and the rest, both with its sign.
fn split(number: f64) -> (f64, f64) {
    let rounded = nine_digits(number);
    (rounded.trunc(), rounded % 1.0)
}

/// The number as it is with nine digits after the point.
fn nine_digits(number: f64) -> f64 {
    format!("{number:.9}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, [months, days, seconds, nanoseconds]: [i64; 4]) {
        let expect = Duration { months, days, seconds, nanoseconds };
        assert_eq!(Duration::read(text), Some(expect), "{text}");
    }

    #[test]
    fn units_are_summed_by_months_days_and_seconds() {
        check("P1Y", [12, 0, 0, 0]);
        check("P1Y2M3W4DT5H6M7S", [14, 25, 18_367, 0]);
        check("PT7.5S", [0, 0, 7, 500_000_000]);
        check("P-1M", [-1, 0, 0, 0]);
        check("-P1DT1S", [0, -1, -1, 0]);
        check("-PT0.5S", [0, 0, -1, 500_000_000]);
        check("PT-0.5S", [0, 0, -1, 500_000_000]);
        check("P53W", [0, 371, 0, 0]);
        check("P1YT", [12, 0, 0, 0]);
    }

    #[test]
    fn a_fraction_goes_to_the_next_smaller_unit() {
        check("P2.5Y", [30, 0, 0, 0]);
        check("P0.5M", [0, 15, 18_873, 0]);
        check("P1.5D", [0, 1, 43_200, 0]);
        check("P1.5W", [0, 10, 43_200, 0]);
        check("PT1.5H", [0, 0, 5_400, 0]);
        check("PT0.25M", [0, 0, 15, 0]);
    }

    #[test]
    fn digits_stand_for_units_by_their_places() {
        check("P0001-02-03T04:05:06", [14, 3, 14_706, 0]);
        check("-P00010203T040506", [-14, -3, -14_706, 0]);
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "",
            "P",
            "PT",
            "1D",
            "P1",
            "P1X",
            "P1.5Y1M",
            "P1M1Y",
            "PT1D",
            "P54W",
            "P1.D",
            "P.5D",
            "P99999999999999999999D",
            "PT9223372036854775808S",
            "P-9999999999999999999Y",
            "P1D2",
            "P0001-02-03",
            "P--1D",
            "P1.5DT1H",
            "PéY",
        ] {
            assert_eq!(Duration::read(text), None, "{text}");
        }
    }
}
