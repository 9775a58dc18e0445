//! How long a program takes, so that nobody waits for what takes much longer than itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::inline::INLINE;

/// Programs that take about as long, in the order of their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lane {
    Short,
    Middle,
    Long,
}

/// What the last run of a program took, in nanoseconds of a processor; zero if it was done on the
/// thread that served it.
#[derive(Debug, Default)]
pub(super) struct Pace(AtomicU64);

impl Lane {
    pub(super) const ALL: [Self; 3] = [Self::Short, Self::Middle, Self::Long];

    /// How long a run may take before it belongs to the next lane.
    pub(super) fn patience(self) -> Option<Duration> {
        match self {
            Self::Short => Some(Duration::from_millis(5)),
            Self::Middle => Some(Duration::from_millis(100)),
            Self::Long => None,
        }
    }

    pub(super) fn next(self) -> Self {
        match self {
            Self::Short => Self::Middle,
            Self::Middle | Self::Long => Self::Long,
        }
    }

    /// Where a run of this length belongs.
    fn of(length: Duration) -> Self {
        let holds = |lane: &Self| lane.patience().is_none_or(|patience| length < patience);
        Self::ALL.into_iter().find(holds).unwrap_or(Self::Long)
    }
}

impl Pace {
    /// Whether it is not to be started on the thread that serves it. Some room is left, so that
    /// what is about as long as may be is not begun twice now and then.
    pub(super) fn is_apart(&self) -> bool {
        self.length() > INLINE * 3 / 4
    }

    pub(super) fn lane(&self) -> Lane {
        Lane::of(self.length())
    }

    /// Whether it has run on another thread the last time.
    pub(super) fn is_known(&self) -> bool {
        !self.length().is_zero()
    }

    /// Its last run has taken so long.
    pub(super) fn took(&self, length: Duration) {
        self.0.store(nanoseconds(length), Ordering::Relaxed);
    }

    /// A run of it has not ended after so long.
    pub(super) fn takes_more_than(&self, length: Duration) {
        self.0.fetch_max(nanoseconds(length), Ordering::Relaxed);
    }

    fn length(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_where_its_last_run_belongs() {
        let pace = Pace::default();
        let check = |length: u64, apart: bool, lane: Lane| {
            pace.took(Duration::from_micros(length));
            assert_eq!((pace.is_apart(), pace.lane()), (apart, lane), "{length} µs");
        };
        check(2_000_000, true, Lane::Long);
        check(99_999, true, Lane::Middle);
        check(5_000, true, Lane::Middle);
        check(4_999, true, Lane::Short);
        check(180, true, Lane::Short);
        // What was started apart because its thread had lost its processor comes back.
        check(140, false, Lane::Short);
    }

    #[test]
    fn a_run_that_goes_on_makes_its_program_long_before_its_end() {
        let pace = Pace::default();
        assert!(!pace.is_apart());
        pace.takes_more_than(INLINE);
        assert_eq!((pace.is_apart(), pace.lane()), (true, Lane::Short));
        pace.takes_more_than(Duration::from_millis(5));
        pace.takes_more_than(INLINE);
        assert_eq!(pace.lane(), Lane::Middle);
    }
}
