//! Histograms of durations.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds in microseconds: a query takes some tenths of a millisecond, and more than ten seconds
/// is late for any request.
const BOUNDS: [u64; 16] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000,
];

/// The histogram of one thread.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    /// Counts by bound; the last is for longer durations.
    counts: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

/// The sum of the histograms of all threads.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sum {
    /// Bounds in seconds, each with the count between it and the previous one.
    pub(super) buckets: [(f64, u64); BOUNDS.len() + 1],
    pub(super) count: u64,
    pub(super) seconds: f64,
}

impl Histogram {
    pub(super) fn observe(&self, time: Duration) {
        let place = BOUNDS.partition_point(|bound| Duration::from_micros(*bound) < time);
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.nanoseconds.fetch_add(nanoseconds(time), Ordering::Relaxed);
    }

    pub(super) fn sum<'h>(histograms: impl Iterator<Item = &'h Self>) -> Sum {
        let mut buckets = [(f64::INFINITY, 0); BOUNDS.len() + 1];
        for (bucket, bound) in buckets.iter_mut().zip(BOUNDS) {
            bucket.0 = bound as f64 / 1e6;
        }
        let mut all_nanoseconds = 0;
        for histogram in histograms {
            for (bucket, count) in buckets.iter_mut().zip(&histogram.counts) {
                bucket.1 += count.load(Ordering::Relaxed);
            }
            all_nanoseconds += histogram.nanoseconds.load(Ordering::Relaxed);
        }
        let count = buckets.iter().map(|bucket| bucket.1).sum();
        Sum { buckets, count, seconds: all_nanoseconds as f64 / 1e9 }
    }
}

pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_bucket_and_histograms_add_up() {
        let (one, other) = (Histogram::default(), Histogram::default());
        one.observe(Duration::from_micros(100));
        one.observe(Duration::from_nanos(100_001));
        other.observe(Duration::from_secs(10));
        other.observe(Duration::from_secs(11));
        let sum = Histogram::sum([&one, &other].into_iter());
        let filled: Vec<_> = sum.buckets.iter().filter(|bucket| bucket.1 > 0).collect();
        assert_eq!(filled, [&(0.0001, 1), &(0.00025, 1), &(10.0, 1), &(f64::INFINITY, 1)]);
        assert_eq!(sum.count, 4);
        assert!((sum.seconds - 21.000_200_001).abs() < 1e-9, "{}", sum.seconds);
    }
}
