//! The estimated runtime of a program: only statements that proved short share a connection.

use std::sync::atomic::{AtomicU32, Ordering};

/// Short runs that an unknown program must show first.
const FIRST_RUNS: u32 = 2;

/// Most short runs that it must show after it was long on a shared connection.
const MOST_RUNS: u32 = 1_024;

/// The duration of a run, for the statements that would have been behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Short,
    Long,
}

/// The price of a long run on a shared connection, in short ones. If there were as many, the
/// database or the machine stalled for a moment, which does not depend on the program.
const PRICE: u32 = 256;

/// Most short runs that count: several stalls may follow each other, or several connections stall
/// at once.
const MOST_SAVED: u32 = 16 * PRICE;

/// The estimated runtime of a program. It is on probation until it has proved short often enough, on
/// connections of its own. A run that is long on a shared connection puts it on probation again, for
/// twice as long as the time before, unless such runs are rare.
#[derive(Debug)]
pub(super) struct RuntimeEstimate {
    /// Number of short runs that it must still show.
    runs_left: AtomicU32,
    /// Number of short runs that it must show after the next long one on a shared connection.
    penalty: AtomicU32,
    /// Number of short runs on shared connections, less the price paid. Concurrent updates may lose
    /// one.
    saved: AtomicU32,
}

impl Default for RuntimeEstimate {
    fn default() -> Self {
        Self {
            runs_left: AtomicU32::new(FIRST_RUNS),
            penalty: AtomicU32::new(2 * FIRST_RUNS),
            saved: AtomicU32::new(0),
        }
    }
}

impl RuntimeEstimate {
    pub(super) fn is_short(&self) -> bool {
        self.runs_left.load(Ordering::Relaxed) == 0
    }

    /// Records a run on a connection of its own.
    pub(super) fn ran_alone(&self, length: Length) {
        let runs_left = self.runs_left.load(Ordering::Relaxed);
        let left = match length {
            Length::Long => runs_left.max(FIRST_RUNS),
            Length::Short if runs_left == 0 => return,
            // Threads that run it at once may forget one of their runs, which does no harm.
            Length::Short => runs_left - 1,
        };
        self.runs_left.store(left, Ordering::Relaxed);
    }

    /// Records a run on a shared connection, with this duration of its own.
    pub(super) fn ran_shared(&self, length: Length) {
        match length {
            Length::Short => {
                let saved = self.saved.load(Ordering::Relaxed);
                if saved < MOST_SAVED {
                    self.saved.store(saved + 1, Ordering::Relaxed);
                }
            }
            Length::Long => self.delayed_others(),
        }
    }

    /// Records a long or failed run on a shared connection.
    pub(super) fn delayed_others(&self) {
        let saved = self.saved.load(Ordering::Relaxed);
        if let Some(left) = saved.checked_sub(PRICE) {
            self.saved.store(left, Ordering::Relaxed);
            self.penalty.store(2 * FIRST_RUNS, Ordering::Relaxed);
            return;
        }
        let penalty = self.penalty.load(Ordering::Relaxed);
        self.runs_left.store(penalty, Ordering::Relaxed);
        self.penalty.store((penalty * 2).min(MOST_RUNS), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of short runs that a program needs before it may share.
    fn runs_needed(estimate: &RuntimeEstimate) -> usize {
        let mut runs = 0;
        while !estimate.is_short() {
            estimate.ran_alone(Length::Short);
            runs += 1;
        }
        runs
    }

    #[test]
    fn a_program_proves_short_before_it_shares() {
        let estimate = RuntimeEstimate::default();
        estimate.ran_alone(Length::Short);
        assert!(!estimate.is_short());
        estimate.ran_alone(Length::Long);
        assert_eq!(runs_needed(&estimate), 2);
        estimate.ran_shared(Length::Short);
        assert!(estimate.is_short());
        estimate.ran_alone(Length::Long);
        assert_eq!(runs_needed(&estimate), 2);
    }

    #[test]
    fn one_that_was_long_among_others_proves_it_for_longer_each_time() {
        let estimate = RuntimeEstimate::default();
        runs_needed(&estimate);
        let runs: Vec<usize> = (0..10)
            .map(|_| {
                estimate.ran_shared(Length::Long);
                runs_needed(&estimate)
            })
            .collect();
        assert_eq!(runs, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024]);
    }

    #[test]
    fn what_is_long_once_in_a_while_goes_on_among_others() {
        let estimate = RuntimeEstimate::default();
        runs_needed(&estimate);
        (0..PRICE * 2).for_each(|_| estimate.ran_shared(Length::Short));
        // Two of its connections stand still in one moment.
        estimate.ran_shared(Length::Long);
        estimate.ran_shared(Length::Long);
        assert!(estimate.is_short());
        estimate.ran_shared(Length::Long);
        assert_eq!(runs_needed(&estimate), 4);
        (0..PRICE - 1).for_each(|_| estimate.ran_shared(Length::Short));
        estimate.ran_shared(Length::Long);
        assert_eq!(runs_needed(&estimate), 8);
        estimate.ran_shared(Length::Short);
        estimate.ran_shared(Length::Long);
        assert!(estimate.is_short());
        estimate.ran_shared(Length::Long);
        assert_eq!(runs_needed(&estimate), 4);
    }

    #[test]
    fn no_more_is_saved_than_for_a_few_moments() {
        let estimate = RuntimeEstimate::default();
        runs_needed(&estimate);
        (0..MOST_SAVED * 2).for_each(|_| estimate.ran_shared(Length::Short));
        (0..16).for_each(|_| estimate.ran_shared(Length::Long));
        assert!(estimate.is_short());
        estimate.ran_shared(Length::Long);
        assert_eq!(runs_needed(&estimate), 4);
    }
}
