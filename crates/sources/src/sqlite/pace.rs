//! How long a program takes, so that nobody waits for what takes much longer than itself.

use std::path::PathBuf;
use std::sync::OnceLock;
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

/// The processor time of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(Duration);

/// How long one run has taken so far, as others see it.
#[derive(Debug, Default)]
pub(super) struct Meter(OnceLock<Option<Begun>>);

/// The thread of a run, and what it had taken from its processor before.
#[derive(Debug)]
struct Begun {
    statistics: PathBuf,
    before: Duration,
}

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

impl Clock {
    /// Starts to count what this thread takes from its processor: one that waits for its turn
    /// looks slow by any other clock.
    pub(super) fn start() -> Self {
        Self(of_this_thread())
    }

    pub(super) fn elapsed(self) -> Duration {
        of_this_thread().saturating_sub(self.0)
    }
}

impl Meter {
    /// One that knows of no processor: the run takes as long as the clock says.
    #[cfg(test)]
    pub(super) fn by_the_clock() -> Self {
        Self(None.into())
    }

    /// The run begins on this thread.
    pub(super) fn begin(&self) {
        self.0.get_or_init(Begun::here);
    }

    /// How long the run has computed, after so much time. A thread that waits for a processor
    /// computes nothing.
    pub(super) fn computed(&self, elapsed: Duration) -> Duration {
        let computed = match self.0.get() {
            None => Some(Duration::ZERO),
            Some(begun) => begun.as_ref().and_then(Begun::computed),
        };
        computed.unwrap_or(elapsed)
    }
}

impl Begun {
    #[cfg(target_os = "linux")]
    fn here() -> Option<Self> {
        let thread = rustix::thread::gettid().as_raw_nonzero();
        let statistics = format!("/proc/self/task/{thread}/schedstat").into();
        Some(Self { statistics, before: of_this_thread() })
    }

    #[cfg(not(target_os = "linux"))]
    fn here() -> Option<Self> {
        None
    }

    /// None where the system does not say it.
    fn computed(&self) -> Option<Duration> {
        let statistics = std::fs::read_to_string(&self.statistics).ok()?;
        let all = statistics.split(' ').next()?.parse().ok()?;
        Some(Duration::from_nanos(all).saturating_sub(self.before))
    }
}

#[cfg(unix)]
fn of_this_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
}

/// Where there is no such clock, any other has to do.
#[cfg(not(unix))]
fn of_this_thread() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
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

    #[test]
    fn others_see_what_a_run_computes() {
        let meter = Meter::default();
        let second = Duration::from_secs(1);
        assert_eq!(meter.computed(second), Duration::ZERO);
        assert_eq!(Meter::by_the_clock().computed(second), second);
        let clock = Clock::start();
        meter.begin();
        while clock.elapsed() < Duration::from_millis(20) {}
        let computed = meter.computed(2 * second);
        // Where the system does not say it, all the time counts.
        let is_right = (Duration::from_millis(10)..second).contains(&computed);
        assert!(is_right || !cfg!(target_os = "linux"), "{computed:?}");
    }

    #[test]
    fn who_waits_takes_no_time() {
        let clock = Clock::start();
        std::thread::sleep(Duration::from_millis(50));
        assert!(clock.elapsed() < Duration::from_millis(40));
    }
}
