//! Numbers that a column keeps as they are.

use rusqlite::types::Value;

use crate::error::SourceError;
use crate::relational::ValueKind;

/// How many digits a floating point number keeps of any decimal.
const DIGITS: usize = 15;

/// A number as digits, without zeros at either end, times ten to the power of `exponent`.
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// A decimal, which a column of numeric affinity keeps as an integer of 64 bits or as a floating
/// point number.
pub(super) fn decimal(text: &str) -> Result<Value, SourceError> {
    let decimal = Decimal::read(text)
        .ok_or_else(|| SourceError::invalid(ValueKind::Decimal.type_name(), text))?;
    decimal.value(text).ok_or_else(|| {
        SourceError::input(format!(
            "the column keeps no more than {DIGITS} digits of such a number, and would lose some \
             of \"{text}\""
        ))
    })
}

/// A floating point number. SQLite makes null of what is not a number.
pub(super) fn float(text: &str) -> Result<Value, SourceError> {
    let name = ValueKind::Float.type_name();
    let number: f64 = match Decimal::read(text).map(|_| text.parse()) {
        Some(Ok(number)) => number,
        Some(Err(_)) | None => return Err(SourceError::invalid(name, text)),
    };
    match number.is_finite() {
        true => Ok(Value::Real(number)),
        false => {
            Err(SourceError::input(format!("\"{text}\" is out of range for type {name}")))
        }
    }
}

impl Decimal {
    /// Reads digits with a sign, a point and an exponent.
    fn read(text: &str) -> Option<Self> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let unsigned = number.strip_prefix(['+', '-']).unwrap_or(number);
        let (integer, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let all = [integer, fraction].concat();
        if all.is_empty() || !all.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let significant = all.trim_end_matches('0');
        let zeros = i64::try_from(all.len() - significant.len()).ok()?;
        let exponent = i64::from(exponent) + zeros - i64::try_from(fraction.len()).ok()?;
        let digits = significant.trim_start_matches('0').to_owned();
        Some(Self { negative: number.starts_with('-'), digits, exponent })
    }

    /// The value that has all of its digits; `None` if there is none.
    fn value(&self, text: &str) -> Option<Value> {
        if self.digits.is_empty() {
            return Some(Value::Integer(0));
        }
        if let Some(integer) = self.integer() {
            return Some(Value::Integer(integer));
        }
        if self.digits.len() > DIGITS {
            return None;
        }
        // The smallest numbers have fewer digits than others.
        let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
        let read = Self::read(&format!("{number:e}"))?;
        (read.digits == self.digits).then_some(Value::Real(number))
    }

    fn integer(&self) -> Option<i64> {
        let zeros = usize::try_from(self.exponent).ok().filter(|zeros| *zeros < 19)?;
        let sign = if self.negative { "-" } else { "" };
        [sign, &self.digits, &"0".repeat(zeros)].concat().parse().ok()
    }
}
