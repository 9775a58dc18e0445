//! Search for the highest rate that a server sustains.

/// The factor by which the second rate is faster, or slower where the first was too fast; each further step is
/// as large as all before it, until the limit is between two rates.
const STEP: f64 = 1.15;
/// Two rates that are nearer than this need none between them: half of the first step.
const NEAR: f64 = 1.075;

/// The rates that were tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ramp {
    next: f64,
    step: f64,
    steps: u32,
    /// No rate is higher.
    most: f64,
    /// The highest that was stood.
    good: Option<f64>,
    /// The lowest that was not.
    bad: Option<f64>,
}

impl Ramp {
    pub(super) fn new(start: f64, steps: u32, most: f64) -> Self {
        Self { next: start.min(most), step: STEP, steps, most, good: None, bad: None }
    }

    /// The rate to try; nothing where enough is known.
    pub(super) fn next(&self) -> Option<f64> {
        let is_found = match (self.good, self.bad) {
            (Some(good), Some(bad)) => bad / good < NEAR,
            (Some(good), None) => good >= self.most,
            (None, _) => false,
        };
        (self.steps > 0 && !is_found && self.next >= 1.0).then_some(self.next)
    }

    /// Whether the rate was stood.
    pub(super) fn tell(&mut self, rate: f64, is_good: bool) {
        self.steps = self.steps.saturating_sub(1);
        if is_good {
            self.good = Some(self.good.map_or(rate, |good| good.max(rate)));
        } else {
            self.bad = Some(self.bad.map_or(rate, |bad| bad.min(rate)));
        }
        self.next = match (self.good, self.bad) {
            (Some(good), Some(bad)) => (good * bad).sqrt(),
            (Some(good), None) => (good * self.step).min(self.most),
            (None, _) => rate / self.step,
        };
        self.step *= self.step;
    }

    /// The highest rate that was stood.
    #[cfg(test)]
    pub(super) fn highest(&self) -> Option<f64> {
        self.good
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Climbs against a server that stands so much.
    fn check(start: f64, limit: f64, steps: u32) -> (usize, Option<f64>) {
        let mut ramp = Ramp::new(start, steps, 50_000.0);
        let mut asked = 0;
        while let Some(rate) = ramp.next() {
            asked += 1;
            ramp.tell(rate, rate < limit);
        }
        (asked, ramp.highest())
    }

    #[test]
    fn the_highest_rate_is_found_from_below_and_from_above() {
        for start in [100.0, 400.0, 1500.0, 3000.0, 20_000.0] {
            let (asked, highest) = check(start, 1000.0, 20);
            let highest = highest.unwrap_or_default();
            assert!((930.0..1000.0).contains(&highest), "{start}: {highest} after {asked}");
            assert!(asked <= 12, "{start}: {asked}");
        }
    }

    #[test]
    fn few_rates_are_enough_where_the_first_is_near() {
        for (start, most) in [(900.0, 3), (860.0, 5), (750.0, 5), (1010.0, 3), (1200.0, 5)] {
            let (asked, highest) = check(start, 1000.0, 20);
            assert!(asked <= most, "{start}: {asked}, {highest:?}");
        }
    }

    #[test]
    fn it_ends_after_its_steps_and_where_nothing_is_stood_or_everything() {
        assert_eq!(check(500.0, 1000.0, 1), (1, Some(500.0)));
        assert_eq!(check(500.0, f64::INFINITY, 2), (2, Some(575.0)));
        let (asked, highest) = check(8.0, 0.0, 20);
        assert_eq!((asked, highest), (4, None));
        // The most there can be is asked for once.
        assert_eq!(check(40_000.0, f64::INFINITY, 20), (3, Some(50_000.0)));
        assert_eq!(check(90_000.0, f64::INFINITY, 20), (1, Some(50_000.0)));
    }
}
