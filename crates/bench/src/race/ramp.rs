//! How the highest rate is found that a server stands.

/// How much faster the next rate is, until one is too fast.
const GROWTH: f64 = 1.3;
/// Two rates that are nearer than this need none between them.
const NEAR: f64 = 1.08;

/// The rates that were tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ramp {
    next: f64,
    steps: u32,
    /// The highest that was stood.
    good: Option<f64>,
    /// The lowest that was not.
    bad: Option<f64>,
}

impl Ramp {
    pub(super) fn new(start: f64, steps: u32) -> Self {
        Self { next: start, steps, good: None, bad: None }
    }

    /// The rate to try; nothing where enough is known.
    pub(super) fn next(&self) -> Option<f64> {
        let is_found =
            matches!((self.good, self.bad), (Some(good), Some(bad)) if bad / good < NEAR);
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
            (Some(good), None) => good * GROWTH,
            (None, _) => rate / 2.0,
        };
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
        let mut ramp = Ramp::new(start, steps);
        let mut asked = 0;
        while let Some(rate) = ramp.next() {
            asked += 1;
            ramp.tell(rate, rate < limit);
        }
        (asked, ramp.highest())
    }

    #[test]
    fn the_highest_rate_is_found_from_below_and_from_above() {
        for start in [400.0, 1500.0, 3000.0] {
            let (asked, highest) = check(start, 1000.0, 12);
            let highest = highest.unwrap_or_default();
            assert!((920.0..1000.0).contains(&highest), "{start}: {highest} after {asked}");
            assert!(asked < 12, "{start}: {asked}");
        }
    }

    #[test]
    fn it_ends_after_its_steps_and_where_nothing_is_stood() {
        assert_eq!(check(500.0, f64::INFINITY, 3), (3, Some(845.0)));
        assert_eq!(check(500.0, 1000.0, 1), (1, Some(500.0)));
        let (asked, highest) = check(8.0, 0.0, 20);
        assert_eq!((asked, highest), (4, None));
    }
}
