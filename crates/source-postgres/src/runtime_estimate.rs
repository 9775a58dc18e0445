//! The estimated runtime of a program: only statements that proved short share a connection.

use std::sync::atomic::{AtomicU32, Ordering};

/// How often a program that nothing is known of must prove short.
const FIRST_RUNS: u32 = 2;

/// The same after it was long among others, at most.
const MOST_RUNS: u32 = 1_024;

/// How long a run was for those who would have stood behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Short,
    Long,
}

/// What being long once among others costs of the runs that were short. Where there are as many,
/// the database or the machine stood still for a moment, which says nothing of the program.
const PRICE: u32 = 256;

/// Most of them that count: so many moments may come one after the other, or several connections
/// stand still in one.
const MOST_SAVED: u32 = 16 * PRICE;

/// The estimated runtime of a program. It is on probation until it has proved short often enough, on
/// connections of its own. A run that is long on a shared connection puts it on probation again, for
/// twice as long as the time before, unless such runs are rare.
#[derive(Debug)]
pub(super) struct RuntimeEstimate {
    /// How often it must still prove short.
    owed: AtomicU32,
    /// How often it must after the next time that it was long among others.
    penalty: AtomicU32,
    /// How often it was short among others, less what was paid. Threads that count at once may
    /// forget one.
    saved: AtomicU32,
}

impl Default for RuntimeEstimate {
    fn default() -> Self {
        Self {
            owed: AtomicU32::new(FIRST_RUNS),
            penalty: AtomicU32::new(2 * FIRST_RUNS),
            saved: AtomicU32::new(0),
        }
    }
}

impl RuntimeEstimate {
    pub(super) fn is_short(&self) -> bool {
        self.owed.load(Ordering::Relaxed) == 0
    }

    /// It ran on a connection of its own.
    pub(super) fn ran_apart(&self, length: Length) {
        let owed = self.owed.load(Ordering::Relaxed);
        let owes = match length {
            Length::Long => owed.max(FIRST_RUNS),
            Length::Short if owed == 0 => return,
            // Threads that run it at once may forget one of their runs, which does no harm.
            Length::Short => owed - 1,
        };
        self.owed.store(owes, Ordering::Relaxed);
    }

    /// It ran among others, and was so long by itself.
    pub(super) fn ran_among_others(&self, length: Length) {
        match length {
            Length::Short => {
                let saved = self.saved.load(Ordering::Relaxed);
                if saved < MOST_SAVED {
                    self.saved.store(saved + 1, Ordering::Relaxed);
                }
            }
            Length::Long => self.disturbed_others(),
        }
    }

    /// It was long among others, or failed.
    pub(super) fn disturbed_others(&self) {
        let saved = self.saved.load(Ordering::Relaxed);
        if let Some(left) = saved.checked_sub(PRICE) {
            self.saved.store(left, Ordering::Relaxed);
            self.penalty.store(2 * FIRST_RUNS, Ordering::Relaxed);
            return;
        }
        let penalty = self.penalty.load(Ordering::Relaxed);
        self.owed.store(penalty, Ordering::Relaxed);
        self.penalty.store((penalty * 2).min(MOST_RUNS), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many short runs it takes until it may share.
    fn runs_owed(estimate: &RuntimeEstimate) -> usize {
        let mut runs = 0;
        while !estimate.is_short() {
            estimate.ran_apart(Length::Short);
            runs += 1;
        }
        runs
    }

    #[test]
    fn a_program_proves_short_before_it_shares() {
        let estimate = RuntimeEstimate::default();
        estimate.ran_apart(Length::Short);
        assert!(!estimate.is_short());
        estimate.ran_apart(Length::Long);
        assert_eq!(runs_owed(&estimate), 2);
        estimate.ran_among_others(Length::Short);
        assert!(estimate.is_short());
        estimate.ran_apart(Length::Long);
        assert_eq!(runs_owed(&estimate), 2);
    }

    #[test]
    fn one_that_was_long_among_others_proves_it_for_longer_each_time() {
        let estimate = RuntimeEstimate::default();
        runs_owed(&estimate);
        let runs: Vec<usize> = (0..10)
            .map(|_| {
                estimate.ran_among_others(Length::Long);
                runs_owed(&estimate)
            })
            .collect();
        assert_eq!(runs, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024]);
    }

    #[test]
    fn what_is_long_once_in_a_while_goes_on_among_others() {
        let estimate = RuntimeEstimate::default();
        runs_owed(&estimate);
        (0..PRICE * 2).for_each(|_| estimate.ran_among_others(Length::Short));
        // Two of its connections stand still in one moment.
        estimate.ran_among_others(Length::Long);
        estimate.ran_among_others(Length::Long);
        assert!(estimate.is_short());
        estimate.ran_among_others(Length::Long);
        assert_eq!(runs_owed(&estimate), 4);
        (0..PRICE - 1).for_each(|_| estimate.ran_among_others(Length::Short));
        estimate.ran_among_others(Length::Long);
        assert_eq!(runs_owed(&estimate), 8);
        estimate.ran_among_others(Length::Short);
        estimate.ran_among_others(Length::Long);
        assert!(estimate.is_short());
        estimate.ran_among_others(Length::Long);
        assert_eq!(runs_owed(&estimate), 4);
    }

    #[test]
    fn no_more_is_saved_than_for_a_few_moments() {
        let estimate = RuntimeEstimate::default();
        runs_owed(&estimate);
        (0..MOST_SAVED * 2).for_each(|_| estimate.ran_among_others(Length::Short));
        (0..16).for_each(|_| estimate.ran_among_others(Length::Long));
        assert!(estimate.is_short());
        estimate.ran_among_others(Length::Long);
        assert_eq!(runs_owed(&estimate), 4);
    }
}
