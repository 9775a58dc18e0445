//! Percentiles.

use crate::race::record::Latency;

/// Of times in microseconds; zeros where there are none. Each percentile is one of the times: the
/// smallest that so many of them do not exceed.
pub(crate) fn summarize(mut times: Vec<f64>) -> Latency {
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

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times = (1..=200).rev().map(f64::from).collect();
        let expected = Latency { p50: 100.0, p90: 180.0, p95: 190.0, p99: 198.0, max: 200.0 };
        assert_eq!(summarize(times), expected);
        let one = Latency { p50: 7.0, p90: 7.0, p95: 7.0, p99: 7.0, max: 7.0 };
        assert_eq!(summarize(vec![7.0]), one);
        assert_eq!(summarize(Vec::new()), Latency::default());
    }
}
