//! Histogram of request durations, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the buckets of request durations, in microseconds; equal to those of the
/// server's own requests.
pub const BOUNDS: [u64; 16] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000,
];

/// Number of requests by bucket; the last bucket has no upper bound.
pub type Buckets = [u64; BOUNDS.len() + 1];

/// A histogram, which all threads increment.
#[derive(Debug, Default)]
pub(crate) struct Durations {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

impl Durations {
    pub(crate) fn observe(&self, time: Duration) {
        let place = BOUNDS.partition_point(|bound| Duration::from_micros(*bound) < time);
        if let Some(count) = self.buckets.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Returns the counts and the sum of the durations in nanoseconds.
    pub(crate) fn read(&self) -> (Buckets, u64) {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (self.buckets.each_ref().map(of), of(&self.nanoseconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_bucket() {
        let durations = Durations::default();
        for micros in [100, 101, 10_000_001] {
            durations.observe(Duration::from_micros(micros));
        }
        let (buckets, nanoseconds) = durations.read();
        assert_eq!((buckets[0], buckets[1], buckets[16]), (1, 1, 1));
        assert_eq!(nanoseconds, 10_000_202_000);
    }
}
