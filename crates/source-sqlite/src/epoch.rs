//! Moments that are stored as numbers, of seconds since 1970 for instance. They compare and sort as
//! the numbers that they are.

use catalog::EpochUnit;
use rusqlite::types::Value;

use super::moment::instant;

/// From the day zero of Julian days to 1970, in microseconds.
const JULIAN: i64 = 210_866_760_000_000_000;
const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// The number that means the moment of a text; one without an offset is taken for UTC.
pub(super) fn read(text: &str, unit: EpochUnit) -> Option<Value> {
    let (whole, fraction) = split(text.trim());
    let seconds = instant(&whole).filter(|_| !whole.contains('.'))? / SECOND;
    let nanoseconds = nanoseconds(fraction)?;
    let real = |whole: i64, part: i64, parts: i64| match part {
        0 => Value::Integer(whole),
        part => Value::Real(whole as f64 + part as f64 / parts as f64),
    };
    Some(match unit {
        // The nearest number to all digits, which equals that of a text made of it.
        EpochUnit::Seconds if seconds >= 0 && nanoseconds > 0 => {
            Value::Real(format!("{seconds}.{nanoseconds:09}").parse().ok()?)
        }
        EpochUnit::Seconds => real(seconds, nanoseconds, 1_000 * SECOND),
        EpochUnit::Milliseconds => {
            real(seconds * 1_000 + nanoseconds / SECOND, nanoseconds % SECOND, SECOND)
        }
        EpochUnit::Microseconds => {
            real(seconds * SECOND + nanoseconds / 1_000, nanoseconds % 1_000, 1_000)
        }
        EpochUnit::JulianDay => {
            let microseconds = seconds * SECOND + nanoseconds / 1_000 + JULIAN;
            let (day, rest) = (microseconds.div_euclid(DAY), microseconds.rem_euclid(DAY));
            Value::Real(day as f64 + rest as f64 / DAY as f64)
        }
    })
}

/// A moment without the fraction of its seconds, and the digits of that.
fn split(text: &str) -> (String, &str) {
    let Some((before, behind)) = text.split_once('.') else { return (text.into(), "") };
    let digits = behind.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(behind.len());
    let (fraction, zone) = behind.split_at(digits);
    ([before, zone].concat(), fraction)
}

fn nanoseconds(fraction: &str) -> Option<i64> {
    let digits = fraction.get(..fraction.len().min(9))?;
    [digits, &"0".repeat(9 - digits.len())].concat().parse().ok()
}

#[cfg(test)]
mod tests {
    use response::{Epoch, Leaf};

    use super::*;

    #[test]
    fn what_is_written_of_a_number_is_read_as_that_number() {
        let check = |unit, leaf, number: Value, expect: &str| {
            let value = match number {
                Value::Integer(number) => response::Value::Integer(number),
                Value::Real(number) => response::Value::Real(number),
                _ => panic!("{number:?}"),
            };
            let mut out = Vec::new();
            Leaf::Epoch(leaf).write(value, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert_eq!(text, format!("\"{expect}\""));
            assert_eq!(read(expect, unit), Some(number), "{expect}");
        };
        let seconds = |number, expect| check(EpochUnit::Seconds, Epoch::Seconds, number, expect);
        seconds(Value::Integer(0), "1970-01-01T00:00:00+00:00");
        seconds(Value::Integer(-1), "1969-12-31T23:59:59+00:00");
        seconds(Value::Integer(4_102_444_800), "2100-01-01T00:00:00+00:00");
        seconds(Value::Real(1_700_000_000.25), "2023-11-14T22:13:20.25+00:00");
        seconds(Value::Real(1_700_000_000.123_456_7), "2023-11-14T22:13:20.123456717+00:00");
        seconds(Value::Real(-1.5), "1969-12-31T23:59:58.5+00:00");
        let (unit, leaf) = (EpochUnit::Milliseconds, Epoch::Milliseconds);
        check(unit, leaf, Value::Integer(1_700_000_000_005), "2023-11-14T22:13:20.005+00:00");
        check(unit, leaf, Value::Integer(-1), "1969-12-31T23:59:59.999+00:00");
        let (unit, leaf) = (EpochUnit::Microseconds, Epoch::Microseconds);
        check(
            unit,
            leaf,
            Value::Integer(1_700_000_000_000_005),
            "2023-11-14T22:13:20.000005+00:00",
        );
        let (unit, leaf) = (EpochUnit::JulianDay, Epoch::JulianDay);
        check(unit, leaf, Value::Real(2_440_587.5), "1970-01-01T00:00:00+00:00");
        check(unit, leaf, Value::Real(2_460_263.426_793_981_4), "2023-11-14T22:14:34.999988+00:00");
    }

    #[test]
    fn texts_are_read_by_their_offsets() {
        let check = |text: &str, expect: Option<i64>| {
            let expect = expect.map(Value::Integer);
            assert_eq!(read(text, EpochUnit::Milliseconds), expect, "{text}");
        };
        check("1970-01-01T02:00:00.5+02:00", Some(500));
        check("1970-01-01 00:00:01", Some(1_000));
        check("1970-01-02", Some(86_400_000));
        check("yesterday", None);
        check("1970-01-01T00:00:00.5.5", None);
    }
}
