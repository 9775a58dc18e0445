//! Medians of rounds, and percentiles of latencies.

use serde::Serialize;

use crate::latency::Latency;

/// The median of several values, the least and the most of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// The spread of the values that are numbers; `None` without any. The median of an even number of
    /// values is the mean of the two in the middle.
    pub(crate) fn new(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        let (lower, upper) = (sorted.get((sorted.len() - 1) / 2)?, sorted.get(sorted.len() / 2)?);
        Some(Self { median: f64::midpoint(*lower, *upper), least, most })
    }
}

/// The median; zero without any value.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    Spread::new(values).unwrap_or_default().median
}

/// The percentiles of times in microseconds; zeros where there are none. Each is one of the times: the
/// smallest that as many of them do not exceed.
pub(crate) fn latency(mut times: Vec<f64>) -> Latency {
    times.sort_unstable_by(f64::total_cmp);
    let percentile = |hundredths: usize| {
        let rank = (times.len() * hundredths).div_ceil(100);
        times.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    };
    Latency {
        p50: percentile(50),
        p90: percentile(90),
        p95: percentile(95),
        p99: percentile(99),
        max: percentile(100),
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
        assert_eq!(median([]), 0.0);
    }

    #[test]
    fn what_is_no_number_has_no_part() {
        check(&[f64::NAN, 5.0, f64::INFINITY], Some((5.0, 5.0, 5.0)));
        check(&[f64::NAN], None);
    }

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times = (1..=200).rev().map(f64::from).collect();
        let expected = Latency { p50: 100.0, p90: 180.0, p95: 190.0, p99: 198.0, max: 200.0 };
        assert_eq!(latency(times), expected);
        let one = Latency { p50: 7.0, p90: 7.0, p95: 7.0, p99: 7.0, max: 7.0 };
        assert_eq!(latency(vec![7.0]), one);
        assert_eq!(latency(Vec::new()), Latency::default());
    }
}
