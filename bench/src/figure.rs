//! Figures as people read them: few digits, one unit.

use std::fmt;

/// So near to a whole number a figure is one: it is a count that went through a division.
const WHOLE: f64 = 1e-5;

/// The text that a function writes.
pub(crate) fn text(write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut text = String::new();
    // Writing to a `String` never fails.
    let written = write(&mut text);
    debug_assert!(written.is_ok(), "a text was not written");
    text
}

/// `31,204`; below 100 with the digits that say something.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if (size - size.round()).abs() <= size * WHOLE => 0,
        size if size < 0.1 => 3,
        size if size < 9.95 => 2,
        size if size < 99.5 => 1,
        _ => 0,
    };
    with_separators(&format!("{value:.decimals$}"))
}

/// A duration in microseconds as milliseconds.
pub(crate) fn milliseconds(microseconds: f64) -> String {
    number(microseconds / 1000.0)
}

/// CPU seconds of 1000 requests as microseconds of each.
pub(crate) fn microseconds_each(seconds: f64) -> String {
    number(seconds * 1000.0)
}

/// A size in bytes as mebibytes.
pub(crate) fn mebibytes(bytes: f64) -> String {
    number(bytes / 1_048_576.0)
}

fn with_separators(digits: &str) -> String {
    let (whole, rest) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
    let mut text = sign.to_owned();
    for (place, digit) in whole.char_indices() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: f64, expected: &str) {
        assert_eq!(number(value), expected);
    }

    #[test]
    fn figures_have_the_digits_that_say_something() {
        check(0.0, "0");
        check(70.0, "70");
        check(0.012_34, "0.012");
        check(0.5, "0.50");
        check(9.949, "9.95");
        check(9.96, "10.0");
        check(31.25, "31.2");
        check(99.7, "100");
        check(999.6, "1,000");
        check(31_204.4, "31,204");
        check(-1_234_567.0, "-1,234,567");
        assert_eq!(milliseconds(1_500.0), "1.50");
        assert_eq!(mebibytes(26_214_400.0), "25");
        assert_eq!(microseconds_each(0.012_000_001), "12");
    }
}
