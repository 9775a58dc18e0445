//! A figure over several rounds.

use serde::Serialize;

/// The median of the rounds, and how far they are apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Spread {
    /// Of the values that are numbers; `None` without any.
    pub(super) fn new(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        let (lower, upper) = (sorted.get((sorted.len() - 1) / 2)?, sorted.get(sorted.len() / 2)?);
        Some(Self { median: f64::midpoint(*lower, *upper), least, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], expected: Option<(f64, f64, f64)>) {
        let spread = Spread::new(values.iter().copied());
        let found = spread.map(|spread| (spread.least, spread.median, spread.most));
        assert_eq!(found, expected, "{values:?}");
    }

    #[test]
    fn the_middle_of_the_rounds_is_the_figure() {
        check(&[], None);
        check(&[7.0], Some((7.0, 7.0, 7.0)));
        check(&[3.0, 1.0], Some((1.0, 2.0, 3.0)));
        check(&[9.0, 1.0, 2.0], Some((1.0, 2.0, 9.0)));
        check(&[4.0, 1.0, 2.0, 100.0], Some((1.0, 3.0, 100.0)));
    }

    #[test]
    fn what_is_no_number_has_no_part() {
        check(&[f64::NAN, 5.0, f64::INFINITY], Some((5.0, 5.0, 5.0)));
        check(&[f64::NAN], None);
    }
}
