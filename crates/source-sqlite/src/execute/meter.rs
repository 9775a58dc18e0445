//! Processor time of a run.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// The processor time of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Duration);

/// Processor time of one run, readable from other threads.
#[derive(Debug, Default)]
pub(crate) struct Meter(OnceLock<Option<Begun>>);

/// The thread of a run, and its processor time at the start.
#[derive(Debug)]
struct Begun {
    statistics: PathBuf,
    before: Duration,
}

impl Clock {
    /// Starts to measure this thread's processor time: a thread that waits for a processor looks
    /// slow by any other clock.
    pub(crate) fn start() -> Self {
        Self(of_this_thread())
    }

    pub(crate) fn elapsed(self) -> Duration {
        of_this_thread().saturating_sub(self.0)
    }
}

impl Meter {
    /// A meter without processor time: it measures elapsed time.
    #[cfg(test)]
    pub(crate) fn by_the_clock() -> Self {
        Self(None.into())
    }

    /// The run begins on this thread.
    pub(crate) fn begin(&self) {
        self.0.get_or_init(Begun::here);
    }

    /// Processor time of the run, after this elapsed time. A thread that waits for a processor
    /// computes nothing.
    pub(crate) fn computed(&self, elapsed: Duration) -> Duration {
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

    /// Processor time; none where the system does not report it.
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

/// Elapsed time, where the system has no clock of processor time.
#[cfg(not(unix))]
fn of_this_thread() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // Where the system does not report processor time, all time counts.
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
