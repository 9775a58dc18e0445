//! Histograms of durations, for metrics.

use std::iter::Sum;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds in microseconds: a query takes some tenths of a millisecond, and more than ten seconds
/// is late for any request.
const BOUNDS: [u64; 16] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000,
];

/// A histogram, which several threads can increment.
#[derive(Debug, Default)]
pub struct Histogram {
    /// Counts by bound; the last is for longer durations.
    counts: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

/// A snapshot of a histogram, or the sum of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    counts: [u64; BOUNDS.len() + 1],
    nanoseconds: u64,
}

impl Histogram {
    /// Adds a duration.
    pub fn observe(&self, time: Duration) {
        let place = BOUNDS.partition_point(|bound| Duration::from_micros(*bound) < time);
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.nanoseconds.fetch_add(nanoseconds(time), Ordering::Relaxed);
    }

    #[must_use]
    pub fn read(&self) -> Durations {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Durations { counts: self.counts.each_ref().map(of), nanoseconds: of(&self.nanoseconds) }
    }
}

impl Durations {
    /// Returns upper bounds in seconds, each with the count between it and the previous one.
    #[must_use]
    pub fn buckets(&self) -> [(f64, u64); BOUNDS.len() + 1] {
        let mut buckets = self.counts.map(|count| (f64::INFINITY, count));
        for (bucket, bound) in buckets.iter_mut().zip(BOUNDS) {
            bucket.0 = bound as f64 / 1e6;
        }
        buckets
    }

    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the sum of the durations.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.nanoseconds as f64 / 1e9
    }
}

impl Sum for Durations {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let mut sum = Self::default();
        for one in all {
            for (count, more) in sum.counts.iter_mut().zip(one.counts) {
                *count += more;
            }
            sum.nanoseconds += one.nanoseconds;
        }
        sum
    }
}

/// Converts a duration; those that are too long become the longest.
#[must_use]
pub fn nanoseconds(time: Duration) -> u64 {
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
        let sum: Durations = [&one, &other].into_iter().map(Histogram::read).sum();
        let filled: Vec<_> = sum.buckets().into_iter().filter(|bucket| bucket.1 > 0).collect();
        assert_eq!(filled, [(0.0001, 1), (0.00025, 1), (10.0, 1), (f64::INFINITY, 1)]);
        assert_eq!(sum.count(), 4);
        assert!((sum.seconds() - 21.000_200_001).abs() < 1e-9, "{}", sum.seconds());
    }
}
