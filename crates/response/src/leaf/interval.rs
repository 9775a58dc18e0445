//! Intervals as objects of their parts.

use super::member::{no_such_part, write_members};
use super::number::{write_int, write_real};
use super::{LeafError, Member, Part};
use crate::cursor::Value;

const EXPECTED: &str = "Interval";

/// The parts, each with its sign.
#[derive(Default)]
struct Interval {
    years: i64,
    months: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: f64,
}

/// Appends an object of the selected parts.
pub(super) fn write_interval(
    members: &[Member],
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let malformed = || LeafError::new(EXPECTED, "a value that is not a finite interval", value);
    let Value::Text(text) = value else { return Err(malformed()) };
    let text = str::from_utf8(text).map_err(|_| malformed())?;
    let interval = Interval::read(text).ok_or_else(malformed)?;
    write_members(members, out, |member, out| {
        let integer = match member.part {
            Part::Seconds => {
                write_real(interval.seconds, out);
                return Ok(());
            }
            Part::Minutes => interval.minutes,
            Part::Hours => interval.hours,
            Part::Days => interval.days,
            Part::Months => interval.months,
            Part::Years => interval.years,
            _ => return Err(no_such_part(EXPECTED, value)),
        };
        write_int(Value::Integer(integer), out)
    })
}

impl Interval {
    /// Reads `-1 years -2 mons +3 days -04:05:06.5`, with any part omitted.
    fn read(text: &str) -> Option<Self> {
        let mut interval = Self::default();
        let mut words = text.split(' ');
        while let Some(word) = words.next() {
            if word.contains(':') {
                interval.read_time(word)?;
                return words.next().is_none().then_some(interval);
            }
            let number = word.parse().ok()?;
            match words.next()? {
                "year" | "years" => interval.years = number,
                "mon" | "mons" => interval.months = number,
                "day" | "days" => interval.days = number,
                _ => return None,
            }
        }
        Some(interval)
    }

    /// Reads `-04:05:06.5`, whose sign is that of all three.
    fn read_time(&mut self, text: &str) -> Option<()> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let is_plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b':' | b'.'));
        let mut parts = text.split(':');
        let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
        if !is_plain || parts.next().is_some() {
            return None;
        }
        self.hours = hours.parse().ok()?;
        self.minutes = minutes.parse().ok()?;
        self.seconds = seconds.parse().ok().filter(|seconds: &f64| seconds.is_finite())?;
        if negative {
            self.hours = -self.hours;
            self.minutes = -self.minutes;
            self.seconds = -self.seconds;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text, member};
    use crate::leaf::{Leaf, Part};

    fn interval() -> Leaf {
        Leaf::Interval(Box::new([
            member("s", Part::Seconds, Leaf::Float),
            member("m", Part::Minutes, Leaf::Int),
            member("h", Part::Hours, Leaf::Int),
            member("d", Part::Days, Leaf::Int),
            member("mo", Part::Months, Leaf::Int),
            member("y", Part::Years, Leaf::Int),
        ]))
    }

    #[test]
    fn every_part_has_its_sign() {
        for (text, [s, m, h, d, mo, y]) in [
            ("1 year 2 mons 3 days 04:05:06.789", ["6.789", "5", "4", "3", "2", "1"]),
            ("-1 years -2 mons +3 days -04:05:06.5", ["-6.5", "-5", "-4", "3", "-2", "-1"]),
            ("-00:00:00.5", ["-0.5", "0", "0", "0", "0", "0"]),
            ("00:00:00", ["0", "0", "0", "0", "0", "0"]),
            ("1001 years 2 mons 40 days 100:00:00", ["0", "0", "100", "40", "2", "1001"]),
            ("5 days", ["0", "0", "0", "5", "0", "0"]),
            ("00:00:00.000001", ["0.000001", "0", "0", "0", "0", "0"]),
            ("-1 days +00:00:01", ["1", "0", "0", "-1", "0", "0"]),
            ("1 mon -1 days", ["0", "0", "0", "-1", "1", "0"]),
        ] {
            let expect = format!(r#"{{"s":{s},"m":{m},"h":{h},"d":{d},"mo":{mo},"y":{y}}}"#);
            check_text(&interval(), text, &expect);
        }
    }

    #[test]
    fn other_values_are_errors() {
        let expect = "Interval cannot represent a value that is not a finite interval";
        for text in [
            "",
            "infinity",
            "-infinity",
            "P1Y",
            "1",
            "1 week",
            "1:2",
            "1:2:3:4",
            "1:2:x",
            "1:2:1e9",
            "00:00:00 1 day",
            "--00:00:00",
            "1:-2:3",
            ":",
        ] {
            check_text(&interval(), text, &format!("{expect}: \"{text}\""));
        }
        check(&interval(), Value::Integer(1), &format!("{expect}: 1"));
    }

    #[test]
    fn a_part_beyond_32_bits_is_an_error() {
        let expect = "Int cannot represent a value beyond 32 bits: 2562047788";
        check_text(&interval(), "2562047788:00:54.775807", expect);
    }
}
