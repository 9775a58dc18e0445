//! The generic cell rate algorithm (GCRA): a leaky bucket that is one number, the time at which the
//! bucket will be empty. <https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm>

/// The rate and the size of a bucket. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    /// The time in which one unit leaks.
    interval: u64,
    /// The most units in the bucket.
    burst: u64,
}

/// The state of a bucket after a request, or as it refuses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) struct Level {
    /// Units that fit now.
    pub(in crate::http) remaining: u64,
    /// The time until the bucket is empty.
    pub(in crate::http) reset: u64,
}

/// A request for some units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// With the time at which the bucket is empty.
    Allowed { empty_at: u64, level: Level },
    /// `retry` is the time until as many units fit; `None` if so many never do.
    Refused { retry: Option<u64>, level: Level },
}

impl Rate {
    /// A rate of units in a window, with a burst of at least one unit.
    pub(super) fn new(amount: u64, window: u64, burst: u64) -> Self {
        Self { interval: (window / amount.max(1)).max(1), burst: burst.max(1) }
    }

    /// The nanoseconds in which one unit leaks, and the most units.
    pub(super) fn parts(self) -> (u64, u64) {
        (self.interval, self.burst)
    }

    /// Whether some units fit in a bucket that is empty at a time.
    pub(super) fn decide(self, empty_at: u64, units: u64, now: u64) -> Decision {
        let begin = empty_at.max(now);
        let wanted = begin.saturating_add(self.interval.saturating_mul(units));
        let size = self.interval.saturating_mul(self.burst);
        let level = |empty_at: u64| {
            let reset = empty_at.saturating_sub(now);
            Level { remaining: size.saturating_sub(reset) / self.interval, reset }
        };
        match wanted.saturating_sub(now).checked_sub(size) {
            None | Some(0) => Decision::Allowed { empty_at: wanted, level: level(wanted) },
            Some(excess) => {
                let retry = (units <= self.burst).then_some(excess);
                Decision::Refused { retry, level: level(begin) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// What is asked at a time, in seconds; the seconds after which to ask again.
    fn asked(rate: Rate, empty_at: &mut u64, (units, at): (u64, u64)) -> Result<u64, Option<u64>> {
        match rate.decide(*empty_at, units, at * SECOND) {
            Decision::Allowed { empty_at: new, level } => {
                *empty_at = new;
                Ok(level.remaining)
            }
            Decision::Refused { retry, .. } => Err(retry.map(|time| time / SECOND)),
        }
    }

    #[test]
    fn a_burst_fits_and_then_the_rate() {
        // Six a minute: one in ten seconds, and three at a time.
        let rate = Rate::new(6, 60 * SECOND, 3);
        let mut empty_at = 0;
        let mut ask = |units, at| asked(rate, &mut empty_at, (units, at));
        assert_eq!(ask(1, 100), Ok(2));
        assert_eq!(ask(2, 100), Ok(0));
        assert_eq!(ask(1, 100), Err(Some(10)));
        assert_eq!(ask(1, 105), Err(Some(5)));
        assert_eq!(ask(1, 110), Ok(0));
        assert_eq!(ask(2, 110), Err(Some(20)));
        // A pause fills it up to the burst, and no further.
        assert_eq!(ask(3, 1000), Ok(0));
        assert_eq!(ask(1, 1000), Err(Some(10)));
    }

    #[test]
    fn more_than_a_burst_never_fits() {
        let rate = Rate::new(100, 60 * SECOND, 50);
        assert_eq!(asked(rate, &mut 0, (51, 7)), Err(None));
        assert_eq!(asked(rate, &mut 0, (u64::MAX, 7)), Err(None));
        assert_eq!(asked(rate, &mut 0, (50, 7)), Ok(0));
    }

    #[test]
    fn a_refused_request_costs_nothing() {
        let rate = Rate::new(1, SECOND, 1);
        let mut empty_at = 0;
        assert_eq!(asked(rate, &mut empty_at, (1, 10)), Ok(0));
        for _ in 0..100 {
            assert!(asked(rate, &mut empty_at, (1, 10)).is_err());
        }
        assert_eq!(asked(rate, &mut empty_at, (1, 11)), Ok(0));
    }

    #[test]
    fn the_reset_is_the_time_until_everything_fits() {
        let rate = Rate::new(10, 10 * SECOND, 10);
        let Decision::Allowed { level, .. } = rate.decide(0, 4, 3 * SECOND) else { panic!() };
        assert_eq!(level, Level { remaining: 6, reset: 4 * SECOND });
    }
}
