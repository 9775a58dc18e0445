//! The shortest decimal digits that give back a floating point number.

/// `0.DIGITS` times ten to the power of `point`; no digits for zero.
#[derive(Debug)]
pub(super) struct Shortest {
    pub(super) negative: bool,
    digits: [u8; Self::MOST],
    length: usize,
    pub(super) point: i32,
}

impl Shortest {
    /// A 64-bit number never needs more digits.
    const MOST: usize = 17;

    /// Computes the digits of a finite number.
    pub(super) fn new(number: f64) -> Self {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(number);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let mut shortest =
            Self { negative: false, digits: [b'0'; Self::MOST], length: 0, point: 0 };
        let mut in_fraction = false;
        let mut significant = 0;
        for byte in mantissa.bytes() {
            match byte {
                b'-' => shortest.negative = true,
                b'.' => in_fraction = true,
                b'0' if significant == 0 => shortest.point -= i32::from(in_fraction),
                _ => {
                    if let Some(digit) = shortest.digits.get_mut(significant) {
                        *digit = byte;
                    }
                    significant += 1;
                    shortest.point += i32::from(!in_fraction);
                    if byte != b'0' {
                        shortest.length = significant;
                    }
                }
            }
        }
        shortest.point += exponent.parse::<i32>().unwrap_or(0);
        if shortest.length == 0 {
            shortest.point = 0;
        }
        shortest
    }

    /// Without zeros at the beginning and the end.
    pub(super) fn digits(&self) -> &[u8] {
        self.digits.get(..self.length).unwrap_or(&self.digits)
    }

    /// Appends the number in the form of ECMAScript's [Number::toString].
    ///
    /// [Number::toString]: https://tc39.es/ecma262/#sec-numeric-types-number-tostring
    pub(super) fn write_javascript(&self, out: &mut Vec<u8>) {
        match self.point {
            -5..=21 => self.write_plain(out),
            _ => self.write_exponent(0, 1, out),
        }
    }

    /// Appends the number in the text form of SQLite.
    pub(super) fn write_sqlite(&self, out: &mut Vec<u8>) {
        match self.point {
            -3..=15 => {
                self.write_plain(out);
                if self.digits().len() <= usize::try_from(self.point).unwrap_or(0) {
                    out.extend_from_slice(b".0");
                }
            }
            _ => self.write_exponent(1, 2, out),
        }
    }

    fn write_plain(&self, out: &mut Vec<u8>) {
        let digits = self.digits();
        if self.negative {
            out.push(b'-');
        }
        match usize::try_from(self.point) {
            Ok(0) | Err(_) => {
                out.extend_from_slice(b"0.");
                out.resize(out.len() + self.point.unsigned_abs() as usize, b'0');
                out.extend_from_slice(digits);
            }
            Ok(point) => match digits.split_at_checked(point) {
                Some((integer, fraction)) => {
                    out.extend_from_slice(integer);
                    if !fraction.is_empty() {
                        out.push(b'.');
                        out.extend_from_slice(fraction);
                    }
                }
                None => {
                    let end = out.len() + point;
                    out.extend_from_slice(digits);
                    out.resize(end, b'0');
                }
            },
        }
    }

    /// With at least so many digits in the fraction and in the exponent.
    fn write_exponent(&self, in_fraction: usize, in_exponent: usize, out: &mut Vec<u8>) {
        let Some((first, fraction)) = self.digits().split_first() else { return };
        if self.negative {
            out.push(b'-');
        }
        out.push(*first);
        if fraction.len().max(in_fraction) > 0 {
            out.push(b'.');
            out.extend_from_slice(fraction);
            out.resize(out.len() + in_fraction.saturating_sub(fraction.len()), b'0');
        }
        let exponent = self.point - 1;
        out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
        let mut buffer = itoa::Buffer::new();
        let exponent = buffer.format(exponent.unsigned_abs());
        out.resize(out.len() + in_exponent.saturating_sub(exponent.len()), b'0');
        out.extend_from_slice(exponent.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::Shortest;

    fn check(number: f64, javascript: &str, sqlite: &str) {
        let mut out = Vec::new();
        let shortest = Shortest::new(number);
        shortest.write_javascript(&mut out);
        out.push(b'|');
        shortest.write_sqlite(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{javascript}|{sqlite}"));
    }

    #[test]
    fn large_and_small_numbers_have_an_exponent() {
        check(1e20, "100000000000000000000", "1.0e+20");
        check(1e21, "1e+21", "1.0e+21");
        check(1.5e300, "1.5e+300", "1.5e+300");
        check(123_456_789_012_345_680.0, "123456789012345680", "1.2345678901234568e+17");
        check(1e14, "100000000000000", "100000000000000.0");
        check(1e15, "1000000000000000", "1.0e+15");
        check(0.000001, "0.000001", "1.0e-06");
        check(1e-7, "1e-7", "1.0e-07");
        check(5e-324, "5e-324", "5.0e-324");
        check(f64::MAX, "1.7976931348623157e+308", "1.7976931348623157e+308");
    }

    #[test]
    fn other_numbers_are_plain() {
        check(0.1, "0.1", "0.1");
        check(-12.5, "-12.5", "-12.5");
        check(0.0001, "0.0001", "0.0001");
        check(100.0, "100", "100.0");
        check(0.1 + 0.2, "0.30000000000000004", "0.30000000000000004");
    }
}
