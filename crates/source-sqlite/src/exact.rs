//! Sums and averages with every digit: `exact_sum` and `exact_avg`, which SQLite does not have.
//!
//! Its own `sum` makes floats of decimals, and its `avg` of everything. A value is read as the
//! decimal that it prints as; a sum holds 38 digits, and one that would need more is an error. An
//! average has the same digits as PostgreSQL's, so that both databases answer alike.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, Result};

/// Adds the functions to a connection.
pub(super) fn add_functions(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_aggregate_function("exact_sum", 1, flags, ExactSum)?;
    connection.create_aggregate_function("exact_avg", 1, flags, ExactAverage)
}

/// A decimal: `units` with the last `scale` digits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    units: i128,
    scale: u32,
}

/// The sum of the values so far, and how many there were.
#[derive(Clone, Copy, Debug)]
struct Total {
    sum: Decimal,
    count: i128,
}

struct ExactSum;
struct ExactAverage;

impl Aggregate<Option<Total>, Value> for ExactSum {
    fn init(&self, _: &mut Context<'_>) -> Result<Option<Total>> {
        Ok(None)
    }

    fn step(&self, context: &mut Context<'_>, total: &mut Option<Total>) -> Result<()> {
        step(context, total)
    }

    fn finalize(&self, _: &mut Context<'_>, total: Option<Option<Total>>) -> Result<Value> {
        Ok(total.flatten().map_or(Value::Null, |total| total.sum.into_value()))
    }
}

impl Aggregate<Option<Total>, Value> for ExactAverage {
    fn init(&self, _: &mut Context<'_>) -> Result<Option<Total>> {
        Ok(None)
    }

    fn step(&self, context: &mut Context<'_>, total: &mut Option<Total>) -> Result<()> {
        step(context, total)
    }

    fn finalize(&self, _: &mut Context<'_>, total: Option<Option<Total>>) -> Result<Value> {
        match total.flatten() {
            None => Ok(Value::Null),
            Some(Total { sum, count }) => {
                let average = sum.divided_by(count).ok_or_else(too_long)?;
                Ok(Value::Text(average.into_text()))
            }
        }
    }
}

/// Adds a value; null is left out.
fn step(context: &Context<'_>, total: &mut Option<Total>) -> Result<()> {
    let value = match context.get_raw(0) {
        ValueRef::Null => return Ok(()),
        ValueRef::Integer(value) => Decimal { units: i128::from(value), scale: 0 },
        ValueRef::Real(value) => Decimal::read(&value.to_string()).ok_or_else(too_long)?,
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).ok();
            text.and_then(Decimal::read).ok_or_else(no_number)?
        }
        ValueRef::Blob(_) => return Err(no_number()),
    };
    *total = Some(match total {
        None => Total { sum: value, count: 1 },
        Some(Total { sum, count }) => {
            Total { sum: sum.plus(value).ok_or_else(too_long)?, count: *count + 1 }
        }
    });
    Ok(())
}

fn too_long() -> Error {
    Error::UserFunctionError("a sum of more than 38 digits".into())
}

fn no_number() -> Error {
    Error::UserFunctionError("a value that is no decimal number".into())
}

impl Decimal {
    /// Digits with a sign, a point and an exponent at most.
    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, digits) = match number.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mut units: i128 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            let value = digit.is_ascii_digit().then(|| i128::from(digit - b'0'))?;
            units = units.checked_mul(10)?.checked_add(value)?;
        }
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let units = if negative { -units } else { units };
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        match u32::try_from(scale) {
            Ok(scale) => Some(Self { units, scale }),
            Err(_) if units == 0 => Some(Self { units, scale: 0 }),
            Err(_) => {
                let units = units.checked_mul(10_i128.checked_pow(scale.unsigned_abs())?)?;
                Some(Self { units, scale: 0 })
            }
        }
    }

    /// The units with this number of digits behind the point, which is at least the present one.
    fn at_scale(self, scale: u32) -> Option<i128> {
        self.units.checked_mul(10_i128.checked_pow(scale - self.scale)?)
    }

    fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let units = self.at_scale(scale)?.checked_add(other.at_scale(scale)?)?;
        Some(Self { units, scale })
    }

    /// The quotient with 16 significant digits at least, as PostgreSQL has it, rounded half away
    /// from zero.
    fn divided_by(self, count: i128) -> Option<Self> {
        let scale = self.quotient_scale(count);
        let dividend = self.at_scale(scale)?;
        let (quotient, rest) = (dividend / count, dividend % count);
        let up = rest.unsigned_abs() >= count.unsigned_abs() - rest.unsigned_abs();
        let units = if up { quotient.checked_add(dividend.signum())? } else { quotient };
        Some(Self { units, scale })
    }

    /// PostgreSQL counts digits in groups of four from the point, and decides by the first groups
    /// of both numbers.
    fn quotient_scale(self, count: i128) -> u32 {
        let (weight, first) = leading_group(self);
        let (count_weight, count_first) = leading_group(Self { units: count, scale: 0 });
        let mut quotient_weight = weight - count_weight;
        if first <= count_first {
            quotient_weight -= 1;
        }
        u32::try_from(16 - quotient_weight * 4).unwrap_or(0).max(self.scale)
    }

    fn into_value(self) -> Value {
        match (self.scale, i64::try_from(self.units)) {
            (0, Ok(integer)) => Value::Integer(integer),
            _ => Value::Text(self.into_text()),
        }
    }

    fn into_text(self) -> String {
        let scale = self.scale as usize;
        let sign = if self.units < 0 { "-" } else { "" };
        let digits = format!("{:0>1$}", self.units.unsigned_abs(), scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        match fraction {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }
}

/// The place of the first group of four digits that is not zero, counted from the one before the
/// point as 0, and its value.
fn leading_group(number: Decimal) -> (i32, u128) {
    let mut units = number.units.unsigned_abs();
    // As many digits behind the point as fill whole groups.
    let missing = (4 - number.scale % 4) % 4;
    units = units.saturating_mul(10_u128.pow(missing));
    let mut weight = -i32::try_from(number.scale.div_ceil(4)).unwrap_or(i32::MAX);
    if units == 0 {
        return (0, 0);
    }
    while units >= 10_000 {
        units /= 10_000;
        weight += 1;
    }
    (weight, units)
}

#[cfg(test)]
mod tests {
    use super::{Decimal, add_functions};
    use rusqlite::Connection;
    use rusqlite::types::Value;

    fn ask(function: &str, values: &str) -> rusqlite::Result<Value> {
        let connection = Connection::open_in_memory()?;
        add_functions(&connection)?;
        let statement = ["SELECT ", function, "(column1) FROM (VALUES ", values, ")"].concat();
        connection.query_row(&statement, [], |row| row.get(0))
    }

    #[test]
    fn sums_keep_every_digit() {
        let check = |values, expected| assert_eq!(ask("exact_sum", values).unwrap(), expected);
        let text = |text: &str| Value::Text(text.into());
        check("(1), (2)", Value::Integer(3));
        check("(NULL)", Value::Null);
        check("(NULL), (5)", Value::Integer(5));
        check("(0.1), (0.2)", text("0.3"));
        check("(12.3), (-12.3)", text("0.0"));
        check("(9223372036854775807), (1)", text("9223372036854775808"));
        check("('12345678901234567890.12'), (1e2)", text("12345678901234567990.12"));
        assert!(ask("exact_sum", "(1e300)").is_err());
        assert!(ask("exact_sum", "('x')").is_err());
    }

    /// The answers are PostgreSQL's.
    #[test]
    fn averages_have_the_digits_of_postgresql() {
        let check = |values, expected: &str| {
            assert_eq!(ask("exact_avg", values).unwrap(), Value::Text(expected.into()), "{values}");
        };
        check("(1), (2)", "1.5000000000000000");
        check("(1)", "1.00000000000000000000");
        check("(1), (1), (2)", "1.3333333333333333");
        check("(0.01), (0.02), (0.02)", "0.01666666666666666667");
        check("(-12.5), (-1)", "-6.7500000000000000");
        check("(0)", "0.00000000000000000000");
        check("(9223372036854775807), (9223372036854775806)", "9223372036854775807");
        check("(123456), (7)", "61731.500000000000");
        check("(0.00001), (0.00003), (0.00003)", "0.000023333333333333333333");
        check("(20000.5), (3), (3)", "6668.8333333333333333");
        assert_eq!(ask("exact_avg", "(NULL)").unwrap(), Value::Null);
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let check = |text, units, scale| {
            assert_eq!(Decimal::read(text), Some(Decimal { units, scale }), "{text}");
        };
        check("-1.50", -150, 2);
        check("1e3", 1_000, 0);
        check("2.5e-3", 25, 4);
        check(".5", 5, 1);
        for wrong in ["", "-", ".", "1x", "1e", "NaN", "inf"] {
            assert_eq!(Decimal::read(wrong), None, "{wrong}");
        }
    }
}
