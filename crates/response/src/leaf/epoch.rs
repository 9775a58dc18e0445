//! Moments stored as numbers.

use super::LeafError;
use crate::calendar::split_seconds;
use crate::cursor::Value;

/// Units of stored moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Epoch {
    /// Since 1970.
    Seconds,
    Milliseconds,
    Microseconds,
    /// Days since noon of the 24th of November of 4714 BC.
    JulianDay,
}

const NANOSECONDS: i64 = 1_000_000_000;
/// From the day zero of Julian days to 1970.
const JULIAN_SECONDS: i64 = 210_866_760_000;
const DAY: f64 = 86_400e6;

/// Writes it as PostgreSQL writes a timestamp with its offset, in UTC.
pub(super) fn write_epoch(
    epoch: Epoch,
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let refuse = || LeafError::new("Datetime", "a value that is not a number of a moment", value);
    let moment = match value {
        Value::Integer(number) => of_integer(epoch, number),
        Value::Real(number) => of_real(epoch, number),
        _ => None,
    };
    let (seconds, nanoseconds) = moment.ok_or_else(refuse)?;
    let (day, clock) = split_seconds(seconds, nanoseconds).ok_or_else(refuse)?;
    if !(1..=9_999).contains(&day.year) {
        return Err(refuse());
    }
    out.push(b'"');
    day.write(out);
    out.push(b'T');
    clock.write(out);
    while nanoseconds > 0 && out.last() == Some(&b'0') {
        out.pop();
    }
    out.extend_from_slice(b"+00:00\"");
    Ok(())
}

/// Seconds since 1970, and the remaining nanoseconds.
fn of_integer(epoch: Epoch, number: i64) -> Option<(i64, i64)> {
    let parts = match epoch {
        Epoch::Seconds => return Some((number, 0)),
        Epoch::Milliseconds => 1_000,
        Epoch::Microseconds => 1_000_000,
        Epoch::JulianDay => {
            let seconds = number.checked_mul(86_400)?.checked_sub(JULIAN_SECONDS)?;
            return Some((seconds, 0));
        }
    };
    Some((number.div_euclid(parts), number.rem_euclid(parts) * (NANOSECONDS / parts)))
}

fn of_real(epoch: Epoch, number: f64) -> Option<(i64, i64)> {
    if !number.is_finite() || number.abs() > 1e17 {
        return None;
    }
    let (whole, part) = (number.floor(), number - number.floor());
    // A float holds whole numbers of that size.
    let floor = whole as i64;
    let (seconds, nanoseconds) = match epoch {
        Epoch::Seconds => (floor, nanoseconds_of(floor, part)),
        Epoch::Milliseconds | Epoch::Microseconds => {
            let (seconds, nanoseconds) = of_integer(epoch, floor)?;
            let unit = if epoch == Epoch::Milliseconds { 1e6 } else { 1e3 };
            (seconds, nanoseconds + (part * unit).round() as i64)
        }
        Epoch::JulianDay => {
            let microseconds = (part * DAY).round() as i64;
            let (seconds, _) = of_integer(epoch, floor)?;
            (seconds + microseconds / 1_000_000, microseconds % 1_000_000 * 1_000)
        }
    };
    // Rounded up, it may be a whole second more.
    Some((seconds + nanoseconds / NANOSECONDS, nanoseconds % NANOSECONDS))
}

/// The fraction of a second: with the original microseconds, if it is the nearest number to them.
fn nanoseconds_of(seconds: i64, part: f64) -> i64 {
    let microseconds = (part * 1e6).round();
    if seconds as f64 + microseconds / 1e6 == seconds as f64 + part {
        return microseconds as i64 * 1_000;
    }
    (part * 1e9).round() as i64
}
