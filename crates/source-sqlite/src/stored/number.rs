//! Numbers that a column keeps as they are.

use rusqlite::types::Value;

use relational::ValueKind;
use source::SourceError;

/// Decimal digits that a floating point number keeps.
const DIGITS: usize = 15;

/// A number as digits, without zeros at either end, times ten to the power of `exponent`.
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Declared precision and scale of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    pub(crate) precision: u32,
    pub(crate) scale: u32,
}

/// A decimal, which a column of numeric affinity stores as an integer of 64 bits or as a floating
/// point number. SQLite does not enforce the declared digits; here they mean the same as in
/// PostgreSQL, so that filters and answers agree.
pub(super) fn decimal(text: &str, declared: Option<Digits>) -> Result<Value, SourceError> {
    let mut decimal = Decimal::read(text)
        .ok_or_else(|| SourceError::invalid(ValueKind::Decimal.type_name(), text))?;
    if let Some(declared) = declared {
        decimal.round(declared.scale.into());
        if decimal.places() > i64::from(declared.precision) - i64::from(declared.scale) {
            return Err(SourceError::input("numeric field overflow"));
        }
    }
    decimal.value().ok_or_else(|| {
        SourceError::input(format!(
            "the column keeps no more than {DIGITS} digits of such a number, and would lose some \
             of \"{text}\""
        ))
    })
}

/// A floating point number. SQLite stores NaN as null.
pub(super) fn float(text: &str) -> Result<Value, SourceError> {
    let name = ValueKind::Float.type_name();
    let number: f64 = match Decimal::read(text).map(|_| text.parse()) {
        Some(Ok(number)) => number,
        Some(Err(_)) | None => return Err(SourceError::invalid(name, text)),
    };
    match number.is_finite() {
        true => Ok(Value::Real(number)),
        false => Err(SourceError::input(format!("\"{text}\" is out of range for type {name}"))),
    }
}

/// Whether a column of numeric affinity makes a number of a text that is written in another way:
/// <https://www.sqlite.org/datatype3.html#type_affinity>.
pub(super) fn is_remade(text: &str) -> bool {
    let number = text.trim_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
    let is_number =
        number.bytes().any(|byte| byte.is_ascii_digit()) && number.parse::<f64>().is_ok();
    if !is_number {
        return false;
    }
    match Decimal::read(number).and_then(|decimal| decimal.value()) {
        Some(Value::Integer(number)) => number.to_string() != text,
        Some(Value::Real(number)) => text.contains(['e', 'E']) || format!("{number:?}") != text,
        // It has more digits than SQLite keeps.
        _ => true,
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

    /// Rounds to this number of digits after the point, half away from zero.
    fn round(&mut self, scale: i64) {
        let Ok(beyond) = usize::try_from(-self.exponent - scale) else { return };
        if beyond == 0 {
            return;
        }
        let Some(kept) = self.digits.len().checked_sub(beyond) else {
            self.digits.clear();
            return;
        };
        let is_up = self.digits.as_bytes().get(kept).is_some_and(|digit| *digit >= b'5');
        self.digits.truncate(kept);
        self.exponent = -scale;
        if is_up {
            let nines = self.digits.len() - self.digits.trim_end_matches('9').len();
            self.digits.truncate(kept - nines);
            let next = self.digits.pop().map_or('1', |digit| char::from(digit as u8 + 1));
            self.digits.push(next);
            self.exponent += nines as i64;
        }
        let significant = self.digits.trim_end_matches('0').len();
        self.exponent += (self.digits.len() - significant) as i64;
        self.digits.truncate(significant);
    }

    /// Number of digits before the point, or, negative, of zeros behind it.
    fn places(&self) -> i64 {
        if self.digits.is_empty() {
            return i64::MIN;
        }
        self.exponent.saturating_add(i64::try_from(self.digits.len()).unwrap_or(i64::MAX))
    }

    /// The value with all of its digits; `None` if there is none.
    fn value(&self) -> Option<Value> {
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
        let text = format!("{}e{}", self.digits, self.exponent);
        let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
        let read = Self::read(&format!("{number:e}"))?;
        let number = if self.negative { -number } else { number };
        (read.digits == self.digits).then_some(Value::Real(number))
    }

    fn integer(&self) -> Option<i64> {
        let zeros = usize::try_from(self.exponent).ok().filter(|zeros| *zeros < 19)?;
        let sign = if self.negative { "-" } else { "" };
        [sign, &self.digits, &"0".repeat(zeros)].concat().parse().ok()
    }
}
