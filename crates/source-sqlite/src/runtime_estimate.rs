//! The estimated runtime of programs, so that none waits for one that takes much longer than itself.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::execute::meter::Clock;
use super::inline::INLINE;

/// Programs that take about as long, in the order of their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RuntimeClass {
    Short,
    Middle,
    Long,
}

/// The estimated runtime of a program.
#[derive(Debug, Default)]
pub(super) struct RuntimeEstimate {
    /// Processor time of its last run, in nanoseconds; zero if it ran on the serving thread.
    length: AtomicU64,
    /// Whether a run on the serving thread looked long by elapsed time.
    is_doubted: AtomicBool,
}

/// A run on the thread that serves it, from its beginning.
#[derive(Debug)]
pub(super) struct Inlined<'p> {
    estimate: &'p RuntimeEstimate,
    started: Instant,
    /// Read only in doubt: it takes a system call.
    clock: Option<Clock>,
}

/// Elapsed time beyond which the next run's processor time is measured.
const DOUBTFUL: Duration = Duration::from_millis(1);

/// No thread waits so long for its processor.
const CERTAIN: Duration = Duration::from_millis(20);

impl RuntimeClass {
    pub(super) const ALL: [Self; 3] = [Self::Short, Self::Middle, Self::Long];

    /// Time limit of a run before it belongs to the next class.
    pub(super) fn limit(self) -> Option<Duration> {
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

    /// The class of a run of this length.
    fn of(length: Duration) -> Self {
        let holds = |class: &Self| class.limit().is_none_or(|limit| length < limit);
        Self::ALL.into_iter().find(holds).unwrap_or(Self::Long)
    }
}

impl RuntimeEstimate {
    /// Whether it must not be started on the serving thread. The margin avoids that runs close to
    /// the limit are begun twice now and then.
    pub(super) fn is_offloaded(&self) -> bool {
        self.length() > INLINE * 3 / 4
    }

    pub(super) fn class(&self) -> RuntimeClass {
        RuntimeClass::of(self.length())
    }

    /// Whether its last run was on another thread.
    pub(super) fn is_known(&self) -> bool {
        !self.length().is_zero()
    }

    /// Records the duration of its last run.
    pub(super) fn took(&self, length: Duration) {
        self.length.store(nanoseconds(length), Ordering::Relaxed);
    }

    /// A run of it has not ended after so long.
    pub(super) fn takes_more_than(&self, length: Duration) {
        self.length.fetch_max(nanoseconds(length), Ordering::Relaxed);
    }

    /// A run begins on the thread that serves it.
    pub(super) fn begin_inline(&self, started: Instant) -> Inlined<'_> {
        let clock = self.is_doubted.load(Ordering::Relaxed).then(Clock::start);
        Inlined { estimate: self, started, clock }
    }

    fn length(&self) -> Duration {
        Duration::from_nanos(self.length.load(Ordering::Relaxed))
    }
}

impl Inlined<'_> {
    /// Ends the run. Some steps are long in themselves, such as counting a table, and cannot be
    /// interrupted; and elapsed time includes the wait for a processor.
    pub(super) fn end(self) {
        let is_long = match self.clock {
            Some(clock) => {
                self.estimate.is_doubted.store(false, Ordering::Relaxed);
                clock.elapsed() > DOUBTFUL
            }
            None => {
                let elapsed = self.started.elapsed();
                if elapsed > DOUBTFUL {
                    self.estimate.is_doubted.store(true, Ordering::Relaxed);
                }
                elapsed > CERTAIN
            }
        };
        if is_long {
            self.estimate.takes_more_than(INLINE);
        }
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
        let estimate = RuntimeEstimate::default();
        let check = |length: u64, offloaded: bool, class: RuntimeClass| {
            estimate.took(Duration::from_micros(length));
            assert_eq!(
                (estimate.is_offloaded(), estimate.class()),
                (offloaded, class),
                "{length} µs"
            );
        };
        check(2_000_000, true, RuntimeClass::Long);
        check(99_999, true, RuntimeClass::Middle);
        check(5_000, true, RuntimeClass::Middle);
        check(4_999, true, RuntimeClass::Short);
        check(180, true, RuntimeClass::Short);
        // A run that was offloaded because its thread had lost its processor returns to the serving
        // thread.
        check(140, false, RuntimeClass::Short);
    }

    #[test]
    fn a_run_that_goes_on_makes_its_program_long_before_its_end() {
        let estimate = RuntimeEstimate::default();
        assert!(!estimate.is_offloaded());
        estimate.takes_more_than(INLINE);
        assert_eq!((estimate.is_offloaded(), estimate.class()), (true, RuntimeClass::Short));
        estimate.takes_more_than(Duration::from_millis(5));
        estimate.takes_more_than(INLINE);
        assert_eq!(estimate.class(), RuntimeClass::Middle);
    }
    #[test]
    fn what_looked_long_is_measured_before_it_goes_elsewhere() {
        let estimate = RuntimeEstimate::default();
        let ago = |time| Instant::now().checked_sub(time).unwrap();
        estimate.begin_inline(Instant::now()).end();
        assert!(!estimate.is_doubted.load(Ordering::Relaxed));
        // It waited, or computed: it is not known yet.
        estimate.begin_inline(ago(2 * DOUBTFUL)).end();
        assert!(estimate.is_doubted.load(Ordering::Relaxed) && !estimate.is_offloaded());
        estimate.begin_inline(ago(2 * DOUBTFUL)).end();
        assert!(!estimate.is_doubted.load(Ordering::Relaxed) && !estimate.is_offloaded());
        estimate.begin_inline(ago(2 * DOUBTFUL)).end();
        let run = estimate.begin_inline(Instant::now());
        let clock = Clock::start();
        while clock.elapsed() <= DOUBTFUL {}
        run.end();
        assert!(estimate.is_offloaded());
        let other = RuntimeEstimate::default();
        other.begin_inline(ago(2 * CERTAIN)).end();
        assert!(other.is_offloaded());
    }
}
